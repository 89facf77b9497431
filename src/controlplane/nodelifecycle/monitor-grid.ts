// The instants at which a loop that runs every period would look, told to a loop that runs only when there is something
// to see. The next look is one period after the end of the last; looks that are left out take no time.
import type { DurationMs } from '../../base/clock.ts';

export class MonitorGrid {
  readonly #periodMs: DurationMs;
  #from: DurationMs = 0;

  constructor(periodMs: DurationMs) {
    this.#periodMs = periodMs;
  }

  /** A look ended now. */
  ended(now: DurationMs): void {
    this.#from = now + this.#periodMs;
  }

  /** The first look that is not before this instant. */
  lookAt(instant: DurationMs): DurationMs {
    if (instant <= this.#from) return this.#from;
    return this.#from + Math.ceil((instant - this.#from) / this.#periodMs) * this.#periodMs;
  }
}
