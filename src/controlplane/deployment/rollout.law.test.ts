// However late answers and changes come and whatever limits are set: a rolling update never has more pods than it may, nor
// fewer available ones, and comes to its end.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replicaSets } from '../../../test/workloads/replica-sets.ts';
import { podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { isPodActive, isPodReady } from '../../kube/pod-readiness.ts';
import { Deployments } from '../../kube/resources/deployment.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { deploymentController } from './deployment.ts';
import { maxSurgeOf, maxUnavailableOf } from './rollout-limits.ts';

const share = fc.oneof(
  fc.nat(6),
  fc.nat(100).map((percent) => `${percent}%`),
);
const isNothing = (value: number | string): boolean => Number.parseInt(String(value), 10) === 0;

describe('P-DEP-2 rollouts', () => {
  it('any size, limits and delays, the controller restarted -> within the limits at every moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.tuple(share, share).filter(([surge, unavailable]) => !isNothing(surge) || !isNothing(unavailable)),
        fc.tuple(fc.nat(15), fc.nat(40)),
        fc.option(fc.nat(200)),
        async (replicas, [maxSurge, maxUnavailable], [requestMs, watchMs], killAfterMs) => {
          const run = await workloadWorld([replicaSets()], { requestMs, watchMs });
          const kill = run.start(deploymentController());
          const deployment = await run.world.user.create(Deployments, {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'web', namespace: 'default' },
            spec: {
              replicas,
              selector: { matchLabels: { app: 'web' } },
              template: podTemplate('web'),
              strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
            },
          });
          await run.wait(5 * SECOND_MS);
          const body = { spec: { template: podTemplate('web', 'two') } };
          await run.world.user.patch(Deployments, 'default/web', { type: 'merge', body });
          for (let elapsed = 0; elapsed < 3000; elapsed += 10) {
            if (killAfterMs !== null && elapsed === Math.floor(killAfterMs / 10) * 10) {
              kill();
              await run.wait(requestMs);
              run.start(deploymentController());
            }
            await run.wait(10);
            const active = (await run.world.user.list(Pods)).items.filter(isPodActive);
            expect(active.length).toBeLessThanOrEqual(replicas + maxSurgeOf(deployment));
            expect(active.filter(isPodReady).length).toBeGreaterThanOrEqual(replicas - maxUnavailableOf(deployment));
          }
          await run.wait(20 * SECOND_MS);
          const { status } = await run.world.user.get(Deployments, 'default/web');
          expect(status).toMatchObject({ updatedReplicas: replicas, replicas, availableReplicas: replicas });
        },
      ),
      { numRuns: 12 },
    );
  });
});
