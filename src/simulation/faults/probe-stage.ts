// A world with nothing in it but two probes, one on a machine and one in the control plane, for tests of faults: what a
// probe sees through its context is what any component would see.
import type { DurationMs } from '../../base/clock.ts';
import { SeededRandom } from '../../base/random.ts';
import type { CsiNode } from '../../csi/driver.ts';
import type { Mounter } from '../../kubelet/mounter/mounter.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Placed } from '../../worlds/components.ts';
import { DEFAULT_PROFILE } from '../../worlds/profiles.ts';
import { SimulatedWorld } from '../../worlds/simulated.ts';
import { stageOf } from '../fault-stage.ts';
import { ActiveFaults } from './active-faults.ts';
import type { Fault } from './fault.ts';

export const MACHINE = 'node-a';
export const ON_MACHINE = 'probe/node-a';
export const IN_CONTROL_PLANE = 'probe';
export const DRIVER = 'disk.example.com';

export interface ProbeStage {
  readonly world: SimulatedWorld;
  readonly faults: ActiveFaults;
  /** Of the newest life of the probe on the machine. */
  onMachine(): ComponentContext;
  inControlPlane(): ComponentContext;
  lives(probe: string): number;
  nodeService(): CsiNode;
  mounter(): Mounter;
  /** Ends the fault after the time given. */
  begin(fault: Fault, forMs?: DurationMs): void;
  pass(ms: DurationMs): Promise<void>;
}

export function probeStage(): ProbeStage {
  const lives = new Map<string, ComponentContext[]>();
  const probe = (name: string, node?: string): Placed => ({
    component: { name, start: (context) => void lives.set(name, [...(lives.get(name) ?? []), context]) },
    program: node === undefined ? 'kube-controller-manager' : 'kubelet',
    ...(node === undefined ? {} : { node }),
  });
  const made: { world?: SimulatedWorld } = {};
  const theWorld = (): SimulatedWorld => {
    if (made.world === undefined) throw new Error('the world is not built yet');
    return made.world;
  };
  const faults = new ActiveFaults({ stage: () => stageOf(theWorld()), random: new SeededRandom('faults') });
  const world = new SimulatedWorld({
    shape: {
      profile: DEFAULT_PROFILE,
      nodes: [],
      drivers: [
        { driver: { name: DRIVER, volumes: [{ volumeId: 'disk-1', capacity: '1Gi' }] }, attachRequired: false },
      ],
      classes: [],
      settings: {},
    },
    seed: 1,
    latency: { requestMs: [0, 0], watchMs: [0, 0] },
    aroundDriver: faults.aroundDriver,
    aroundMounterOf: (node) => faults.aroundMounter(node),
    wrapAccess: (access) => faults.wrapAccess(access),
    wrapClock: (clock, component, node) => faults.clockOf(clock, component, node),
    also: () => [probe(ON_MACHINE, MACHINE), probe(IN_CONTROL_PLANE)],
  });
  made.world = world;
  world.start();
  const lifeOf = (name: string): ComponentContext => {
    const life = lives.get(name)?.at(-1);
    if (life === undefined) throw new Error(`${name} never started`);
    return life;
  };
  return {
    world,
    faults,
    onMachine: () => lifeOf(ON_MACHINE),
    inControlPlane: () => lifeOf(IN_CONTROL_PLANE),
    lives: (name) => lives.get(name)?.length ?? 0,
    nodeService: () => {
      const driver = world.drivers.get(DRIVER);
      if (driver === undefined) throw new Error('no driver');
      return driver.nodeService(MACHINE);
    },
    mounter: () => world.machines.mounterOf(MACHINE),
    begin: (fault, forMs) => {
      faults.begin(fault);
      if (forMs !== undefined) world.clock.after(forMs, () => faults.end(fault));
    },
    pass: (ms) => world.advanceTo(world.clock.now() + ms),
  };
}

/** What a promise has come to so far: its value, its error, or that it has not come yet. */
export function watched<T>(promise: Promise<T>): { state: 'waiting' | 'done' | 'failed'; value?: T; error?: unknown } {
  const seen: { state: 'waiting' | 'done' | 'failed'; value?: T; error?: unknown } = { state: 'waiting' };
  promise.then(
    (value) => Object.assign(seen, { state: 'done', value }),
    (error: unknown) => Object.assign(seen, { state: 'failed', error }),
  );
  return seen;
}
