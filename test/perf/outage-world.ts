// A cluster of many nodes with volumes in use, brought up through the whole engine: StatefulSets, scheduler, provisioner,
// attach, mount. What comes after, idle hours and lost nodes, is what the benches measure.
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../src/kube/resources/stateful-set.ts';
import type { Draft } from '../../src/kube/cluster.ts';
import { ActiveFaults } from '../../src/simulation/faults/active-faults.ts';
import { plainNodes } from '../../src/worlds/cluster-shape.ts';
import { DEFAULT_PROFILE } from '../../src/worlds/profiles.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../../src/worlds/simulated.ts';
import type { StepCounts } from './step-counts.ts';

const DRIVER = 'disk.example.com';
const ZONES = 10;

export interface Measured {
  /** Processor time: other work on the machine is not ours. */
  readonly cpuMs: number;
  readonly virtualMs: number;
  /** Timers that fired meanwhile. */
  readonly steps: number;
}

export class OutageWorld {
  readonly nodes: number;
  readonly volumes: number;
  readonly #world: SimulatedWorld;
  readonly #faults: ActiveFaults;
  readonly #counts: StepCounts | undefined;

  constructor(nodes: number, volumes: number, counts?: StepCounts) {
    this.#counts = counts;
    this.nodes = nodes;
    this.volumes = volumes;
    this.#faults = new ActiveFaults({ stage: () => this.#stage(), random: new SeededRandom('bench') });
    this.#world = new SimulatedWorld({
      seed: 1,
      clientLimits: false,
      shape: {
        profile: DEFAULT_PROFILE,
        nodes: plainNodes(nodes, Math.min(ZONES, nodes)),
        drivers: [{ driver: { name: DRIVER } }],
        classes: [{ name: 'fast', provisioner: DRIVER }],
        settings: {},
        tickless: true,
      },
      aroundDriver: this.#faults.aroundDriver,
      wrapAccess: (access) => this.#faults.wrapAccess(this.#counts?.wrapAccess(access) ?? access),
      wrapClock: (clock, component, node) =>
        this.#faults.clockOf(this.#counts?.wrapClock(clock, component) ?? clock, component, node),
    });
  }

  /** All pods run with their volumes mounted when this returns. */
  async bringUp(): Promise<Measured> {
    const world = this.#world;
    const taken = await this.#measure(async () => {
      world.start();
      await world.advanceTo(SIMULATION_STARTS_AT + 20 * SECOND_MS);
      const replicas = this.volumes / this.nodes;
      for (let index = 0; index < this.nodes; index++)
        await world.until(world.as('bench').create(StatefulSets, setOf(index, replicas)), MINUTE_MS);
      for (let minute = 0; minute < 60 && (await this.#running()) < this.volumes; minute++)
        await world.advanceTo(world.clock.now() + MINUTE_MS);
    });
    const running = await this.#running();
    if (running !== this.volumes) throw new Error(`${running} of ${this.volumes} pods run`);
    return taken;
  }

  idle(virtualMs: number): Promise<Measured> {
    return this.#measure(() => this.#world.advanceTo(this.#world.clock.now() + virtualMs));
  }

  /** Of a node that runs: it is lost for good. */
  async outage(virtualMs: number, node = 'node-a'): Promise<Measured> {
    return this.#measure(async () => {
      this.#faults.begin({ type: 'node-crash', node });
      await this.#world.advanceTo(this.#world.clock.now() + virtualMs);
    });
  }

  dispose(): void {
    this.#world.dispose();
  }

  async #running(): Promise<number> {
    const { items } = await this.#world.until(this.#world.as('bench').list(Pods), MINUTE_MS);
    return items.filter((pod: Pod) => pod.status.phase === 'Running').length;
  }

  async #measure(run: () => Promise<void>): Promise<Measured> {
    const { clock } = this.#world;
    const [startedAt, virtualAt, fired] = [cpuMs(), clock.now(), clock.fired];
    await run();
    return { cpuMs: cpuMs() - startedAt, virtualMs: clock.now() - virtualAt, steps: clock.fired - fired };
  }

  #stage(): ReturnType<ConstructorParameters<typeof ActiveFaults>[0]['stage']> {
    const world = this.#world;
    return {
      clock: world.clock,
      revision: () => world.server.revision,
      kill: (process) => world.kill(process),
      revive: (process) => world.revive(process),
      dropWatches: (actor) => world.access.dropWatches(actor),
      nodeOf: (process) => world.nodeOf(process),
      processesOn: (node) => world.componentsOn(node),
      processesOf: (program) => world.componentsOf(program),
      loseMounts: (node) => world.loseMounts(node),
    };
  }
}

function setOf(index: number, replicas: number): Draft<StatefulSet> {
  const app = `set-${index}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: app, namespace: 'default' },
    spec: {
      replicas,
      serviceName: app,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'main', image: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast',
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
    },
  };
}

/** The cost of one bare turn of the event loop, which no instant can go below. */
export async function bareBarrierMs(): Promise<number> {
  const turns = 50_000;
  const startedAt = cpuMs();
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  return (cpuMs() - startedAt) / turns;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface Costs {
  readonly bringUp: Measured;
  readonly idle: Measured;
  readonly outage: Measured;
  /** Of the world once all pods run. */
  readonly heapBytes: number;
}

const OUTAGE_MS = 12 * MINUTE_MS;

export async function costsOf(
  size: { readonly nodes: number; readonly volumes: number },
  idleMs: number,
): Promise<Costs> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const world = new OutageWorld(size.nodes, size.volumes);
  const bringUp = await world.bringUp();
  globalThis.gc?.();
  const heapBytes = process.memoryUsage().heapUsed - before;
  const costs = { bringUp, heapBytes, idle: await world.idle(idleMs), outage: await world.outage(OUTAGE_MS) };
  world.dispose();
  return costs;
}

export const micros = ({ cpuMs: spent, steps }: Measured): number => (spent * 1000) / steps;
export const speed = ({ cpuMs: spent, virtualMs }: Measured): string =>
  `${Math.round(virtualMs / spent).toLocaleString('en')}x real time`;

export const told = (measured: Measured): string =>
  `${(measured.cpuMs / 1000).toFixed(1)} s of processor time, ${measured.steps} steps, ${micros(measured).toFixed(1)} us a step, ${speed(measured)}`;
export const perNodeMs = (measured: Measured, nodes: number): number => measured.cpuMs / nodes;
