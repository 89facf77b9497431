import type { Clock, DurationMs } from '../../base/clock.ts';

interface Rest {
  readonly since: DurationMs;
  readonly classUid: string;
}

/** Claims whose request the driver called infeasible: they rest, unless their class was made anew. csi-lib-utils:slowset */
export class SlowSet {
  readonly #clock: Clock;
  readonly #restMs: DurationMs;
  /** By claim uid. What has rested long enough is taken out at the next add. */
  readonly #resting = new Map<string, Rest>();

  constructor(clock: Clock, restMs: DurationMs) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  /** A claim that rests already rests no longer for it. */
  add(claimUid: string, classUid: string): void {
    for (const [uid, rest] of this.#resting) if (this.#left(rest) <= 0) this.#resting.delete(uid);
    if (!this.#resting.has(claimUid)) this.#resting.set(claimUid, { since: this.#clock.monotonic(), classUid });
  }

  isResting(claimUid: string, classUid: string | undefined): boolean {
    const rest = this.#resting.get(claimUid);
    if (rest === undefined || classUid === undefined) return false;
    if (rest.classUid !== classUid) {
      this.#resting.delete(claimUid);
      return false;
    }
    return this.#left(rest) > 0;
  }

  delete(claimUid: string): void {
    this.#resting.delete(claimUid);
  }

  #left({ since }: Rest): DurationMs {
    return this.#restMs - (this.#clock.monotonic() - since);
  }
}
