import type { DurationMs } from '../../base/clock.ts';

/** Instants of elapsed time at which something periodic happens, without a timer for it. */
export class Grid {
  readonly #origin: DurationMs;
  readonly #periodMs: DurationMs;

  constructor(origin: DurationMs, periodMs: DurationMs) {
    this.#origin = origin;
    this.#periodMs = periodMs;
  }

  notBefore(instant: DurationMs): DurationMs {
    if (instant <= this.#origin) return this.#origin;
    return this.#origin + Math.ceil((instant - this.#origin) / this.#periodMs) * this.#periodMs;
  }

  after(instant: DurationMs): DurationMs {
    const point = this.notBefore(instant);
    return point > instant ? point : point + this.#periodMs;
  }
}
