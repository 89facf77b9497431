import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parsedExposition } from '../../../test/parsed-exposition.ts';
import { Durations } from './durations.ts';
import { exposition, valueText } from './exposition.ts';

const rows: readonly (readonly [number, string])[] = [
  [0, '0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [0.001, '0.001'],
  [0.0001, '0.0001'],
  [0.000_01, '1e-05'],
  [999_999, '999999'],
  [1_000_000, '1e+06'],
  [2_097_152, '2.097152e+06'],
  [1_794_769_751, '1.794769751e+09'],
  [1.152_921_504_606_847e18, '1.152921504606847e+18'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
];

describe('figures as text', () => {
  test.each(rows)('P-KL-17 the value %d -> %s, as recorded of Go programs', (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  it('P-KL-17 any number -> reads back the same', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => Number(valueText(value)) === value),
    );
  });

  it('P-KL-17 any label and help -> reads back the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true }), (text, value) => {
        const help = text.replaceAll('\n', ' ').trim();
        const samples = [{ labels: { namespace: text, pod: 'p' }, value }];
        const read = parsedExposition(exposition([{ name: 'a_b', help: `x ${help}`, type: 'gauge', samples }]));
        expect(read.get('a_b')?.samples).toEqual([{ name: 'a_b', ...samples[0] }]);
      }),
    );
  });

  it('P-KL-17 any durations -> buckets that add up', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 1_000_000 }))), (taken) => {
        const durations = new Durations('d_seconds', 'How long.');
        for (const [of, tookMs] of taken) durations.observe({ of }, tookMs);
        const { samples = [] } = parsedExposition(exposition([durations.family()])).get('d_seconds') ?? {};
        const counts = samples.filter(({ name }) => name === 'd_seconds_count');
        expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(taken.length);
      }),
    );
  });

  it('P-KL-17 a text that Prometheus refuses -> refused by the reader of these tests', () => {
    for (const text of ['a 1', 'a{b=c} 1\n', 'a 1\na 1\n', '# HELP a b\n# TYPE a gauge\nb 1\n', 'a one\n'])
      expect(() => parsedExposition(text)).toThrow();
  });
});
