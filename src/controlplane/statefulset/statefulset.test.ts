import { describe, expect, it } from 'vitest';
import { type WorkloadWorld, podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import { type StatefulSetSettings, statefulSetController } from './statefulset.ts';

const NAME = 'statefulset-controller';

type Spec = Partial<Draft<StatefulSet>['spec']>;

const draft = (spec: Spec = {}): Draft<StatefulSet> => ({
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

async function started(
  spec: Spec = {},
  options: { readonly slow?: readonly string[]; readonly settings?: StatefulSetSettings } = {},
) {
  const run = await workloadWorld([statefulSetController(options.settings)]);
  for (const name of options.slow ?? []) run.slow.add(name);
  await run.world.user.create(StatefulSets, draft(spec));
  await run.wait(SECOND_MS);
  return run;
}

const patch = async (run: WorkloadWorld, spec: object): Promise<void> => {
  await run.world.user.patch(StatefulSets, 'default/web', { type: 'merge', body: { spec } });
  await run.wait(SECOND_MS);
};
const statusOf = async ({ world }: WorkloadWorld) => (await world.user.get(StatefulSets, 'default/web')).status;
const podWrites = ({ world }: WorkloadWorld): readonly string[] =>
  world
    .writesOf(NAME)
    .map(({ text }) => text)
    .filter((text) => / pods /.test(text))
    .map((text) => text.replace(' pods default/', ' '));
const deletePod = ({ world }: WorkloadWorld, name: string, grace?: number) =>
  world.user.delete(Pods, `default/${name}`, grace === undefined ? {} : { gracePeriodSeconds: grace });

describe('P-STS-1 one pod of an identity at a time', () => {
  it.each(['OrderedReady', 'Parallel'])(
    'WL-01 %s, pod hangs in deletion for a day -> no other; its object gone -> made anew at once',
    async (podManagementPolicy) => {
      const run = await started({ podManagementPolicy });
      const { uid } = (await run.pod('web-1')).metadata;
      run.dead.add('web-1');
      await deletePod(run, 'web-1');
      await run.wait(24 * HOUR_MS);
      expect(await run.pods()).toEqual(['web-0', 'web-1 deleting', 'web-2']);
      expect(podWrites(run)).toEqual(['create web-0', 'create web-1', 'create web-2']);
      run.dead.delete('web-1');
      await deletePod(run, 'web-1', 0);
      await run.wait(SECOND_MS);
      expect(await run.pods()).toEqual(['web-0', 'web-1', 'web-2']);
      expect((await run.pod('web-1')).metadata.uid).not.toBe(uid);
    },
  );

  it('in order, a pod hangs in deletion -> no later ordinal is made either', async () => {
    const run = await started();
    run.dead.add('web-1');
    await deletePod(run, 'web-1');
    await patch(run, { replicas: 4 });
    expect(await run.pods()).toEqual(['web-0', 'web-1 deleting', 'web-2']);
  });

  it('Parallel, a pod hangs in deletion -> later ordinals are made', async () => {
    const run = await started({ podManagementPolicy: 'Parallel' });
    run.dead.add('web-1');
    await deletePod(run, 'web-1');
    await patch(run, { replicas: 4 });
    expect(await run.pods()).toEqual(['web-0', 'web-1 deleting', 'web-2', 'web-3']);
  });

  it('P-STS-14 a pod hangs in deletion -> the wait for it stands once on the timeline', async () => {
    const run = await started();
    run.dead.add('web-1');
    await deletePod(run, 'web-1');
    await run.wait(HOUR_MS);
    const waits = [...run.world.timeline.entries()].filter(({ actor, verb }) => actor === NAME && verb === 'waits');
    expect(waits.map(({ key, detail }) => `${key}: ${detail ?? ''}`).at(-1)).toBe('default/web: pod web-1 to be gone');
    expect(waits.filter(({ detail }) => detail === 'pod web-1 to be gone')).toHaveLength(1);
  });
});

describe('P-STS-2 in order', () => {
  it('the first is not ready -> the second is not made; ready -> one after the other', async () => {
    const run = await started({}, { slow: ['web-0', 'web-1'] });
    expect(await run.pods()).toEqual(['web-0 pending']);
    await run.makeReady('web-0');
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual(['web-0', 'web-1 pending']);
    await run.makeReady('web-1');
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual(['web-0', 'web-1', 'web-2']);
  });

  it('scaled to none -> from the highest down, each when the one above is gone', async () => {
    const run = await started();
    run.dead.add('web-1');
    await patch(run, { replicas: 0 });
    expect(await run.pods()).toEqual(['web-0', 'web-1 deleting']);
    await deletePod(run, 'web-1', 0);
    await run.wait(SECOND_MS);
    expect(podWrites(run).slice(3)).toEqual(['delete web-2', 'delete web-1', 'delete web-0']);
    expect(await statusOf(run)).toMatchObject({ replicas: 0, availableReplicas: 0 });
  });

  it('minReadySeconds -> the next is made when the one before has been ready for so long', async () => {
    const run = await started({ minReadySeconds: 10, replicas: 2 });
    expect(await run.pods()).toEqual(['web-0']);
    expect(await statusOf(run)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await run.wait(8 * SECOND_MS);
    expect(await run.pods()).toEqual(['web-0']);
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual(['web-0', 'web-1']);
    await run.wait(10 * SECOND_MS);
    expect(await statusOf(run)).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
  });

  it('ordinals start at 5 -> names from 5 on; moved down -> the upper one goes when the lower is there', async () => {
    const run = await started({ ordinals: { start: 5 }, replicas: 2 });
    expect(await run.pods()).toEqual(['web-5', 'web-6']);
    await patch(run, { ordinals: { start: 4 } });
    expect(await run.pods()).toEqual(['web-4', 'web-5']);
    expect(podWrites(run).slice(2)).toEqual(['create web-4', 'delete web-6']);
  });
});

describe('P-STS-3 Parallel', () => {
  it('no pod becomes ready -> all are made at once; scaled down -> all go at once', async () => {
    const names = ['web-0', 'web-1', 'web-2', 'web-3'];
    const run = await started({ podManagementPolicy: 'Parallel', replicas: 4 }, { slow: names });
    expect(await run.pods()).toEqual(names.map((name) => `${name} pending`));
    for (const name of names) run.dead.add(name);
    await patch(run, { replicas: 1 });
    expect(await run.pods()).toEqual(['web-0 pending', ...names.slice(1).map((name) => `${name} deleting pending`)]);
  });
});

describe('P-STS-7 a pod that ended', () => {
  it.each(['Failed', 'Succeeded'] as const)('%s -> deleted and made again, which both are told', async (phase) => {
    const run = await started();
    const { uid } = (await run.pod('web-1')).metadata;
    await run.end('web-1', phase);
    await run.wait(SECOND_MS);
    // The server writes the end of a pod that has ended in two steps: the mark and the removal.
    expect(podWrites(run).slice(3)).toEqual(['delete web-1', 'delete web-1', 'create web-1']);
    expect((await run.pod('web-1')).metadata.uid).not.toBe(uid);
    expect(await run.world.events()).toEqual([
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Pod web-0 in StatefulSet web successful',
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Pod web-2 in StatefulSet web successful',
      'Normal SuccessfulCreate StatefulSet/default/web x2: Create Pod web-1 in StatefulSet web successful',
      'Normal SuccessfulDelete StatefulSet/default/web x1: Delete Pod web-1 in StatefulSet web successful',
    ]);
  });

  it('before 1.31 -> announced; before 1.35 -> verbs in small letters', async () => {
    const run = await started({ replicas: 1 }, { settings: { profile: '1.30' } });
    await run.end('web-0', 'Failed');
    await run.wait(SECOND_MS);
    expect(await run.world.events()).toEqual([
      'Normal SuccessfulCreate StatefulSet/default/web x2: create Pod web-0 in StatefulSet web successful',
      'Normal SuccessfulDelete StatefulSet/default/web x1: delete Pod web-0 in StatefulSet web successful',
      'Warning RecreatingFailedPod StatefulSet/default/web x1: StatefulSet default/web is recreating failed Pod web-0',
    ]);
  });
});

describe('P-STS-8 updates', () => {
  const two = { template: podTemplate('web', 'two') };
  const images = async ({ world }: WorkloadWorld) => {
    const { items } = await world.user.list(Pods);
    return items.map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image ?? ''}`).toSorted();
  };

  it('new template -> from the highest down, one at a time; then the new revision is current', async () => {
    const run = await started({}, { slow: [] });
    run.slow.add('web-1');
    await patch(run, two);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 two', 'web-2 two']);
    const { currentRevision, updateRevision } = await statusOf(run);
    expect(currentRevision).not.toBe(updateRevision);
    expect(await statusOf(run)).toMatchObject({
      replicas: 3,
      currentReplicas: 1,
      updatedReplicas: 2,
      readyReplicas: 2,
    });
    await run.makeReady('web-1');
    await run.wait(SECOND_MS);
    expect(podWrites(run).slice(3)).toEqual([
      'delete web-2',
      'create web-2',
      'delete web-1',
      'create web-1',
      'delete web-0',
      'create web-0',
    ]);
    expect(await statusOf(run)).toMatchObject({
      currentRevision: updateRevision,
      updateRevision,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
  });

  it('Parallel -> one at a time all the same', async () => {
    const run = await started({ podManagementPolicy: 'Parallel' });
    run.slow.add('web-2');
    await patch(run, two);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 pause', 'web-2 two']);
  });

  it('partition 2 -> only ordinals from 2 on; a pod below comes back as it was', async () => {
    const run = await started({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await patch(run, two);
    await deletePod(run, 'web-0');
    await run.wait(SECOND_MS);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 pause', 'web-2 two']);
    await patch(run, { updateStrategy: { rollingUpdate: { partition: 0 } } });
    expect(await images(run)).toEqual(['web-0 two', 'web-1 two', 'web-2 two']);
  });

  it('OnDelete -> nothing, until a pod is deleted', async () => {
    const run = await started({ updateStrategy: { type: 'OnDelete' } });
    await patch(run, two);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 pause', 'web-2 pause']);
    await deletePod(run, 'web-1');
    await run.wait(SECOND_MS);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 two', 'web-2 pause']);
  });

  it('the update does not become ready, the template is put back -> the broken pod stays as in real clusters', async () => {
    const run = await started();
    run.slow.add('web-2');
    await patch(run, two);
    await patch(run, { template: podTemplate('web') });
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 pause', 'web-2 two']);
    await deletePod(run, 'web-2');
    run.slow.delete('web-2');
    await run.wait(MINUTE_MS);
    expect(await images(run)).toEqual(['web-0 pause', 'web-1 pause', 'web-2 pause']);
  });
});
