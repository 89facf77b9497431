import { type Clock, type DurationMs, SECOND_MS } from './clock.ts';

export interface BucketLimits {
  readonly qps: number;
  readonly burst: number;
}

/** Tokens that come back evenly. A reservation may go into debt and then says how long to wait. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: BucketLimits;
  /** As of #countedAt, at most the burst; below zero is debt. */
  #tokens: number;
  #countedAt: DurationMs;

  constructor(clock: Clock, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#countedAt = clock.monotonic();
  }

  /** Takes a token and returns the wait until it is there. */
  reserve(): DurationMs {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#limits.qps) * SECOND_MS;
  }

  /** Takes a token only if one is there. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** As good as a new one. */
  get isFull(): boolean {
    this.#refill();
    return this.#tokens === this.#limits.burst;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) / SECOND_MS) * this.#limits.qps;
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + gained);
    this.#countedAt = now;
  }
}
