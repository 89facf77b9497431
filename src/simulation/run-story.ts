// Plays a story: builds the world, lets it settle, takes the steps at their times and has every promise judged.
import { unreachable } from '../base/assert.ts';
import { type DurationMs, SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Draft } from '../kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../kube/object.ts';
import type { NumberedEntry } from '../runtime/timeline.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../worlds/simulated.ts';
import { ActiveFaults, type ProcessTable } from './faults/active-faults.ts';
import { Judge } from './judge.ts';
import type { Step, Story, Verdict } from './story.ts';
import { FileFault } from './yaml-reader.ts';

/** The cluster comes up before the story begins. */
const SETUP_MS = 30 * SECOND_MS;
/** A step is an API call: it is answered within this, or the world is broken. */
const STEP_MS_MAX = 60 * SECOND_MS;
/** Who takes the steps of a story. */
export const STORYTELLER = 'story';

const SETUP_USER = { name: 'setup', groups: ['system:masters'] };

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
  // The world makes its clock; faults that wait need the same one, so they ask for it when they act.
  const faults = new ActiveFaults(() => telling.world?.clock ?? new SteppedClock(startedAt), new SeededRandom(seed).fork('faults'));
  const world = new SimulatedWorld({
    shape: story.cluster,
    seed,
    aroundDriver: faults.aroundDriver,
    wrapAccess: (access) => faults.wrapAccess(access),
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
  return { story, seed, startedAt, entries: renumber(entries), verdicts: [...teller.verdicts, ...judge.conclude(story.lastsMs)] };
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

class Teller {
  /** Of steps whose answer was not the one the story names. */
  readonly verdicts: Verdict[] = [];
  readonly #world: SimulatedWorld;
  readonly #faults: ActiveFaults;
  readonly #startedAt: number;

  constructor(world: SimulatedWorld, faults: ActiveFaults, startedAt: number) {
    this.#world = world;
    this.#faults = faults;
    this.#startedAt = startedAt;
  }

  /** What the file puts there before the story; an object that the API refuses is a fault of the file. */
  lay({ file, manifests }: Story): void {
    for (const { resource, object, place } of manifests) {
      try {
        this.#world.server.handle({ verb: 'create', resource, namespace: object.metadata.namespace, object, options: { fieldValidation: 'Strict' } }, SETUP_USER);
      } catch (error) {
        if (!isApiError(error)) throw error;
        throw new FileFault(file, place, error.message);
      }
    }
  }

  async take(step: Step): Promise<void> {
    await this.#world.advanceTo(this.#startedAt + step.atMs);
    if (step.do === 'fault') return this.#begin(step);
    const answer = await this.#world.until(this.#ask(step), STEP_MS_MAX);
    this.#judgeAnswer(step, answer);
  }

  /** The refusal, or undefined when the API did as it was told. */
  async #ask(step: Exclude<Step, { readonly do: 'fault' }>): Promise<string | undefined> {
    try {
      await this.#send(step);
      return undefined;
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#record(step, 'refused', error.message);
      return error.message;
    }
  }

  async #send(step: Exclude<Step, { readonly do: 'fault' }>): Promise<void> {
    const cluster = this.#world.as(STORYTELLER);
    switch (step.do) {
      case 'apply':
        return this.#apply(step.resource, step.object);
      case 'patch':
        await cluster.patch(step.target.resource, step.target.key, step.patch, step.subresource === undefined ? {} : { subresource: step.subresource });
        return;
      case 'delete':
        await cluster.delete(step.target.resource, step.target.key, step.force ? { gracePeriodSeconds: 0 } : {});
        return;
      default:
        return unreachable(step);
    }
  }

  /** As kubectl applies: what is not there is created, what is there is patched. */
  async #apply(resource: Resource<KubeObject>, object: Draft<KubeObject>): Promise<void> {
    const cluster = this.#world.as(STORYTELLER);
    const { name } = object.metadata;
    const strict = { fieldValidation: 'Strict' as const };
    if (name === undefined || !(await this.#isThere(resource, keyFrom(object.metadata.namespace, name)))) {
      await cluster.create(resource, object, strict);
      return;
    }
    await cluster.patch(resource, keyFrom(object.metadata.namespace, name), { type: 'merge', body: object }, strict);
  }

  async #isThere(resource: Resource<KubeObject>, key: string): Promise<boolean> {
    try {
      await this.#world.as(STORYTELLER).get(resource, key);
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      throw error;
    }
  }

  #begin({ fault, forMs }: Extract<Step, { readonly do: 'fault' }>): void {
    const say = (verb: string): void => this.#recordFault(verb, fault.type, JSON.stringify(fault));
    say('begins');
    this.#faults.begin(fault, this.#processes());
    const lasts: DurationMs | undefined = forMs ?? (fault.type === 'component-restart' || fault.type === 'watch-drop' ? 0 : undefined);
    if (lasts === undefined) return;
    this.#world.clock.after(lasts, () => {
      if (lasts > 0) say('ends');
      this.#faults.end(fault, this.#processes());
    });
  }

  #processes(): ProcessTable {
    const world = this.#world;
    return {
      kill: (name) => world.kill(name),
      revive: (name) => world.revive(name),
      dropWatches: (actor) => world.access.dropWatches(actor),
    };
  }

  #judgeAnswer(step: Step, refusal: string | undefined): void {
    const { refused, place } = step;
    if (refused === undefined && refusal === undefined) return;
    const expectation = refused === undefined ? `the step at ${step.atMs / SECOND_MS}s is accepted` : `the step at ${step.atMs / SECOND_MS}s is refused: ${refused}`;
    const passed = refused !== undefined && refusal !== undefined && refusal.includes(refused);
    const why = passed ? '' : refusal === undefined ? 'it was accepted' : `it was refused: ${refusal}`;
    this.verdicts.push({ expectation, place, passed, atMs: step.atMs, why });
  }

  #record(step: Exclude<Step, { readonly do: 'fault' }>, verb: string, detail: string): void {
    const { kind, key } = step.do === 'apply' ? { kind: step.object.kind, key: keyFrom(step.object.metadata.namespace, step.object.metadata.name ?? '') } : { kind: step.target.resource.kind, key: step.target.key };
    this.#world.timeline.record({ at: this.#world.clock.now(), actor: 'kube-apiserver', verb, kind, key, detail, because: null });
  }

  #recordFault(verb: string, key: string, detail: string): void {
    this.#world.timeline.record({ at: this.#world.clock.now(), actor: STORYTELLER, verb, kind: 'Fault', key, detail, because: null });
  }
}
