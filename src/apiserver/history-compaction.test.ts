import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../base/clock.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { compactByTime } from './history-compaction.ts';

describe('history compaction', () => {
  it('P-API-20 time goes by -> what was there five minutes before is forgotten, every five minutes', async () => {
    const clock = new SteppedClock(0);
    const compacted: number[] = [];
    const store = { toldRevision: 3, compact: (revision: number) => void compacted.push(revision) };
    compactByTime(store, clock);
    store.toldRevision = 8;
    await clock.advanceTo(5 * MINUTE_MS - 1);
    expect(compacted).toEqual([]);
    await clock.advanceTo(5 * MINUTE_MS);
    store.toldRevision = 9;
    await clock.advanceTo(15 * MINUTE_MS);
    expect(compacted).toEqual([3, 8, 9]);
  });
});
