import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { ScaledClock } from './scaled-clock.ts';
import { SteppedClock } from './virtual-clock.ts';

const START = Date.UTC(2026, 0, 1);
const SPEED = 60;

/** A timer: when it is due, which of its neighbours it cancels, and how long after it another follows. */
const timer = fc.record({
  delay: fc.nat(2000),
  background: fc.boolean(),
  cancels: fc.option(fc.nat(20), { nil: undefined }),
  follows: fc.option(fc.nat(500), { nil: undefined }),
});

function play(clock: Clock, timers: readonly (typeof timer extends fc.Arbitrary<infer T> ? T : never)[]): string[] {
  const seen: string[] = [];
  const set = timers.map(({ delay, background, cancels, follows }, index) =>
    clock.after(
      delay,
      () => {
        seen.push(`${clock.now() - START} ${index}`);
        if (cancels !== undefined) set[cancels]?.cancel();
        if (follows !== undefined) clock.after(follows, () => seen.push(`${clock.now() - START} after ${index}`));
      },
      { background },
    ),
  );
  return seen;
}

describe('ScaledClock', () => {
  it('P-BASE-13 any timers, any stalls of the real clock -> what a stepped clock fires, at the same instants', async () => {
    const stalls = fc.array(fc.double({ min: 0.1, max: 30, noNaN: true }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(timer, { maxLength: 12 }), stalls, async (timers, moves) => {
        let elapsed = 0;
        const set = new Map<object, { readonly at: number; readonly wake: () => void }>();
        const real: Clock = {
          now: () => 0,
          monotonic: () => elapsed,
          after: (delay, wake) => {
            const key = {};
            set.set(key, { at: elapsed + delay, wake });
            return { due: 0, cancel: () => void set.delete(key) };
          },
          sleep: () => Promise.resolve(),
        };
        const scaled = new ScaledClock({ real, speed: SPEED, startsAt: START });
        const stepped = new SteppedClock(START);
        const seen = play(scaled, timers);
        const expected = play(stepped, timers);
        for (const move of moves) {
          const before = scaled.now();
          elapsed += move;
          for (const [key, { at, wake }] of set) if (at <= elapsed && set.delete(key)) wake();
          // Each advance is a turn of the event loop, and the scaled clock needs one for each instant it plays.
          const reached = START + Math.floor(elapsed * SPEED);
          for (let turn = 0; turn < 40; turn++) await stepped.advanceTo(reached);
          expect(scaled.now()).toBe(stepped.now());
          expect(scaled.now()).toBeGreaterThanOrEqual(before);
          expect(seen).toEqual(expected);
        }
      }),
      { numRuns: 100 },
    );
  });
});
