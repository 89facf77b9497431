// Seeds that no run has seen before: MOORING_SWEEP_SEED says where they begin, or else the time does, and the number is in
// the names of the tests. Left out on a developer's machine, where the fixed seeds have to do: it takes minutes.
import { describe, test } from 'vitest';
import { holdSeeds } from './hold-seeds.ts';

const COUNT = 500;
const given = process.env['MOORING_SWEEP_SEED'];
const isWanted = given !== undefined || process.env['CI'] === 'true';

describe('fresh seeds', () => {
  if (isWanted) holdSeeds(given === undefined ? Math.floor(Date.now() / 1000) : Number(given), COUNT);
  else test.skip('reason: only with CI=true or MOORING_SWEEP_SEED', () => undefined);
});
