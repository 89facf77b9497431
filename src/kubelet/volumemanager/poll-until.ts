import { Aborted, type Clock, type DurationMs } from '../../base/clock.ts';

export interface Poll {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly periodMs: DurationMs;
  /** Absent: no limit. */
  readonly timeoutMs?: DurationMs;
  isDone(): boolean;
  /** Has `look` called whenever the answer may have changed; the answered function ends that. */
  subscribe(look: () => void): () => void;
}

/**
 * Asks at once and then at every period from now on, but only after a change: the instant at which it ends is the one at
 * which a periodic question would have ended. False if time was up first. Throws Aborted when the signal fires.
 */
export function pollUntil(poll: Poll): Promise<boolean> {
  const { clock, signal, periodMs, timeoutMs } = poll;
  if (signal.aborted) return Promise.reject(new Aborted());
  if (poll.isDone()) return Promise.resolve(true);
  const startedAt = clock.monotonic();
  return new Promise((resolve, reject) => {
    let next: { cancel(): void } | undefined;
    /** Elapsed time at the last question. */
    let askedAt = 0;
    const end = (finish: () => void): void => {
      next?.cancel();
      deadline?.cancel();
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = (): void => end(() => reject(new Aborted()));
    const ask = (): void => {
      next = undefined;
      askedAt = clock.monotonic() - startedAt;
      if (poll.isDone()) end(() => resolve(true));
    };
    const look = (): void => {
      if (next !== undefined) return;
      const elapsed = clock.monotonic() - startedAt;
      const point = Math.ceil(elapsed / periodMs) * periodMs;
      next = clock.after((point <= askedAt ? point + periodMs : point) - elapsed, ask);
    };
    const deadline = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => end(() => resolve(false)));
    const unsubscribe = poll.subscribe(look);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
