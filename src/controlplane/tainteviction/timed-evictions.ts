// Evictions that wait for the end of a toleration, and those under way, at most one a pod name.
// kubernetes:pkg/controller/tainteviction/timed_workers.go
import type { DurationMs, Timer } from '../../base/clock.ts';
import type { ObjectKey } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { supervise } from '../../runtime/supervise.ts';

interface TimedEviction {
  /** Kept while the eviction that it began is under way; absent if the eviction began at once. */
  readonly timer?: Timer;
}

export interface TimedEvictionsOptions {
  readonly context: ComponentContext;
  /** A pod that was evicted stays noted, so that it is not evicted again for a toleration that ends. */
  readonly remembersEvictions: boolean;
  /** Returns whether the pod was deleted. */
  readonly evict: (key: ObjectKey, reason: Reason) => Promise<boolean>;
}

export class TimedEvictions {
  readonly #options: TimedEvictionsOptions;
  readonly #evictions = new Map<ObjectKey, TimedEviction>();

  constructor(options: TimedEvictionsOptions) {
    this.#options = options;
    options.context.signal.addEventListener('abort', () => this.#cancelAll(), { once: true });
  }

  /** A clock runs for the pod, or the eviction that it began. */
  isTimed(key: ObjectKey): boolean {
    return this.#evictions.get(key)?.timer !== undefined;
  }

  /** Changes nothing if there is an eviction of this pod already. */
  add(key: ObjectKey, delayMs: DurationMs, reason: Reason): void {
    const { clock, log, signal } = this.#options.context;
    if (this.#evictions.has(key) || signal.aborted) return;
    const begin = (): void => supervise(`eviction of pod ${key}`, this.#run(key, reason), log);
    if (delayMs > 0) this.#evictions.set(key, { timer: clock.after(delayMs, begin) });
    else {
      this.#evictions.set(key, {});
      begin();
    }
  }

  /** Returns whether a clock was running. An eviction under way goes on all the same. */
  cancel(key: ObjectKey): boolean {
    const eviction = this.#evictions.get(key);
    this.#evictions.delete(key);
    eviction?.timer?.cancel();
    return eviction?.timer !== undefined;
  }

  async #run(key: ObjectKey, reason: Reason): Promise<void> {
    const isDone = await this.#options.evict(key, reason);
    if (isDone && this.#options.remembersEvictions) this.#evictions.set(key, {});
    else this.#evictions.delete(key);
  }

  #cancelAll(): void {
    for (const { timer } of this.#evictions.values()) timer?.cancel();
    this.#evictions.clear();
  }
}
