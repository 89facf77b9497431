// Takes the steps of a story in its world: sends what a user would send, and begins and ends faults.
import { unreachable } from '../base/assert.ts';
import { SECOND_MS } from '../base/clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Draft } from '../kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../kube/object.ts';
import type { SimulatedWorld } from '../worlds/simulated.ts';
import type { ActiveFaults } from './faults/active-faults.ts';
import { NATURAL_MS } from './faults/fault.ts';
import type { Step, Story, Verdict } from './story.ts';
import { FileFault } from './yaml-reader.ts';

/** A step is an API call: it is answered within this, or the world is broken. */
const STEP_MS_MAX = 60 * SECOND_MS;
/** Who takes the steps of a story. */
export const STORYTELLER = 'story';

const SETUP_USER = { name: 'setup', groups: ['system:masters'] };

type FaultStep = Extract<Step, { readonly do: 'fault' }>;
type RequestStep = Exclude<Step, { readonly do: 'fault' }>;

export class Teller {
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
        this.#world.server.handle(
          {
            verb: 'create',
            resource,
            namespace: object.metadata.namespace,
            object,
            options: { fieldValidation: 'Strict' },
          },
          SETUP_USER,
        );
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
    return undefined;
  }

  /** The refusal, or undefined when the API did as it was told. */
  async #ask(step: RequestStep): Promise<string | undefined> {
    try {
      await this.#send(step);
      return undefined;
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#record(step, 'refused', error.message);
      return error.message;
    }
  }

  async #send(step: RequestStep): Promise<void> {
    const cluster = this.#world.as(STORYTELLER);
    switch (step.do) {
      case 'apply':
        return this.#apply(step.resource, step.object);
      case 'patch':
        await cluster.patch(
          step.target.resource,
          step.target.key,
          step.patch,
          step.subresource === undefined ? {} : { subresource: step.subresource },
        );
        return undefined;
      case 'delete':
        await cluster.delete(step.target.resource, step.target.key, step.force ? { gracePeriodSeconds: 0 } : {});
        return undefined;
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

  #begin({ fault, forMs }: FaultStep): void {
    this.#faults.begin(fault);
    const lastsMs = forMs ?? NATURAL_MS[fault.type];
    if (lastsMs !== undefined) this.#world.clock.after(lastsMs, () => this.#faults.end(fault));
  }

  #judgeAnswer(step: RequestStep, refusal: string | undefined): void {
    const { refused, place, mayBeRefused = false } = step;
    if ((refused === undefined && refusal === undefined) || mayBeRefused) return;
    const at = `the step at ${step.atMs / SECOND_MS}s`;
    const expectation = refused === undefined ? `${at} is accepted` : `${at} is refused: ${refused}`;
    const passed = refused !== undefined && refusal !== undefined && refusal.includes(refused);
    const why = passed ? '' : refusal === undefined ? 'it was accepted' : `it was refused: ${refusal}`;
    this.verdicts.push({ expectation, place, passed, atMs: step.atMs, why });
  }

  #record(step: RequestStep, verb: string, detail: string): void {
    const { kind, key } =
      step.do === 'apply'
        ? { kind: step.object.kind, key: keyFrom(step.object.metadata.namespace, step.object.metadata.name ?? '') }
        : { kind: step.target.resource.kind, key: step.target.key };
    this.#world.timeline.record({
      at: this.#world.clock.now(),
      actor: 'kube-apiserver',
      verb,
      kind,
      key,
      detail,
      because: null,
    });
  }
}
