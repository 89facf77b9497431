// What the controller keeps on the server (revisions), and what it may forget (everything else).
import { describe, expect, it } from 'vitest';
import { type WorkloadWorld, podTemplate, refused, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import { statefulSetController } from './statefulset.ts';

const NAME = 'statefulset-controller';

const draft = (spec: Partial<Draft<StatefulSet>['spec']> = {}): Draft<StatefulSet> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    serviceName: 'web',
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: podTemplate('web'),
    ...spec,
  },
});

const setImage = async (run: WorkloadWorld, image: string): Promise<void> => {
  const body = { spec: { template: podTemplate('web', image) } };
  await run.world.user.patch(StatefulSets, 'default/web', { type: 'merge', body });
  await run.wait(SECOND_MS);
};
const statusOf = async ({ world }: WorkloadWorld) => (await world.user.get(StatefulSets, 'default/web')).status;
const revisionsOf = async ({ world }: WorkloadWorld) => {
  const { items } = await world.user.list(ControllerRevisions);
  return items.toSorted((left, right) => left.revision - right.revision);
};

describe('P-STS-9 revisions', () => {
  it('templates one, two, one -> the first revision is used again as the third', async () => {
    const run = await workloadWorld([statefulSetController()]);
    await run.world.user.create(StatefulSets, draft());
    await run.wait(SECOND_MS);
    const { currentRevision: first } = await statusOf(run);
    await setImage(run, 'two');
    const { currentRevision: second } = await statusOf(run);
    expect(second).not.toBe(first);
    await setImage(run, 'pause');
    expect((await statusOf(run)).currentRevision).toBe(first);
    expect((await revisionsOf(run)).map(({ metadata, revision }) => [metadata.name, revision])).toEqual([
      [second, 2],
      [first, 3],
    ]);
  });

  it('history limit 1 -> of the revisions that nothing needs one is left', async () => {
    const run = await workloadWorld([statefulSetController()]);
    await run.world.user.create(StatefulSets, draft({ revisionHistoryLimit: 1, replicas: 1 }));
    await run.wait(SECOND_MS);
    for (const image of ['two', 'three', 'four']) await setImage(run, image);
    expect((await revisionsOf(run)).map(({ revision }) => revision)).toEqual([3, 4]);
  });

  it('the name of a revision is taken by other content -> another name, and the collision is counted', async () => {
    const trial = await workloadWorld([statefulSetController()]);
    await trial.world.user.create(StatefulSets, draft({ replicas: 0 }));
    await trial.wait(SECOND_MS);
    const taken = (await statusOf(trial)).updateRevision ?? '';

    const run = await workloadWorld([statefulSetController()]);
    await run.world.user.create(ControllerRevisions, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: taken, namespace: 'default' },
      data: { something: 'else' },
      revision: 1,
    });
    await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    const { updateRevision, collisionCount } = await statusOf(run);
    expect(updateRevision).not.toBe(taken);
    expect(collisionCount).toBe(1);
    expect(await run.pods()).toEqual(['web-0']);
  });
});

