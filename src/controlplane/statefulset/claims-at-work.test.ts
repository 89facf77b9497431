import { describe, expect, it } from 'vitest';
import { podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type StatefulSet, StatefulSets } from '../../kube/resources/stateful-set.ts';
import { statefulSetController } from './statefulset.ts';

const NAME = 'statefulset-controller';
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: 'fast',
};

const draft = (spec: Partial<Draft<StatefulSet>['spec']> = {}): Draft<StatefulSet> => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    serviceName: 'web',
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: podTemplate('web'),
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    ...spec,
  },
});

async function started(spec: Partial<Draft<StatefulSet>['spec']> = {}, slow: readonly string[] = []) {
  const run = await workloadWorld([statefulSetController()]);
  for (const name of slow) run.slow.add(name);
  const set = await run.world.user.create(StatefulSets, draft(spec));
  await run.wait(SECOND_MS);
  const writes = () => run.world.writesOf(NAME).map(({ text }) => text);
  const ownersOf = async (claim: string) => {
    const { metadata } = await run.world.user.get(PersistentVolumeClaims, `default/${claim}`);
    return (metadata.ownerReferences ?? []).map(({ kind, name, uid, controller }) => ({ kind, name, uid, controller }));
  };
  const scale = async (replicas: number) => {
    await run.world.user.patch(StatefulSets, 'default/web', { type: 'merge', body: { spec: { replicas } } });
    await run.wait(SECOND_MS);
  };
  const setOwner = { kind: 'StatefulSet', name: 'web', uid: set.metadata.uid, controller: true };
  return { ...run, writes, ownersOf, scale, setOwner };
}

describe('P-STS-4 claims', () => {
  it('a set with claims -> each before its pod, told in upstream’s words; scaling and deleting keep them', async () => {
    const run = await started();
    const made = run.writes().filter((text) => text.startsWith('create ') && !text.includes('controllerrevisions'));
    expect(made).toEqual([
      'create persistentvolumeclaims default/data-web-0',
      'create pods default/web-0',
      'create persistentvolumeclaims default/data-web-1',
      'create pods default/web-1',
    ]);
    expect(await run.world.events()).toEqual([
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Claim data-web-1 Pod web-1 in StatefulSet web success',
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Pod web-0 in StatefulSet web successful',
      'Normal SuccessfulCreate StatefulSet/default/web x1: Create Pod web-1 in StatefulSet web successful',
    ]);
    await run.scale(0);
    expect(await run.pods()).toEqual([]);
    expect(await run.claims()).toEqual(['data-web-0', 'data-web-1']);
    expect(await run.ownersOf('data-web-0')).toEqual([]);
  });

  it('pod deleted -> the new one has the same claim, which is not made again', async () => {
    const run = await started();
    await run.world.user.delete(Pods, 'default/web-0');
    await run.wait(SECOND_MS);
    const [volume] = (await run.pod('web-0')).spec.volumes ?? [];
    expect(volume?.persistentVolumeClaim?.claimName).toBe('data-web-0');
    expect(run.writes().filter((text) => text === 'create persistentvolumeclaims default/data-web-0')).toHaveLength(1);
  });

  it('the claim of a pod that waits is gone -> made again at the pod’s next word', async () => {
    const run = await started({ replicas: 1 }, ['web-0']);
    await run.world.user.delete(PersistentVolumeClaims, 'default/data-web-0');
    const body = { metadata: { annotations: { word: 'next' } } };
    await run.world.user.patch(Pods, 'default/web-0', { type: 'merge', body });
    await run.wait(SECOND_MS);
    expect(await run.claims()).toEqual(['data-web-0']);
  });

  it('a claim that is being deleted -> no pod over it, which is told, until it is gone', async () => {
    const run = await workloadWorld([statefulSetController()]);
    await run.world.user.create(PersistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-web-0', namespace: 'default', finalizers: ['example.com/hold'] },
      spec: claimSpec,
    });
    await run.world.user.delete(PersistentVolumeClaims, 'default/data-web-0');
    await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual([]);
    const [event] = await run.world.events();
    expect(event).toMatch(
      /^Warning FailedCreate StatefulSet\/default\/web x\d+: Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted$/,
    );
    await run.world.change(PersistentVolumeClaims, 'default/data-web-0', ({ metadata, ...claim }) => ({
      ...claim,
      metadata: { ...metadata, finalizers: [] },
    }));
    await run.wait(10 * SECOND_MS);
    expect(await run.pods()).toEqual(['web-0']);
  });
});

