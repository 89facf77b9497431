// How soon a key may be worked on again: the longer of its own exponential wait and an overall token bucket.
// Upstream: client-go:util/workqueue/default_rate_limiters.go, golang.org/x/time/rate.
import { type BackoffLimits, KeyedBackoff } from '../base/backoff.ts';
import { type Clock, type DurationMs, SECOND_MS } from '../base/clock.ts';

export interface BucketLimits {
  readonly qps: number;
  readonly burst: number;
}
export interface QueueLimits {
  readonly perKey: BackoffLimits;
  /** Over all keys of the queue; absent where upstream uses the per-key wait alone. */
  readonly overall?: BucketLimits;
}

/** client-go:util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter */
export const DEFAULT_QUEUE_LIMITS: QueueLimits = {
  perKey: { initialMs: 5, factor: 2, maxMs: 1000 * SECOND_MS },
  overall: { qps: 10, burst: 100 },
};

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

  #refill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) / SECOND_MS) * this.#limits.qps;
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + gained);
    this.#countedAt = now;
  }
}

/** The longest wait of both limits; each counts the call, whichever is longer. */
export class MaxOfLimiter<K> {
  readonly #perKey: KeyedBackoff<K>;
  readonly #overall: TokenBucket | undefined;

  constructor(clock: Clock, limits: QueueLimits) {
    this.#perKey = new KeyedBackoff(limits.perKey);
    this.#overall = limits.overall === undefined ? undefined : new TokenBucket(clock, limits.overall);
  }

  when(key: K): DurationMs {
    return Math.max(this.#perKey.failed(key), this.#overall?.reserve() ?? 0);
  }

  failures(key: K): number {
    return this.#perKey.failures(key);
  }

  forget(key: K): void {
    this.#perKey.forget(key);
  }
}
