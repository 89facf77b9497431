// However late answers and changes come, whatever is done to pods and controller: a set comes to rest with exactly its
// members, ready and at the revision that is asked for, and nothing was refused on the way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { StatefulSets } from '../../kube/resources/stateful-set.ts';
import { statefulSetController } from './statefulset.ts';

const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const blow = fc.record({
  afterMs: fc.integer({ min: 0, max: 150 }),
  ordinal: fc.nat(4),
  what: fc.constantFrom('delete', 'fail', 'restart', 'scale', 'roll'),
});

describe('P-STS-2 P-STS-12 rest', () => {
  it.each(['OrderedReady', 'Parallel'])(
    '%s: pods deleted and failed, scaled, rolled, controller restarted -> in the end all members',
    async (podManagementPolicy) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 20 }),
          fc.integer({ min: 0, max: 60 }),
          fc.array(blow, { maxLength: 10 }),
          async (requestMs, watchMs, blows) => {
            const run = await workloadWorld([], { requestMs, watchMs });
            let kill = run.start(statefulSetController());
            await run.world.user.create(StatefulSets, {
              apiVersion: 'apps/v1',
              kind: 'StatefulSet',
              metadata: { name: 'web', namespace: 'default' },
              spec: {
                serviceName: 'web',
                replicas: 3,
                podManagementPolicy,
                selector: { matchLabels: { app: 'web' } },
                template: podTemplate('web'),
                volumeClaimTemplates: [claimTemplate],
              },
            });
            let replicas = 3;
            let image = 'pause';
            const patch = (spec: object) =>
              run.world.user.patch(StatefulSets, 'default/web', { type: 'merge', body: { spec } });
            for (const { afterMs, ordinal, what } of blows) {
              await run.wait(afterMs);
              const names = (await run.world.user.list(Pods)).items.map(({ metadata }) => metadata.name);
              const name = `web-${ordinal}`;
              if (what === 'restart') {
                kill();
                await run.wait(requestMs);
                kill = run.start(statefulSetController());
              } else if (what === 'scale') {
                replicas = ordinal;
                await patch({ replicas });
              } else if (what === 'roll') {
                image = `image-${ordinal}`;
                await patch({ template: podTemplate('web', image) });
              } else if (names.includes(name)) {
                if (what === 'fail') await run.end(name, 'Failed');
                else await run.world.user.delete(Pods, `default/${name}`);
              }
            }
            await run.wait(60 * SECOND_MS);
            expect(await run.pods()).toEqual(Array.from({ length: replicas }, (_, index) => `web-${index}`));
            const { items } = await run.world.user.list(Pods);
            expect(items.every(({ spec }) => spec.containers[0]?.image === image)).toBe(true);
            const { status } = await run.world.user.get(StatefulSets, 'default/web');
            expect(status).toMatchObject({
              replicas,
              availableReplicas: replicas,
              currentRevision: status.updateRevision,
            });
            const warnings = run.world.logged.filter((line) => !line.startsWith('debug'));
            expect(warnings).toEqual([]);
          },
        ),
        { numRuns: 15 },
      );
    },
  );
});
