// Seeds that once broke a promise, each for a reason of its own.
import { describe } from 'vitest';
import { holdSeeds } from './hold-seeds.ts';

describe('seeds that broke a promise', () => {
  // A mount before volumesInUse, after a boot.
  holdSeeds(368, 1);
  // An out-of-service taint that nobody took off.
  holdSeeds(1329, 1);
  // A kubelet that was restarted as a component.
  holdSeeds(2_000_605, 1);
  // CreateVolume made the disk after its caller gave up, and answered the next call with a final error.
  holdSeeds(29_913_292_494, 1);
});
