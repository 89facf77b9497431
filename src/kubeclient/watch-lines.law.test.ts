import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WatchLines } from './watch-lines.ts';

describe('watch lines', () => {
  test('P-KC-9 lines cut anywhere, within a character too -> the lines', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 12 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
        const reader = new WatchLines();
        const read = edges.slice(1).flatMap((end, index) => reader.take(bytes.subarray(edges[index], end)));
        expect(read).toEqual(lines.map((each) => Buffer.from(each).toString('utf8')));
      }),
    );
  });
});
