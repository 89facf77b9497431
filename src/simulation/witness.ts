// Stands at the seams of a world and tells its checkers every fact.
import type { Commit } from '../apiserver/apiserver.ts';
import { CsiStatusError } from '../csi/csi-error.ts';
import type { CsiCode } from '../csi/driver.ts';
import type { CsiEffect } from '../csi/drivers/memory/backend.ts';
import type { Around, DriverCall } from '../csi/wrap-driver.ts';
import type { SimulatedWorld } from '../worlds/simulated.ts';
import type { CallFact, Fact } from './checkers/fact.ts';
import { Scene } from './checkers/scene.ts';
import { Watchmen } from './checkers/watchmen.ts';
import type { Fault } from './faults/fault.ts';

type Untimed = Fact extends infer F ? (F extends Fact ? Omit<F, 'at'> : never) : never;

export class Witness {
  readonly #theWorld: () => SimulatedWorld;
  #watchmen: Watchmen | undefined;
  #calls = 0;

  constructor(theWorld: () => SimulatedWorld) {
    this.#theWorld = theWorld;
  }

  get watchmen(): Watchmen {
    return (this.#watchmen ??= this.#appoint());
  }

  readonly onCommit = ({ user, before, after }: Commit): void => {
    this.#tell({
      type: 'write',
      actor: user,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  };

  readonly onEffect = (effect: CsiEffect): void => this.#tell({ type: 'effect', effect });

  readonly onFault = (change: 'begins' | 'ends', fault: Fault): void => this.#tell({ type: `fault-${change}`, fault });

  readonly aroundCaller: Around = async (call, proceed) => {
    const about = { id: ++this.#calls, ...factsOf(call) };
    this.#tell({ type: 'call-begins', ...about });
    try {
      const answer = await proceed();
      this.#tell({ type: 'call-ends', ...about, code: 'OK' });
      return answer;
    } catch (error) {
      this.#tell({ type: 'call-ends', ...about, code: codeOf(error) });
      throw error;
    }
  };

  #appoint(): Watchmen {
    const world = this.#theWorld();
    const scene = new Scene({
      backends: world.backends,
      nodeOf: (component) => world.nodeOf(component),
      componentsOn: (node) => world.componentsOn(node),
      componentsOf: (program) => world.componentsOf(program),
    });
    const watchmen = new Watchmen(scene);
    world.timeline.subscribe((entry) => watchmen.observe({ at: entry.at, type: 'entry', entry }));
    return watchmen;
  }

  #tell(fact: Untimed): void {
    this.watchmen.observe({ ...fact, at: this.#theWorld().clock.now() });
  }
}

const codeOf = (error: unknown): CsiCode => (error instanceof CsiStatusError ? error.code : 'CANCELLED');

function factsOf({ driver, rpc, request, nodeName }: DriverCall): Omit<CallFact, 'type' | 'id' | 'code'> {
  const asked = request as {
    readonly volumeId?: string;
    readonly name?: string;
    readonly nodeId?: string;
    readonly targetPath?: string;
    readonly stagingTargetPath?: string;
  };
  const path = asked.targetPath ?? asked.stagingTargetPath;
  return {
    driver,
    rpc,
    volumeId: asked.volumeId ?? asked.name ?? '',
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(asked.nodeId === undefined ? {} : { nodeId: asked.nodeId }),
    ...(path === undefined ? {} : { path }),
  };
}
