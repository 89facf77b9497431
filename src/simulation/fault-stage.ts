import type { Clock } from '../base/clock.ts';
import type { Program } from '../worlds/settings.ts';
import type { FaultStage } from './faults/active-faults.ts';

/** What a world offers to faults, simulated or not. */
interface FaultyWorld {
  readonly clock: Clock;
  readonly server: { readonly revision: number };
  kill(component: string): void;
  revive(component: string): void;
  dropWatches(component: string): void;
  nodeOf(component: string): string | undefined;
  componentsOn(node: string): readonly string[];
  componentsOf(program: Program): readonly string[];
  loseMounts(node: string): void;
}

/** A world as faults need it. */
export function stageOf(world: FaultyWorld): FaultStage {
  return {
    clock: world.clock,
    revision: () => world.server.revision,
    kill: (process) => world.kill(process),
    revive: (process) => world.revive(process),
    dropWatches: (actor) => world.dropWatches(actor),
    nodeOf: (process) => world.nodeOf(process),
    processesOn: (node) => world.componentsOn(node),
    processesOf: (program) => world.componentsOf(program),
    loseMounts: (node) => world.loseMounts(node),
  };
}
