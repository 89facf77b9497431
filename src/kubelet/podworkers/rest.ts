import type { DurationMs } from '../../base/clock.ts';

/**
 * A pod whose syncs would find nothing new. They are not done, but their times are known: each follows from the one
 * before it by `next`, as it would from a sync that was done.
 */
export class Rest {
  readonly #next: (from: DurationMs) => DurationMs;
  #due: DurationMs;

  constructor(from: DurationMs, next: (from: DurationMs) => DurationMs) {
    this.#next = next;
    this.#due = next(from);
  }

  /** The last sync that is over by `now`, if there was one, and the first one after it. */
  endAt(now: DurationMs): { readonly last: DurationMs | undefined; readonly due: DurationMs } {
    let last: DurationMs | undefined;
    while (this.#due <= now) {
      last = this.#due;
      this.#due = this.#next(last);
    }
    return { last, due: this.#due };
  }
}