describe('P-STS-13 whose pods', () => {
  const orphan = (name: string, app: string) => ({
    apiVersion: 'v1' as const,
    kind: 'Pod' as const,
    metadata: { name, namespace: 'default', labels: { app } },
    spec: podTemplate(app).spec,
  });

  it('orphans with a member’s name -> adopted and given their identity; others -> left alone', async () => {
    const run = await workloadWorld([statefulSetController()]);
    for (const [name, app] of [
      ['web-0', 'web'],
      ['other-0', 'web'],
      ['web-1', 'other'],
    ] as const) {
      await run.world.user.create(Pods, orphan(name, app));
    }
    const set = await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    const { metadata } = await run.pod('web-0');
    expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([set.metadata.uid]);
    expect(metadata.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
    });
    expect((await run.pod('other-0')).metadata).not.toHaveProperty('ownerReferences');
    expect((await run.pod('web-1')).metadata).not.toHaveProperty('ownerReferences');
    expect(await run.world.events()).toContain(
      'Normal SuccessfulUpdate StatefulSet/default/web x1: Update Pod web-0 in StatefulSet web successful',
    );
  });

  it('a member loses its label -> let go; its name is taken, so nothing is made', async () => {
    const run = await workloadWorld([statefulSetController()]);
    await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    await run.world.user.patch(Pods, 'default/web-0', { type: 'merge', body: { metadata: { labels: { app: 'x' } } } });
    await run.wait(SECOND_MS);
    expect((await run.pod('web-0')).metadata).not.toHaveProperty('ownerReferences');
    expect(await statusOf(run)).toMatchObject({ replicas: 0 });
    expect((await run.world.events()).filter((event) => event.startsWith('Warning'))).toEqual([]);
    await run.world.user.delete(Pods, 'default/web-0');
    await run.wait(60 * SECOND_MS);
    expect((await run.pod('web-0')).metadata.ownerReferences).toHaveLength(1);
  });

  it('the set is being deleted -> it counts its pods and does nothing', async () => {
    const run = await workloadWorld([statefulSetController()]);
    const { metadata, ...set } = draft();
    await run.world.user.create(StatefulSets, { ...set, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await run.wait(SECOND_MS);
    await run.world.user.delete(StatefulSets, 'default/web');
    await run.world.user.delete(Pods, 'default/web-1');
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual(['web-0', 'web-2']);
    expect(await statusOf(run)).toMatchObject({ replicas: 2, readyReplicas: 2 });
  });

  it('pods cannot be made -> told, and tried again', async () => {
    let quota: Error | undefined = new Error('pods "web-0" is forbidden: exceeded quota');
    const controller = refused(statefulSetController(), (plural) => (plural === 'pods' ? quota : undefined));
    const run = await workloadWorld([controller]);
    await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual([]);
    expect((await run.world.events()).join('\n')).toMatch(
      /Warning FailedCreate StatefulSet\/default\/web x\d+: Create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: exceeded quota/,
    );
    quota = undefined;
    await run.wait(10 * SECOND_MS);
    expect(await run.pods()).toEqual(['web-0']);
  });
});

describe('P-STS-11 caches that lag', () => {
  it.each([
    [1, 50],
    [20, 1],
    [7, 300],
  ])(
    'answers after %d ms, changes after %d ms -> every object is written once, and nothing goes wrong',
    async (requestMs, watchMs) => {
      const run = await workloadWorld([statefulSetController()], { requestMs, watchMs });
      await run.world.user.create(
        StatefulSets,
        draft({
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        }),
      );
      await run.wait(30 * SECOND_MS);
      expect(await run.pods()).toEqual(['web-0', 'web-1', 'web-2']);
      const creates = run.world.writesOf(NAME).filter(({ text }) => text.startsWith('create '));
      expect(creates).toHaveLength(1 + 2 * 3);
      expect(run.world.logged).toEqual([]);
      expect((await run.world.events()).every((event) => event.includes(' x1: '))).toBe(true);
    },
  );
});

describe('P-STS-12 restart', () => {
  it.each([1, 3, 5, 8, 13, 21, 34, 55, 89])(
    'killed %d ms into an update, started again -> ends as if nothing had happened',
    async (killAfterMs) => {
      const run = await workloadWorld([], { requestMs: 2, watchMs: 3 });
      const kill = run.start(statefulSetController());
      await run.world.user.create(StatefulSets, draft());
      await run.wait(SECOND_MS);
      await run.world.user.patch(StatefulSets, 'default/web', {
        type: 'merge',
        body: { spec: { replicas: 4, template: podTemplate('web', 'two') } },
      });
      await run.wait(killAfterMs);
      kill();
      await run.wait(SECOND_MS);
      run.start(statefulSetController());
      await run.wait(5 * SECOND_MS);
      expect(await run.pods()).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
      const { updateRevision = '', ...status } = await statusOf(run);
      expect(status).toMatchObject({
        currentRevision: updateRevision,
        updatedReplicas: 4,
        readyReplicas: 4,
        replicas: 4,
      });
      expect((await revisionsOf(run)).map(({ revision }) => revision)).toEqual([1, 2]);
    },
  );
});
