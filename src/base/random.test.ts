import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom, type Random } from './random.ts';

const draw = (random: Random, count = 8): readonly number[] =>
  Array.from({ length: count }, () => random.int(0, 1 << 30));

describe('SeededRandom', () => {
  it('P-BASE-8 equal seeds -> equal numbers; different seeds -> different ones', () => {
    expect(draw(new SeededRandom(7))).toEqual(draw(new SeededRandom(7)));
    expect(draw(new SeededRandom(7))).not.toEqual(draw(new SeededRandom(8)));
  });

  it('P-BASE-8 a fork -> the same numbers however much its parent and its siblings were used', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (parentDraws, siblingDraws) => {
        const parent = new SeededRandom('seed');
        draw(parent, parentDraws);
        draw(parent.fork('sibling'), siblingDraws);
        expect(draw(parent.fork('mine'))).toEqual(draw(new SeededRandom('seed').fork('mine')));
      }),
    );
  });

  it('P-BASE-8 forks by different names or paths -> different numbers', () => {
    const root = new SeededRandom('seed');
    const streams = [root, root.fork('a'), root.fork('b'), root.fork('a').fork('b')].map((each) => draw(each).join());
    expect(new Set(streams).size).toBe(4);
  });

  it('draws -> stay in their bounds and spread over them', () => {
    const random = new SeededRandom('spread');
    const counts = [0, 0, 0, 0];
    for (let index = 0; index < 4000; index++) {
      const fraction = random.fraction();
      expect(fraction >= 0 && fraction < 1).toBe(true);
      const value = random.int(3, 7) - 3;
      counts[value] = (counts[value] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('chance and pick -> never, always, and each choice', () => {
    const random = new SeededRandom('pick');
    const picks = Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c']));
    expect(new Set(picks)).toEqual(new Set(['a', 'b', 'c']));
    expect(picks.some(() => random.chance(0))).toBe(false);
    expect(picks.every(() => random.chance(1))).toBe(true);
  });

  it('P-BASE-9 uids -> version 4 UUIDs, all different', () => {
    const random = new SeededRandom('uid');
    const uids = Array.from({ length: 1000 }, () => random.uid());
    for (const uid of uids)
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uids).size).toBe(1000);
  });
});
