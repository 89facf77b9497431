import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContext } from '../../../test/runtime/test-context.ts';
import { pollUntil } from './poll-until.ts';

const PERIOD_MS = 300;

describe('pollUntil', () => {
  it('P-KL-12 changes at random times -> ends when a question every period would have ended', async () => {
    const changes = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 });
    const doneAfter = fc.integer({ min: 0, max: 2500 });
    const timeout = fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(changes, doneAfter, timeout, async (noise, doneAt, timeoutMs) => {
        const { clock, signal } = testContext();
        const looks = new Set<() => void>();
        for (const at of [...noise, doneAt]) clock.after(at, () => looks.forEach((look) => look()));
        let endedAt: number | undefined;
        let isDone: boolean | undefined;
        const poll = pollUntil({
          clock,
          signal,
          periodMs: PERIOD_MS,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          isDone: () => clock.monotonic() >= doneAt,
          subscribe: (look) => (looks.add(look), () => void looks.delete(look)),
        });
        void poll.then((answer) => {
          endedAt = clock.monotonic();
          isDone = answer;
        });
        await clock.advanceTo(clock.now() + 10_000);
        const due = Math.ceil(doneAt / PERIOD_MS) * PERIOD_MS;
        // At the very instant of both, either may come first.
        if (timeoutMs === due) return;
        const isInTime = timeoutMs === undefined || due < timeoutMs;
        expect([endedAt, isDone]).toEqual(isInTime ? [due, true] : [timeoutMs, false]);
        expect(looks.size).toBe(0);
      }),
    );
  });

  it('the signal fires -> no answer', async () => {
    const { clock, signal, stop } = testContext();
    const poll = pollUntil({
      clock,
      signal,
      periodMs: PERIOD_MS,
      isDone: () => false,
      subscribe: () => () => undefined,
    });
    stop.abort();
    await expect(poll).rejects.toThrow();
  });
});
