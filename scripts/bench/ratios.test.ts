import { expect, test } from 'vitest';
import { type Ratio, bestOf, judge, readRatios, worstOf } from './ratios.ts';

function ratio(name: string, value: number): Ratio {
  return { name, ratio: value, measured: '2 ms', against: '1 ms' };
}

test('a fifth worse than stored -> kept; more -> worse', () => {
  const types = judge([ratio('load', 2.4), ratio('watch', 2.41)], { load: 2, watch: 2 }).map((verdict) => verdict.type);
  expect(types).toEqual(['kept', 'worse']);
});

test('better than stored -> kept', () => {
  expect(judge([ratio('load', 1)], { load: 2 })).toMatchObject([{ type: 'kept', stored: 2 }]);
});

test('a ratio nobody stored, a stored one nobody measured -> both are named', () => {
  const verdicts = judge([ratio('new', 1)], { gone: 1 });
  expect(verdicts).toMatchObject([
    { type: 'not-stored', measured: { name: 'new' } },
    { type: 'not-measured', name: 'gone' },
  ]);
});

test('several runs -> the best of each ratio', () => {
  const best = bestOf([[ratio('load', 3), ratio('watch', 1)], [ratio('load', 2)]]);
  expect(best.map((each) => [each.name, each.ratio])).toEqual([
    ['load', 2],
    ['watch', 1],
  ]);
});

test('several runs to be stored -> the worst of each ratio', () => {
  const worst = worstOf([[ratio('load', 3), ratio('watch', 1)], [ratio('load', 2)]]);
  expect(worst.map((each) => each.ratio)).toEqual([3, 1]);
});

test('the output of a bench -> its ratios, whatever else it prints', () => {
  expect(readRatios(`warming up\nratio ${JSON.stringify(ratio('load', 2))}\n`)).toEqual([ratio('load', 2)]);
});

test('a ratio that is no number -> an error that shows the line', () => {
  expect(() => readRatios('ratio {"name":"load","ratio":null}')).toThrow(
    'not a ratio: ratio {"name":"load","ratio":null}',
  );
});
