import { describe } from 'vitest';
import { holdSeeds } from './hold-seeds.ts';

describe('fixed seeds, second half', () => {
  holdSeeds(101, 100);
});
