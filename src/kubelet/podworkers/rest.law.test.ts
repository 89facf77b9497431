import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { Grid } from './grid.ts';
import { Rest } from './rest.ts';

describe('syncs that are not done', () => {
  it('P-KL-14 a rest that ends at any time -> the sync before and the sync after it are those of timers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.nat(20 * 60_000), fc.nat(999), async (seed, endsAt, phaseMs) => {
        const grid = new Grid(phaseMs, 1000);
        const drawn = (): ((from: number) => number) => {
          const random = new SeededRandom(seed);
          return (from) => grid.notBefore(from + 60_000 * (1 + 0.5 * random.fraction()));
        };
        const clock = new SteppedClock(0);
        const [synced, next] = [[] as number[], drawn()];
        const sync = (): void => {
          synced.push(clock.monotonic());
          clock.after(next(clock.monotonic()) - clock.monotonic(), sync);
        };
        clock.after(next(0), sync);
        await clock.advanceTo(endsAt + 2 * 60_000 * 1.5);
        const last = synced.findLast((at) => at <= endsAt);
        expect(new Rest(0, drawn()).endAt(endsAt)).toEqual({ last, due: synced.find((at) => at > endsAt) });
      }),
      { numRuns: 50 },
    );
  });
});
