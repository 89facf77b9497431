import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../test/workloads/makers.ts';
import { maxSurgeOf, maxUnavailableOf } from './rollout-limits.ts';

describe('P-DEP-2 maxSurgeOf, maxUnavailableOf', () => {
  it.each([
    ['shares: surge up, unavailable down', 10, '25%', '25%', 3, 2],
    ['numbers as they are', 10, 4, 1, 4, 1],
    ['both come to nothing -> one may be missing', 2, '0%', '1%', 0, 1],
    ['one replica, shares', 1, '25%', '25%', 1, 0],
    ['no surge', 3, 0, '50%', 0, 1],
    ['never more missing than there are', 2, 1, 5, 1, 2],
    ['no replicas', 0, '25%', '25%', 0, 0],
    ['everything at once', 4, '100%', '100%', 4, 4],
  ])('%s', (_situation, replicas, maxSurge, maxUnavailable, surge, unavailable) => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
    const deployment = aDeployment({ replicas, strategy });
    expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([surge, unavailable]);
  });

  it('Recreate -> neither', () => {
    const deployment = aDeployment({ strategy: { type: 'Recreate' } });
    expect([maxSurgeOf(deployment), maxUnavailableOf(deployment)]).toEqual([0, 0]);
  });
});
