// Keys to be worked on, each at most once at a time. A key is in one of four places: ready (in line), processing (taken
// and not yet done), both dirty and processing (added while it is worked on: it goes in line when that is done), or
// nowhere. It may besides wait for a delayed add. What always holds: an add is followed by a take that starts after it.
// Upstream: client-go:util/workqueue/{queue,delaying_queue,rate_limiting_queue}.go.
import { assert } from '../base/assert.ts';
import { Aborted, type Clock, type DurationMs, type Timer } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';
import { Fifo } from './fifo.ts';
import { DEFAULT_QUEUE_LIMITS, MaxOfLimiter, type QueueLimits } from './rate-limiter.ts';

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

/** Distinct keys in line. A component with more has lost its way, and memory is not the place to find out. */
const QUEUE_LENGTH_MAX = 1_000_000;

export interface KeyedQueueOptions {
  readonly clock: Clock;
  /** Ends the queue: adds are ignored, takes end, waits are dropped. */
  readonly signal: AbortSignal;
  readonly limits?: QueueLimits;
  readonly lengthMax?: number;
}

interface Taken<K> {
  readonly key: K;
  readonly reason: Reason;
}
interface Taker<K> {
  readonly give: (taken: Taken<K>) => void;
  readonly fail: (error: Aborted) => void;
}
interface Waiting {
  readonly timer: Timer;
  readonly readyAt: DurationMs;
}

export class KeyedQueue<K> implements WorkQueue<K> {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #limiter: MaxOfLimiter<K>;
  readonly #lengthMax: number;
  /** Keys in line; all of them are dirty and none is processing. */
  readonly #ready = new Fifo<K>();
  /** Keys that need work, with the first reason given since they were last taken. */
  readonly #dirty = new Map<K, Reason>();
  /** Keys taken and not yet done. */
  readonly #processing = new Set<K>();
  /** Delayed adds, at most one a key: the earliest. */
  readonly #waiting = new Map<K, Waiting>();
  /** Takes that wait for a key; empty unless nothing is ready. */
  readonly #takers = new Set<Taker<K>>();

  constructor(options: KeyedQueueOptions) {
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#limiter = new MaxOfLimiter(options.clock, options.limits ?? DEFAULT_QUEUE_LIMITS);
    this.#lengthMax = options.lengthMax ?? QUEUE_LENGTH_MAX;
    options.signal.addEventListener('abort', () => this.#shutDown(), { once: true });
  }

  /** Keys in line. */
  get length(): number {
    return this.#ready.length;
  }

  add(key: K, reason: Reason): void {
    if (this.#signal.aborted || this.#dirty.has(key)) return;
    this.#dirty.set(key, reason);
    if (!this.#processing.has(key)) this.#lineUp(key);
  }

  addAfter(key: K, delay: DurationMs, reason: Reason): void {
    if (this.#signal.aborted) return;
    if (delay <= 0) return this.add(key, reason);
    const readyAt = this.#clock.monotonic() + delay;
    const known = this.#waiting.get(key);
    if (known !== undefined && known.readyAt <= readyAt) return;
    known?.timer.cancel();
    const timer = this.#clock.after(delay, () => {
      this.#waiting.delete(key);
      this.add(key, reason);
    });
    this.#waiting.set(key, { timer, readyAt });
  }

  addRateLimited(key: K, reason: Reason): void {
    this.addAfter(key, this.#limiter.when(key), reason);
  }

  /** How often the key was added rate limited since it was last forgotten. */
  failures(key: K): number {
    return this.#limiter.failures(key);
  }

  forget(key: K): void {
    this.#limiter.forget(key);
  }

  take(signal: AbortSignal): Promise<Taken<K>> {
    if (signal.aborted || this.#signal.aborted) return Promise.reject(new Aborted());
    const key = this.#ready.shift();
    if (key !== undefined) return Promise.resolve(this.#handOut(key));
    return signal === this.#signal ? this.#wait() : this.#waitUnless(signal);
  }

  done(key: K): void {
    assert(this.#processing.delete(key), 'a key that is done was taken');
    if (this.#dirty.has(key)) this.#lineUp(key);
  }

  #lineUp(key: K): void {
    const [taker] = this.#takers;
    if (taker !== undefined) {
      this.#takers.delete(taker);
      return taker.give(this.#handOut(key));
    }
    assert(this.#ready.length < this.#lengthMax, `a queue holds at most ${this.#lengthMax} keys`);
    this.#ready.push(key);
  }

  #handOut(key: K): Taken<K> {
    const reason = this.#dirty.get(key);
    assert(reason !== undefined, 'a key in line is dirty');
    assert(!this.#processing.has(key), 'a key is worked on once at a time');
    this.#dirty.delete(key);
    this.#processing.add(key);
    return { key, reason };
  }

  #wait(): Promise<Taken<K>> {
    return new Promise((give, fail) => this.#takers.add({ give, fail }));
  }

  #waitUnless(signal: AbortSignal): Promise<Taken<K>> {
    return new Promise((resolve, reject) => {
      const taker: Taker<K> = {
        give: (taken) => {
          signal.removeEventListener('abort', onAbort);
          resolve(taken);
        },
        fail: reject,
      };
      const onAbort = (): void => {
        this.#takers.delete(taker);
        reject(new Aborted());
      };
      this.#takers.add(taker);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #shutDown(): void {
    for (const waiting of this.#waiting.values()) waiting.timer.cancel();
    this.#waiting.clear();
    for (const taker of this.#takers) taker.fail(new Aborted());
    this.#takers.clear();
  }
}
