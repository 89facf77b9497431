import type { DurationMs } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';

export interface WorkQueue<K> {
  add(key: K, reason: Reason): void;
  addAfter(key: K, delay: DurationMs, reason: Reason): void;
  /** Adds after this key's own backoff; `forget` resets it. */
  addRateLimited(key: K, reason: Reason): void;
  forget(key: K): void;
  /** With the reason that queued the key first; those that came while it waited are dropped. */
  take(signal: AbortSignal): Promise<{ readonly key: K; readonly reason: Reason }>;
  done(key: K): void;
}
