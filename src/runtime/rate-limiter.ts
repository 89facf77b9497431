// How soon a key may be worked on again: the longer of its own exponential wait and an overall token bucket.
// Upstream: client-go:util/workqueue/default_rate_limiters.go, golang.org/x/time/rate.
import { type BackoffLimits, KeyedBackoff } from '../base/backoff.ts';
import { type Clock, type DurationMs, SECOND_MS } from '../base/clock.ts';
import { type BucketLimits, TokenBucket } from '../base/token-bucket.ts';

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
