import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { testContext } from '../../test/runtime/test-context.ts';
import { every } from './every.ts';

describe('every', () => {
  it('P-RT-33 a period -> passes one period after the end of the last, failing or not, in the background, until the signal', async () => {
    const context = testContext();
    const { clock, lines, stop } = context;
    const at: number[] = [];
    every(context, {
      name: 'heartbeat',
      periodMs: 10 * SECOND_MS,
      pass: async () => {
        at.push(clock.monotonic() / SECOND_MS);
        if (at.length === 1) await clock.sleep(3 * SECOND_MS);
        if (at.length === 2) throw new Error('missed');
      },
    });
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    await clock.advanceTo(clock.now() + 40 * SECOND_MS);
    expect(at).toEqual([10, 23, 33]);
    expect(lines.map((line) => line.message)).toEqual(['heartbeat failed: missed']);
    stop.abort();
    await clock.advanceTo(clock.now() + MINUTE_MS);
    expect(at.length).toBe(3);
    expect(clock.pendingTimers).toBe(0);
  });
});
