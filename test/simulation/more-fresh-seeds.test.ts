import { describe } from 'vitest';
import { holdFreshSeeds } from './hold-seeds.ts';

describe('fresh seeds, second half', () => holdFreshSeeds({ from: 250, count: 250 }));
