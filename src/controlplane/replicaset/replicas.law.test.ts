// However late answers and changes come, whatever is done to pods: a set never has more active pods than it asks for, and
// comes to have exactly as many.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { isPodActive } from '../../kube/pod-readiness.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { replicaSetController } from './replicaset.ts';

const REPLICAS = 5;

const blow = fc.record({
  afterMs: fc.integer({ min: 0, max: 120 }),
  pod: fc.nat(REPLICAS - 1),
  what: fc.constantFrom('delete', 'fail', 'hang', 'restart'),
});

describe('P-RS-2 replicas', () => {
  it('pods deleted, failed and hanging, the controller restarted -> never too many, in the end as many as asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 60 }),
        fc.array(blow, { maxLength: 12 }),
        async (requestMs, watchMs, blows) => {
          const run = await workloadWorld([], { requestMs, watchMs });
          let kill = run.start(replicaSetController());
          await run.world.user.create(ReplicaSets, {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            metadata: { name: 'web', namespace: 'default' },
            spec: { replicas: REPLICAS, selector: { matchLabels: { app: 'web' } }, template: podTemplate('web') },
          });
          const active = async () => (await run.world.user.list(Pods)).items.filter(isPodActive);
          for (const { afterMs, pod, what } of blows) {
            await run.wait(afterMs);
            expect((await active()).length).toBeLessThanOrEqual(REPLICAS);
            const name = (await active())[pod]?.metadata.name;
            if (what === 'restart') {
              kill();
              await run.wait(requestMs);
              kill = run.start(replicaSetController());
            } else if (name !== undefined) {
              if (what === 'hang') run.dead.add(name);
              if (what === 'fail') await run.end(name, 'Failed');
              else await run.world.user.delete(Pods, `default/${name}`);
            }
          }
          await run.wait(20 * SECOND_MS);
          expect(await active()).toHaveLength(REPLICAS);
          const { status } = await run.world.user.get(ReplicaSets, 'default/web');
          expect(status).toMatchObject({ replicas: REPLICAS, readyReplicas: REPLICAS, availableReplicas: REPLICAS });
        },
      ),
      { numRuns: 20 },
    );
  });
});
