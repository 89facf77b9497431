// The same seeds in every run of the tests. The other half is in more-fixed-seeds.test.ts, for a second processor.
import { describe } from 'vitest';
import { holdSeeds } from './hold-seeds.ts';

describe('fixed seeds, first half', () => {
  holdSeeds(1, 100);
});
