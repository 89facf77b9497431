import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
});
