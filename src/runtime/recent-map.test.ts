import { describe, expect, it } from 'vitest';
import { RecentMap } from './recent-map.ts';

describe('RecentMap', () => {
  it('P-RT-35 more than it holds -> what was used longest ago is forgotten', () => {
    const map = new RecentMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  });

  it('P-RT-35 values that say nothing any more -> they go with the next one that comes, up to the first that does', () => {
    const spent = new Set<number>();
    const map = new RecentMap<string, number>(10, (value) => spent.has(value));
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, index);
    for (const value of [0, 1, 3, 4]) spent.add(value);
    map.set('e', 4);
    expect([map.get('a'), map.get('b'), map.get('c'), map.get('d'), map.get('e')]).toEqual([
      undefined,
      undefined,
      2,
      3,
      4,
    ]);
  });
});
