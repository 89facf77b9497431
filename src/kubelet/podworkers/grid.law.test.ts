import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Grid } from './grid.ts';

const time = fc.integer({ min: 0, max: 1_000_000 });
const period = fc.integer({ min: 1, max: 90_000 });

describe('Grid', () => {
  it('P-KL-12 any instant -> the first point not before it, and the first after it', () => {
    fc.assert(
      fc.property(time, period, time, (origin, periodMs, instant) => {
        const grid = new Grid(origin, periodMs);
        const at = grid.notBefore(instant);
        expect((at - origin) % periodMs).toBe(0);
        expect(at).toBeGreaterThanOrEqual(Math.max(instant, origin));
        expect(at === origin || at - periodMs < instant).toBe(true);
        const next = grid.after(instant);
        expect(next).toBeGreaterThan(instant);
        expect(next).toBe(at > instant ? at : at + periodMs);
      }),
    );
  });
});
