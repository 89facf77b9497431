import { type Clock, type DurationMs, SECOND_MS } from '../base/clock.ts';
import type { ClientLimits } from '../kube/cluster.ts';

/** Client-side rate limit: `burst` requests at once, then `qps` a second, in the order they were asked for. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: ClientLimits;
  /** Negative when requests already wait for tokens to come. Never above burst. */
  #tokens: number;
  #filledAt: DurationMs;

  constructor(clock: Clock, limits: ClientLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Takes a token and says how long its bearer must wait. */
  reserve(): DurationMs {
    const { qps, burst } = this.#limits;
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / SECOND_MS) * qps) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / qps) * SECOND_MS;
  }
}
