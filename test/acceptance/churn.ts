// Pods with claims that come and go on the world of `mooring up` in virtual time, and what is left of them.
import v8 from 'node:v8';
import vm from 'node:vm';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { type Random, SeededRandom } from '../../src/base/random.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { Faults } from '../../src/simulation/chaos/fault-object.ts';
import type { WorldFigures } from '../../src/worlds/embedded.ts';
import type { ClusterSize } from '../../src/worlds/embedded-shape.ts';
import { CHAOS_LASTS_MS, claimNamed, drawnFaults, podNamed } from './churned-objects.ts';
import { ADMIN, EmbeddedRun } from './embedded-run.ts';

/** Longer than an event is kept, so that not even those are left. */
const EVENTS_GONE_MS = 65 * MINUTE_MS;
const ROUND_MS_MAX = 30 * MINUTE_MS;

export interface Churn {
  readonly pods: number;
  readonly rounds: number;
  /** 3 in 2 zones unless told otherwise. */
  readonly size?: ClusterSize;
  /** With it faults come at random while pods start and while they end. */
  readonly chaosSeed?: number;
}

/** Everything that could be left. */
interface Left extends WorldFigures {
  readonly timers: number;
  /** By kind; those without any are absent. */
  readonly objects: Readonly<Record<string, number>>;
}

interface Round {
  /** Pods that ran, each on its volume. */
  readonly running: number;
  readonly left: Left;
  /** Of the heap, after everything unreachable was collected. */
  readonly heapBytes: number;
}

export interface Churned {
  /** Before anything was made. */
  readonly empty: Left;
  readonly rounds: readonly Round[];
}

export async function churn({ pods, rounds: count, size, chaosSeed }: Churn): Promise<Churned> {
  const run = await EmbeddedRun.begin(size);
  await run.pass(EVENTS_GONE_MS);
  const empty = leftIn(run);
  const rounds: Round[] = [];
  const chaos = chaosSeed === undefined ? undefined : new SeededRandom(chaosSeed);
  for (let round = 0; round < count; round++) {
    for (let index = 0; index < pods; index++) make(run, String(index));
    await disturbed(run, chaos?.fork(`start ${round}`));
    await until(run, () => runningIn(run) === pods);
    const running = runningIn(run);
    for (const kind of [Pods, PersistentVolumeClaims])
      for (const { metadata } of run.store.all(kind)) run.delete(kind, metadata.name);
    await disturbed(run, chaos?.fork(`end ${round}`));
    await until(run, () => run.count(Pods) === 0 && run.chaotic.world.figures.disks === 0);
    await run.pass(EVENTS_GONE_MS);
    // What came before is known for those who watch, until there is too much of it: none of that here.
    run.store.compact(run.store.revision);
    rounds.push({ running, left: leftIn(run), heapBytes: heapBytes() });
  }
  return { empty, rounds };
}

const runningIn = ({ pods }: EmbeddedRun): number => pods.filter((pod) => pod.endsWith('Running True')).length;

async function until(run: EmbeddedRun, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < ROUND_MS_MAX && !holds(); waitedMs += 10 * SECOND_MS)
    await run.pass(10 * SECOND_MS);
}

function leftIn(run: EmbeddedRun): Left {
  const counts = run.server.resources.map((resource) => [resource.plural, run.count(resource)] as const);
  return {
    ...run.chaotic.world.figures,
    timers: run.clock.pendingTimers,
    objects: Object.fromEntries(counts.filter(([, count]) => count > 0)),
  };
}

function make(run: EmbeddedRun, name: string): void {
  run.apply(PersistentVolumeClaims, claimNamed(name));
  run.apply(Pods, podNamed(name));
}

/** Faults for some minutes, by objects of the API; then they are deleted, as `mooring chaos clear` does. */
async function disturbed(run: EmbeddedRun, random: Random | undefined): Promise<void> {
  if (random === undefined) return;
  const [first = '', ...others] = run.chaotic.world.components;
  const faults = drawnFaults(random, [first, ...others]);
  for (const object of faults) {
    run.server.handle({ verb: 'create', resource: Faults, namespace: undefined, object }, ADMIN);
    await run.pass(CHAOS_LASTS_MS / faults.length);
  }
  for (const { metadata } of faults) run.server.handle({ verb: 'delete', resource: Faults, key: metadata.name }, ADMIN);
}

function heapBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
