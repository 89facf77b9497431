import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from './clock.ts';
import { TokenBucket } from './token-bucket.ts';
import { SteppedClock } from './virtual-clock.ts';

function setUp() {
  const clock = new SteppedClock(0);
  return { clock, bucket: new TokenBucket(clock, { qps: 10, burst: 3 }) };
}
const times = <T>(count: number, take: () => T): readonly T[] => Array.from({ length: count }, take);

describe('TokenBucket', () => {
  it('P-BASE-11 reservations -> the burst at once, then evenly, later ones behind earlier ones', async () => {
    const { clock, bucket } = setUp();
    expect(times(5, () => bucket.reserve())).toEqual([0, 0, 0, 100, 200]);
    await clock.advanceTo(150);
    expect(bucket.reserve()).toBeCloseTo(150);
    await clock.advanceTo(MINUTE_MS);
    expect(times(4, () => bucket.reserve())).toEqual([0, 0, 0, 100]);
  });

  it('P-BASE-11 tries -> the burst, then one for each token that came back, no debt', async () => {
    const { clock, bucket } = setUp();
    expect(times(5, () => bucket.tryTake())).toEqual([true, true, true, false, false]);
    await clock.advanceTo(99);
    expect(bucket.tryTake()).toBe(false);
    await clock.advanceTo(100);
    expect(times(2, () => bucket.tryTake())).toEqual([true, false]);
  });
});
