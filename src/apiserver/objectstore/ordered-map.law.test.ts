import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { OrderedMap } from './ordered-map.ts';

const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${n}`);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('set' as const), key, value: fc.integer().map((n) => ({ n })) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const) }) },
);

const sorted = (model: ReadonlyMap<string, { n: number }>): readonly { n: number }[] =>
  [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

describe('OrderedMap', () => {
  it('any changes and forks -> every fork equals its own sorted Map', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat()), { minLength: 200, maxLength: 1200 }), (steps) => {
        const pairs = [{ map: new OrderedMap<{ n: number }>(), model: new Map<string, { n: number }>() }];
        for (const [each, choice] of steps) {
          const pair = pairs[choice % pairs.length];
          if (pair === undefined) continue;
          if (each.do === 'set') {
            expect(pair.map.set(each.key, each.value)).toBe(pair.model.get(each.key));
            pair.model.set(each.key, each.value);
          } else if (each.do === 'delete') {
            expect(pair.map.delete(each.key)).toBe(pair.model.get(each.key));
            pair.model.delete(each.key);
          } else if (pairs.length < 6) {
            pairs.push({ map: pair.map.fork(), model: new Map(pair.model) });
          }
        }
        for (const { map, model } of pairs) {
          expect(map.size).toBe(model.size);
          expect(map.values()).toEqual(sorted(model));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('any bounds -> exactly the keys between them, in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 300 }), key, key, (keys, from, to) => {
        const map = new OrderedMap<{ key: string }>();
        for (const each of keys) map.set(each, { key: each });
        const expected = keys.filter((each) => each >= from && each < to).sort();
        const seen: string[] = [];
        map.visit({ from, to }, (each) => seen.push(each.key) > 0);
        expect(seen).toEqual(expected);
      }),
    );
  });

  it('thousands of keys in and out again, with forks on the way -> every fork equals its own sorted Map', () => {
    const random = new SeededRandom('ordered map');
    const pairs = [{ map: new OrderedMap<{ n: number }>(), model: new Map<string, { n: number }>() }];
    for (let count = 0; count < 40_000; count++) {
      const pair = pairs[random.int(0, pairs.length)];
      if (pair === undefined) continue;
      if (count % 9000 === 8999) pairs.push({ map: pair.map.fork(), model: new Map(pair.model) });
      const each = `k${random.int(0, 6000)}`;
      // First more comes than goes, then the other way round: the tree grows three levels deep and shrinks again.
      if (random.chance(count < 25_000 ? 0.8 : 0.2)) {
        const value = { n: count };
        pair.map.set(each, value);
        pair.model.set(each, value);
      } else {
        pair.map.delete(each);
        pair.model.delete(each);
      }
    }
    for (const { map, model } of pairs) {
      expect(map.size).toBe(model.size);
      expect(map.values()).toEqual(sorted(model));
      expect([...model].every(([each, value]) => map.get(each) === value)).toBe(true);
    }
  });
});
