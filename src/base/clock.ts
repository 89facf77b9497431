export type DurationMs = number & { readonly __unit?: 'duration-ms' };
export type InstantMs = number & { readonly __unit?: 'instant-ms' };

export interface Clock {
  /** Wall time. The only source of timestamps written into objects. May be stepped by a clock fault. */
  now(): InstantMs;
  /** Elapsed time. Never goes back; not comparable between nodes. */
  monotonic(): DurationMs;
  /** Runs `wake` once. Timers due at the same instant fire in the order they were set. `wake` may answer SETTLED. */
  after(delay: DurationMs, wake: () => unknown, options?: TimerOptions): Timer;
  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void>;
}
export interface TimerOptions {
  /** An idle heartbeat (lease renewal, status period): does not keep `advanceUntilQuiet` going. */
  readonly background?: boolean;
}
export interface Timer {
  readonly due: InstantMs;
  cancel(): void;
}
export interface VirtualClock extends Clock {
  /** Fires everything due up to `deadline`, settling all promises between two instants. */
  advanceTo(deadline: InstantMs): Promise<void>;
  /** Advances until only background timers are left, or `limit` is reached. */
  advanceUntilQuiet(limit: DurationMs): Promise<'quiet' | 'limit'>;
}

/**
 * What is answered by something that has happened to its end: it left no promise behind that is still to be settled. A
 * virtual instant of which all timers answer so needs no turn of the event loop. Answering anything else is always right.
 */
export const SETTLED: unique symbol = Symbol('settled');

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** What a sleep rejects with when its signal fires first. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
  constructor() {
    super('the wait was aborted');
  }
}

/** `Clock.sleep` for any clock that has `after`. */
export function sleepOn(
  clock: Pick<Clock, 'after'>,
  delay: DurationMs,
  signal?: AbortSignal,
  options?: TimerOptions,
): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(new Aborted());
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(new Aborted());
    };
    const wake = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const timer = clock.after(delay, wake, options);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** RFC 3339 in whole seconds, as object timestamps are written. */
export function timestamp(at: InstantMs): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 in microseconds, as leases and events are written. */
export function microTimestamp(at: InstantMs): string {
  return `${new Date(at).toISOString().slice(0, 23)}000Z`;
}
