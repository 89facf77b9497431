// Makes a failing story small: leaves out steps as long as the story still fails in the same way, faults first, then
// simplifies the cluster. Delta debugging (Zeller and Hildebrandt): halves, then quarters, down to single steps.
import { MINUTE_MS } from '../../base/clock.ts';
import { parseDuration } from '../../kube/go-duration.ts';
import { type Failure, failureOf, play } from './sweep.ts';
import { type StepDocument, type StoryDocument, isFaultStep, milliseconds } from './story-document.ts';

/** Each run costs a fraction of a second; what is not small after so many stays as it is. */
const RUNS_MAX = 200;

export interface Minimised {
  readonly document: StoryDocument;
  readonly failure: Failure;
  readonly runs: number;
}

export interface MinimiseOptions {
  readonly runsMax?: number;
  /** What became of a story; undefined if nothing went wrong. */
  readonly judge?: (document: StoryDocument) => Promise<Failure | undefined>;
}

export async function minimise(
  document: StoryDocument,
  failure: Failure,
  options: MinimiseOptions = {},
): Promise<Minimised> {
  const hunt = new Hunt(document, failure, options);
  await hunt.thin(isFaultStep);
  await hunt.thin(() => true);
  await hunt.simplify();
  const { document: small, failure: left, runs } = hunt.result;
  const about = `${small.about} Made small; ${left.kind} fails: ${left.about} ${left.says}`;
  return { document: { ...small, about }, failure: left, runs };
}

/** Two failures are of one kind when they are about the same thing; uids are drawn anew in every variant. */
export function isAlike(one: Failure, other: Failure): boolean {
  return one.kind === other.kind && withoutUids(one.about) === withoutUids(other.about);
}

const withoutUids = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}/g, '…');

class Hunt {
  readonly #judge: (document: StoryDocument) => Promise<Failure | undefined>;
  readonly #runsMax: number;
  /** The smallest story known to fail, and how. */
  #smallest: StoryDocument;
  #failure: Failure;
  #runs = 0;

  constructor(document: StoryDocument, failure: Failure, { runsMax = RUNS_MAX, judge }: MinimiseOptions) {
    this.#smallest = document;
    this.#failure = failure;
    this.#runsMax = runsMax;
    this.#judge = judge ?? (async (each) => failureOf(await play(each)));
  }

  get result(): Minimised {
    return { document: this.#smallest, failure: this.#failure, runs: this.#runs };
  }

  /** Leaves out as many of the chosen steps as it can. */
  async thin(isChosen: (step: StepDocument) => boolean): Promise<void> {
    let parts = 2;
    for (;;) {
      const chosen = this.#smallest.steps.filter(isChosen);
      if (chosen.length === 0 || this.#runs >= this.#runsMax) return;
      const size = Math.max(1, Math.ceil(chosen.length / parts));
      if (await this.#leaveOutOne(chosen, size)) parts = Math.max(2, parts - 1);
      else if (size === 1) return;
      else parts = Math.min(chosen.length, parts * 2);
    }
  }

  async #leaveOutOne(chosen: readonly StepDocument[], size: number): Promise<boolean> {
    for (let from = 0; from < chosen.length; from += size) {
      const without = new Set(chosen.slice(from, from + size));
      const steps = this.#smallest.steps.filter((step) => !without.has(step));
      if (await this.#stillFails({ ...this.#smallest, steps })) return true;
    }
    return false;
  }

  async simplify(): Promise<void> {
    const lastStepMs = Math.max(0, ...this.#smallest.steps.map(({ at }) => parseDuration(at) ?? 0));
    await this.#stillFails({ ...this.#smallest, lasts: milliseconds(lastStepMs + MINUTE_MS) });
    const { cluster } = this.#smallest;
    await this.#stillFails({ ...this.#smallest, cluster: { ...cluster, settings: {} } });
    await this.#stillFails({ ...this.#smallest, cluster: { ...this.#smallest.cluster, zones: 1 } });
    for (;;) {
      const nodes = Number(this.#smallest.cluster['nodes']) - 1;
      const fewer = { ...this.#smallest, cluster: { ...this.#smallest.cluster, nodes } };
      if (nodes < 1 || !(await this.#stillFails(fewer))) return;
    }
  }

  async #stillFails(candidate: StoryDocument): Promise<boolean> {
    if (this.#runs >= this.#runsMax) return false;
    this.#runs++;
    const failure = await this.#judge(candidate);
    if (failure === undefined || !isAlike(failure, this.#failure)) return false;
    this.#smallest = candidate;
    this.#failure = failure;
    return true;
  }
}