describe('P-STS-5 retention', () => {
  const policy = (whenScaled: string, whenDeleted: string) => ({
    persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
  });

  it('whenDeleted Delete -> the set owns the claims; back to Retain -> nobody does', async () => {
    const run = await started(policy('Retain', 'Delete'));
    expect(await run.ownersOf('data-web-0')).toEqual([run.setOwner]);
    expect(await run.ownersOf('data-web-1')).toEqual([run.setOwner]);
    await run.world.user.patch(StatefulSets, 'default/web', {
      type: 'merge',
      body: { spec: policy('Retain', 'Retain') },
    });
    await run.wait(SECOND_MS);
    expect(await run.ownersOf('data-web-0')).toEqual([]);
    expect(await run.world.events()).toContain(
      'Normal SuccessfulUpdate StatefulSet/default/web x1: Update Pod web-0 in StatefulSet web successful',
    );
  });

  it('whenScaled Delete, scaled down -> before it goes the pod owns its claim', async () => {
    const run = await started(policy('Delete', 'Delete'));
    expect(await run.ownersOf('data-web-1')).toEqual([run.setOwner]);
    const { uid } = (await run.pod('web-1')).metadata;
    run.dead.add('web-1');
    await run.scale(1);
    expect(await run.pods()).toEqual(['web-0', 'web-1 deleting']);
    expect(await run.ownersOf('data-web-1')).toEqual([{ kind: 'Pod', name: 'web-1', uid, controller: true }]);
    expect(await run.ownersOf('data-web-0')).toEqual([run.setOwner]);
  });

  it('P-STS-6 scaled down and up again -> the pod is made when its old claim is gone, over a new one', async () => {
    const run = await started(policy('Delete', 'Retain'));
    await run.scale(1);
    const [owner] = await run.ownersOf('data-web-1');
    expect(owner?.kind).toBe('Pod');
    await run.scale(2);
    expect(await run.pods()).toEqual(['web-0']);
    const { uid } = (await run.world.user.get(PersistentVolumeClaims, 'default/data-web-1')).metadata;
    // What the garbage collector does for the pod that is gone.
    await run.world.user.delete(PersistentVolumeClaims, 'default/data-web-1');
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual(['web-0', 'web-1']);
    expect((await run.world.user.get(PersistentVolumeClaims, 'default/data-web-1')).metadata.uid).not.toBe(uid);
  });

  it('another controller manages the claim -> left to it, and told', async () => {
    const run = await started({ replicas: 1 }, ['web-0']);
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other', controller: true };
    await run.world.change(PersistentVolumeClaims, 'default/data-web-0', ({ metadata, ...claim }) => ({
      ...claim,
      metadata: { ...metadata, ownerReferences: [other] },
    }));
    await run.world.user.patch(StatefulSets, 'default/web', {
      type: 'merge',
      body: { spec: policy('Retain', 'Delete') },
    });
    await run.wait(SECOND_MS);
    expect((await run.ownersOf('data-web-0')).map(({ name }) => name)).toEqual(['other']);
    expect((await run.world.events()).join('\n')).toContain('Warning ConflictingController StatefulSet/default/web');
  });

  it('the claim changed meanwhile -> its owner is set all the same, and the change stays', async () => {
    const run = await workloadWorld([statefulSetController()], { requestMs: 3, watchMs: 40 });
    await run.world.user.create(StatefulSets, draft({ replicas: 1, ...policy('Retain', 'Delete') }));
    run.slow.add('web-0');
    await run.wait(52);
    // The controller has just learned of the claim, and learns of this change too late.
    const body = { metadata: { annotations: { bound: 'yes' } } };
    await run.world.user.patch(PersistentVolumeClaims, 'default/data-web-0', { type: 'merge', body });
    await run.wait(10 * SECOND_MS);
    const { metadata } = await run.world.user.get(PersistentVolumeClaims, 'default/data-web-0');
    expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(['StatefulSet']);
    expect(metadata.annotations).toEqual({ bound: 'yes' });
    expect(run.world.logged).toEqual([]);
  });

  it('the owner is refused -> told as FailedUpdate, and tried again', async () => {
    const run = await workloadWorld([statefulSetController()], { watchMs: 40 });
    run.slow.add('web-0');
    await run.world.user.create(StatefulSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    await run.world.user.patch(StatefulSets, 'default/web', {
      type: 'merge',
      body: { spec: policy('Retain', 'Delete') },
    });
    await run.wait(20);
    // Another controller takes the claim, which is not known yet when the policy is.
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other', controller: true };
    await run.world.change(PersistentVolumeClaims, 'default/data-web-0', ({ metadata, ...claim }) => ({
      ...claim,
      metadata: { ...metadata, ownerReferences: [other] },
    }));
    await run.wait(SECOND_MS);
    const { metadata } = await run.world.user.get(PersistentVolumeClaims, 'default/data-web-0');
    expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']);
    expect((await run.world.events()).join('\n')).toMatch(
      /Warning FailedUpdate StatefulSet\/default\/web x\d+: Update Pod web-0 in StatefulSet web failed error: could not update claim data-web-0 for delete policy ownerRefs: /,
    );
  });
});
