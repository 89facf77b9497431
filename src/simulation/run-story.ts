// Plays a story: builds the world, lets it settle, takes the steps at their times and has every promise judged.
import { SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import type { NumberedEntry } from '../runtime/timeline.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../worlds/simulated.ts';
import { ActiveFaults, type FaultStage } from './faults/active-faults.ts';
import type { Fault } from './faults/fault.ts';
import { Judge } from './judge.ts';
import type { Story, Verdict } from './story.ts';
import { STORYTELLER, Teller } from './teller.ts';

/** The cluster comes up before the story begins. */
const SETUP_MS = 30 * SECOND_MS;

export interface StoryRun {
  readonly story: Story;
  readonly seed: number;
  /** When the story began, in the world's time. */
  readonly startedAt: number;
  readonly entries: readonly NumberedEntry[];
  readonly verdicts: readonly Verdict[];
}

export async function runStory(story: Story, seed: number = story.seed): Promise<StoryRun> {
  const startedAt = SIMULATION_STARTS_AT + SETUP_MS;
  const judge = new Judge(story.expect);
  const telling = { world: undefined as SimulatedWorld | undefined };
  const theWorld = (): SimulatedWorld => {
    if (telling.world === undefined) throw new Error('the world is not built yet');
    return telling.world;
  };
  const faults = new ActiveFaults({
    stage: () => stageOf(theWorld()),
    random: new SeededRandom(seed).fork('faults'),
    onChange: recordFaults(theWorld),
  });
  const world = new SimulatedWorld({
    shape: story.cluster,
    seed,
    aroundDriver: faults.aroundDriver,
    wrapAccess: (access) => faults.wrapAccess(access),
    wrapClock: (clock, component) => faults.clockOf(component, clock),
    onCommit: ({ before, after }) => {
      const object = after ?? before;
      const now = telling.world?.clock.now() ?? startedAt;
      if (object !== undefined) judge.observe(object, after === undefined, Math.max(0, now - startedAt));
    },
  });
  telling.world = world;
  const teller = new Teller(world, faults, startedAt);
  try {
    world.start();
    teller.lay(story);
    await world.advanceTo(startedAt);
    for (const step of story.steps) await teller.take(step);
    await world.advanceTo(startedAt + story.lastsMs);
  } finally {
    world.dispose();
  }
  const entries = [...world.timeline.entries()].filter(({ at }) => at >= startedAt);
  return {
    story,
    seed,
    startedAt,
    entries: renumber(entries),
    verdicts: [...teller.verdicts, ...judge.conclude(story.lastsMs)],
  };
}

function stageOf(world: SimulatedWorld): FaultStage {
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
