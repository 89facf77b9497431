import { expect, test } from 'vitest';
import { readFigures, renderReport } from './report.ts';

const circumstances = {
  command: 'npm run long',
  date: '2026-11-15',
  commit: 'ab12cd3',
  machine: '2 cores',
  node: 'v20.20.2',
};

test('runs with figures, one of them failed -> one page that says both', () => {
  const page = renderReport(circumstances, [
    { program: 'sweep', seconds: 61.4, failed: false, figures: [{ name: 'seeds', value: '100 000' }] },
    { program: 'outage', seconds: 2, failed: true, figures: [] },
  ]);
  expect(page).toMatchInlineSnapshot(`
    "# Full-size runs

    Written by \`npm run long\`; not edited by hand.

    - date: 2026-11-15
    - commit: ab12cd3
    - machine: 2 cores
    - node: v20.20.2

    ## sweep

    Passed after 61 s.

    | figure | value |
    |---|---|
    | seeds | 100 000 |

    ## outage

    **Failed** after 2 s.
    "
  `);
});

test('the output of a run -> its figures, whatever else it prints', () => {
  expect(readFigures('seed 1\nfigure {"name":"seeds","value":3}\n')).toEqual([{ name: 'seeds', value: '3' }]);
});

test('a figure without a value -> an error that shows the line', () => {
  expect(() => readFigures('figure {"name":"seeds"}')).toThrow('not a figure: figure {"name":"seeds"}');
});
