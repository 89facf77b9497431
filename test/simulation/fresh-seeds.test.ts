// Five hundred seeds that no run has seen before, in two files for two processors; this is the first half.
import { describe } from 'vitest';
import { holdFreshSeeds } from './hold-seeds.ts';

describe('fresh seeds, first half', () => holdFreshSeeds({ from: 0, count: 250 }));
