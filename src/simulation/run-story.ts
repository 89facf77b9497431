// Plays a story: builds the world, lets it come up, takes the steps at their times, has every promise judged and every
// checker listen. A story that settles has its faults healed at the end, and then all must be well in time.
import { type DurationMs, SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import type { Around } from '../csi/wrap-driver.ts';
import type { NumberedEntry } from '../runtime/timeline.ts';
import type { Placed, Surroundings } from '../worlds/components.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../worlds/simulated.ts';
import { type KubeObject, keyOf } from '../kube/object.ts';
import { PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { Pods } from '../kube/resources/pod.ts';
import type { Finding } from './checkers/checker.ts';
import type { Scene } from './checkers/scene.ts';
import { stageOf } from './fault-stage.ts';
import { ActiveFaults } from './faults/active-faults.ts';
import type { Fault } from './faults/fault.ts';
import { Judge } from './judge.ts';
import type { Story, Verdict } from './story.ts';
import { STORYTELLER, Teller } from './teller.ts';
import { Witness } from './witness.ts';

/** The cluster comes up before the story begins. */
const SETUP_MS = 30 * SECOND_MS;
/** Every component waits for another: only heartbeats are left. */
const STALLED = 'not all is well, and nothing is under way that could change it';
/** How often a world that should settle is looked at. */
const LOOK_MS = 10 * SECOND_MS;

export interface StoryRun {
  readonly story: Story;
  readonly seed: number;
  /** When the story began, in the world's time. */
  readonly startedAt: number;
  /** How long it took, settling included. */
  readonly lastedMs: DurationMs;
  /** Timers that went off: what the run cost. */
  readonly timers: number;
  readonly entries: readonly NumberedEntry[];
  readonly verdicts: readonly Verdict[];
  /** What checkers found, in order. */
  readonly findings: readonly Finding[];
  /** How claims and pods ended: `pod/web` and `Running on node-a`. */
  readonly ends: readonly { readonly object: string; readonly state: string }[];
}

/** A world that is not as it should be, for tests of checkers. */
export interface Sabotage {
  /** Components that run beside the others, or in place of those of the same name. */
  readonly components?: (around: Surroundings) => readonly Placed[];
  readonly aroundDriver?: Around;
}

export async function runStory(story: Story, seed: number = story.seed, sabotage: Sabotage = {}): Promise<StoryRun> {
  const stage = new Stage(story, seed, sabotage);
  try {
    return await stage.play();
  } finally {
    stage.dispose();
  }
}

class Stage {
  readonly #story: Story;
  readonly #seed: number;
  readonly #startedAt = SIMULATION_STARTS_AT + SETUP_MS;
  readonly #judge: Judge;
  readonly #faults: ActiveFaults;
  readonly #witness: Witness;
  readonly #world: SimulatedWorld;
  readonly #teller: Teller;

  constructor(story: Story, seed: number, sabotage: Sabotage) {
    this.#story = story;
    this.#seed = seed;
    this.#judge = new Judge(story.expect);
    this.#witness = new Witness(() => this.#world);
    const record = recordFaults(() => this.#world);
    this.#faults = new ActiveFaults({
      stage: () => stageOf(this.#world),
      random: new SeededRandom(seed).fork('faults'),
      onChange: (change, fault) => {
        record(change, fault);
        this.#witness.onFault(change, fault);
      },
    });
    this.#world = this.#build(sabotage);
    this.#teller = new Teller(this.#world, this.#faults, this.#startedAt);
  }

  #build({ components, aroundDriver }: Sabotage): SimulatedWorld {
    const { aroundDriver: withFaults } = this.#faults;
    return new SimulatedWorld({
      shape: this.#story.cluster,
      seed: this.#seed,
      aroundDriver:
        aroundDriver === undefined
          ? withFaults
          : (call, proceed) => aroundDriver(call, () => withFaults(call, proceed)),
      wrapAccess: (access) => this.#faults.wrapAccess(access),
      aroundMounterOf: (node) => this.#faults.aroundMounter(node),
      wrapClock: (clock, component, node) => this.#faults.clockOf(clock, component, node),
      aroundCaller: this.#witness.aroundCaller,
      onEffect: this.#witness.onEffect,
      onCommit: (commit) => {
        const object = commit.after ?? commit.before;
        const atMs = this.#world.clock.now() - this.#startedAt;
        if (object !== undefined) this.#judge.observe(object, commit.after === undefined, atMs);
        this.#witness.onCommit(commit);
      },
      ...(components === undefined ? {} : { also: components }),
    });
  }

  async play(): Promise<StoryRun> {
    const { steps, lastsMs, settlesMs } = this.#story;
    this.#world.start();
    this.#teller.lay(this.#story);
    await this.#world.advanceTo(this.#startedAt);
    for (const step of steps) await this.#teller.take(step);
    await this.#world.advanceTo(this.#startedAt + lastsMs);
    if (settlesMs !== undefined) await this.#settle(settlesMs);
    return this.#conclude();
  }

  /** Faults are over. The sooner all is well, the sooner this ends; what is not well at the end of the time is kept. */
  async #settle(withinMs: DurationMs): Promise<void> {
    this.#faults.endAll();
    const { watchmen } = this.#witness;
    const deadline = this.#world.clock.now() + withinMs;
    const isWell = (): boolean => watchmen.trial().every(({ severity }) => severity === 'known');
    do await this.#world.advanceTo(Math.min(deadline, this.#world.clock.now() + LOOK_MS));
    while (this.#world.clock.now() < deadline && !watchmen.isBroken && !isWell());
    watchmen.atRest();
    const isStalled = watchmen.isBroken && this.#world.clock.foregroundTimers === 0;
    if (isStalled) watchmen.add({ checker: 'stall', severity: 'violation', about: 'the world', says: STALLED });
  }

  #conclude(): StoryRun {
    const lastedMs = this.#world.clock.now() - this.#startedAt;
    const { findings } = this.#witness.watchmen;
    const entries = [...this.#world.timeline.entries()].filter(({ at }) => at >= this.#startedAt);
    return {
      story: this.#story,
      seed: this.#seed,
      startedAt: this.#startedAt,
      lastedMs,
      timers: this.#world.clock.fired,
      entries: renumber(entries),
      verdicts: [
        ...this.#teller.verdicts,
        ...this.#judge.conclude(lastedMs),
        ...findings.filter(isViolation).map((finding) => this.#verdictOf(finding)),
      ],
      findings,
      ends: endsOf(this.#witness.watchmen.scene),
    };
  }

  #verdictOf({ checker, about, says, at }: Finding): Verdict {
    const atMs = Math.max(0, at - this.#startedAt);
    return {
      expectation: `${checker} holds`,
      place: { line: 1, column: 1 },
      passed: false,
      atMs,
      why: `${about}: ${says}`,
    };
  }

  dispose(): void {
    this.#world.dispose();
  }
}

function endsOf(scene: Scene): StoryRun['ends'] {
  const claims = [...scene.all(PersistentVolumeClaims)].map((claim) => ({
    object: `pvc/${shortKey(claim)}`,
    state: claim.status?.phase ?? 'Pending',
  }));
  const pods = [...scene.all(Pods)].map(({ metadata, spec, status }) => {
    const state = metadata.deletionTimestamp === undefined ? (status.phase ?? 'Pending') : 'Terminating';
    return {
      object: `pod/${shortKey({ metadata })}`,
      state: (spec.nodeName ?? '') === '' ? state : `${state} on ${spec.nodeName ?? ''}`,
    };
  });
  return [...claims, ...pods];
}

const shortKey = (object: Pick<KubeObject, 'metadata'>): string => keyOf(object).replace(/^default\//, '');
const isViolation = ({ severity }: Finding): boolean => severity === 'violation';

/** What is over at once is told once. */
function recordFaults(theWorld: () => SimulatedWorld): (change: 'begins' | 'ends', fault: Fault) => void {
  const began = new Map<Fault, number>();
  return (change, fault) => {
    const { clock, timeline } = theWorld();
    const at = clock.now();
    const isSudden = change === 'ends' && began.get(fault) === at;
    if (change === 'begins') began.set(fault, at);
    if (isSudden) return;
    const detail = JSON.stringify(fault);
    timeline.record({ at, actor: STORYTELLER, verb: change, kind: 'Fault', key: fault.type, detail, because: null });
  };
}

/** Numbers from one; what was caused by the setup has no cause in the story. */
function renumber(entries: readonly NumberedEntry[]): readonly NumberedEntry[] {
  const first = entries[0]?.number ?? 1;
  return entries.map((entry) => ({
    ...entry,
    number: entry.number - first + 1,
    because: entry.because === null || entry.because < first ? null : entry.because - first + 1,
  }));
}
