import { describe, expect, it } from 'vitest';
import { RecordedTimeline } from './timeline.ts';

const entry = (key: string, resourceVersion?: string) => ({
  at: 0,
  actor: 'user',
  verb: 'create',
  kind: 'Pod',
  key,
  because: null,
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
});

describe('RecordedTimeline', () => {
  it('P-RT-21 entries -> numbered from 1 without gaps, found by number and by the revision they made', () => {
    const timeline = new RecordedTimeline();
    const read: number[] = [];
    const reading = timeline.subscribe((each) => read.push(each.number));
    expect([timeline.record(entry('a', '7')), timeline.record(entry('b'))]).toEqual([1, 2]);
    reading.dispose();
    timeline.record(entry('c', '8'));
    expect(read).toEqual([1, 2]);
    expect([timeline.entryOf('7'), timeline.entryOf('8'), timeline.entryOf('9')]).toEqual([1, 3, null]);
    expect(timeline.get(2)?.key).toBe('b');
    expect([...timeline.entries()].map((each) => each.key)).toEqual(['a', 'b', 'c']);
  });

  it('P-RT-21 more entries than the limit -> the oldest are dropped with their revisions, numbers go on', () => {
    const timeline = new RecordedTimeline(2);
    for (const [index, key] of ['a', 'b', 'c'].entries()) timeline.record(entry(key, String(index + 1)));
    expect([...timeline.entries()].map((each) => each.number)).toEqual([2, 3]);
    expect([timeline.entryOf('1'), timeline.entryOf('2')]).toEqual([null, 2]);
    expect(timeline.get(1)).toBeUndefined();
  });
});
