import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { BIND_COMPLETED, SELECTED_NODE } from '../../volume/annotations.ts';
import { type TestWorld, testWorld } from '../../../test/scheduler/scheduler-world.ts';

const TAIL =
  ' no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';

function podDraft(name: string, spec: object = {}, claims: readonly string[] = []): Draft<Pod> {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'pause', resources: {} }], volumes, ...spec },
  };
}
const onNode = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });

function claimDraft(className: string, name = 'data'): Draft<PersistentVolumeClaim> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: className,
    },
  };
}

function volumeDraft(name: string, node: string): Draft<PersistentVolume> {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'wait',
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      local: { path: '/x' },
    },
  };
}

async function makeClass(
  world: TestWorld,
  provisioner: string,
  volumeBindingMode = 'WaitForFirstConsumer',
): Promise<void> {
  await world.make(StorageClasses, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'wait' },
    provisioner,
    volumeBindingMode,
  });
}

/** What the persistent volume controller does once a volume is there. */
async function bindClaim(world: TestWorld, volumeName: string): Promise<void> {
  const body = { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } }, spec: { volumeName } };
  await world.cluster.patch(PersistentVolumeClaims, 'default/data', { type: 'merge', body });
  const status = { status: { phase: 'Bound' } };
  const patch = { type: 'merge', body: status } as const;
  await world.cluster.patch(PersistentVolumeClaims, 'default/data', patch, { subresource: 'status' });
}

const scheduledCondition = (pod: Pod) => pod.status.conditions?.find(({ type }) => type === 'PodScheduled');

describe('scheduler', () => {
  it('P-SCH-2 pod without volumes -> bound at once, Scheduled by default-scheduler', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('web', onNode('n2')));
    await world.settle();
    expect((await world.pod('web')).spec.nodeName).toBe('n2');
    expect(await world.events('web')).toEqual(['Scheduled x1: Successfully assigned default/web to n2']);
    expect(world.elapsedMs()).toBe(0);
  });

  it('P-SCH-7 pod that fits nowhere -> condition and Event with the recorded text', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('web', { nodeSelector: { nowhere: 'x' } }));
    await world.settle();
    const message = `0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.${TAIL}`;
    expect(scheduledCondition(await world.pod('web'))).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message,
    });
    expect(await world.events('web')).toEqual([`FailedScheduling x1: ${message}`]);
  });

  it('P-SCH-7 claim missing, then there -> refused before any node, retried at once when it comes', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('user', {}, ['data']));
    await world.settle();
    const text = '0/3 nodes are available: persistentvolumeclaim "data" not found. not found';
    expect(scheduledCondition(await world.pod('user'))?.message).toBe(text);
    await makeClass(world, 'driver.test', 'Immediate');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.settle();
    expect(scheduledCondition(await world.pod('user'))?.message).toBe(
      '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    );
    expect(world.elapsedMs()).toBe(0);
  });

  it('P-SCH-7 cause changes while the pod does not -> condition rewritten, Event keeps the first text', async () => {
    const world = await testWorld();
    await makeClass(world, 'driver.test', 'Immediate');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', { nodeSelector: { nowhere: 'x' } }, ['data']));
    await world.settle();
    const unbound = '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';
    expect(await world.events('user')).toEqual([`FailedScheduling x1: ${unbound}`]);
    // The condition was written, so the next attempt is about another revision of the pod: a second Event.
    const touched = { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } } as const;
    await world.cluster.patch(PersistentVolumeClaims, 'default/data', touched);
    await world.settle();
    expect(await world.events('user')).toEqual([`FailedScheduling x1: ${unbound}`, `FailedScheduling x1: ${unbound}`]);
    await world.make(PersistentVolumes, { ...volumeDraft('v', 'n1') }, { phase: 'Bound' });
    await bindClaim(world, 'v');
    await world.settle();
    expect(scheduledCondition(await world.pod('user'))?.message).toMatch(/didn't match Pod's node affinity\/selector/);
    const [first, second] = await world.events('user');
    expect(first).toBe(`FailedScheduling x1: ${unbound}`);
    expect(second).toBe(`FailedScheduling x2: ${unbound}`);
  });

  it('P-SCH-7 same cause again -> the pod is not written again', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('web', { nodeSelector: { nowhere: 'x' } }));
    await world.settle();
    const before = (await world.pod('web')).metadata.resourceVersion;
    await world.advance(6 * MINUTE_MS);
    expect((await world.pod('web')).metadata.resourceVersion).toBe(before);
  });

  it('P-SCH-2 local volume on one node, nobody bound it -> pre-bound by the scheduler, pod follows when bound', async () => {
    const world = await testWorld();
    await makeClass(world, 'kubernetes.io/no-provisioner');
    await world.make(PersistentVolumes, volumeDraft('v', 'n3'), { phase: 'Available' });
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', {}, ['data']));
    await world.settle();
    const volume = await world.cluster.get(PersistentVolumes, 'v');
    const claim = await world.claim('data');
    expect(volume.spec.claimRef).toMatchObject({ name: 'data', namespace: 'default', uid: claim.metadata.uid });
    expect(volume.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
    await bindClaim(world, 'v');
    await world.advance(SECOND_MS - 1);
    const waiting = await world.pod('user');
    expect([waiting.spec.nodeName, waiting.status.nominatedNodeName]).toEqual([undefined, 'n3']);
    await world.advance(1);
    const bound = await world.pod('user');
    expect([bound.spec.nodeName, bound.status.nominatedNodeName]).toEqual(['n3', undefined]);
  });

  it('P-SCH-2 two pods want the same kind of local volume -> the second does not get the first one’s', async () => {
    const world = await testWorld();
    await makeClass(world, 'kubernetes.io/no-provisioner');
    await world.make(PersistentVolumes, volumeDraft('v', 'n3'), { phase: 'Available' });
    await world.make(PersistentVolumeClaims, claimDraft('wait', 'a'));
    await world.make(PersistentVolumeClaims, claimDraft('wait', 'b'));
    await world.make(Pods, podDraft('first', {}, ['a']));
    await world.make(Pods, podDraft('second', {}, ['b']));
    await world.settle();
    expect((await world.cluster.get(PersistentVolumes, 'v')).spec.claimRef?.name).toBe('a');
    expect(scheduledCondition(await world.pod('second'))?.message).toMatch(
      /^0\/3 nodes are available: 3 node\(s\) didn't find available persistent volumes to bind\./,
    );
  });

  it('T70 someone removes selected-node after 3 s -> provisioning failed, pod tried again after a back-off', async () => {
    const world = await testWorld();
    await makeClass(world, 'driver.test');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', onNode('n1'), ['data']));
    await world.settle();
    expect((await world.claim('data')).metadata.annotations?.[SELECTED_NODE]).toBe('n1');
    await world.advance(2.5 * SECOND_MS);
    expect([...world.timeline.entries()].map(({ verb, key, detail }) => [verb, key, detail])).toEqual([
      ['waits', 'default/user', 'PersistentVolumeClaim default/data to be provisioned and bound'],
    ]);
    const body = { metadata: { annotations: { [SELECTED_NODE]: null, other: 'x' } } };
    await world.cluster.patch(PersistentVolumeClaims, 'default/data', { type: 'merge', body });
    await world.advance(0.5 * SECOND_MS);
    const text = 'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"';
    const failed = await world.pod('user');
    expect(scheduledCondition(failed)).toMatchObject({ reason: 'SchedulerError', message: text });
    expect(failed.status.nominatedNodeName).toBeUndefined();
    expect(await world.events('user')).toEqual([`FailedScheduling x1: ${text}`]);
    expect((await world.claim('data')).metadata.annotations?.[SELECTED_NODE]).toBeUndefined();
    await world.advance(2 * SECOND_MS);
    expect((await world.claim('data')).metadata.annotations?.[SELECTED_NODE]).toBe('n1');
  });

  it('T71 nothing happens -> given up exactly after 600 s, selected-node stays', async () => {
    const world = await testWorld();
    await makeClass(world, 'driver.test');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', onNode('n1'), ['data']));
    await world.settle();
    await world.advance(600 * SECOND_MS - 1);
    expect(await world.events('user')).toEqual([]);
    await world.advance(1);
    expect(await world.events('user')).toEqual([
      'FailedScheduling x1: running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    ]);
    expect((await world.claim('data')).metadata.annotations?.[SELECTED_NODE]).toBe('n1');
  });

  it('T71 bindTimeoutSeconds is a setting -> used', async () => {
    const world = await testWorld({ settings: { bindTimeoutSeconds: 5 } });
    await makeClass(world, 'driver.test');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', {}, ['data']));
    await world.advance(5 * SECOND_MS);
    expect(await world.events('user')).toHaveLength(1);
  });

  it('P-SCH-2 pod deleted while its volume is provisioned -> its place is free at once', async () => {
    const world = await testWorld({ nodes: ['n1'] });
    await makeClass(world, 'driver.test');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    const large = { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '3' } } }] };
    await world.make(Pods, podDraft('first', large, ['data']));
    await world.make(Pods, podDraft('second', large));
    await world.settle();
    expect(scheduledCondition(await world.pod('second'))?.message).toMatch(/1 Insufficient cpu/);
    await world.cluster.delete(Pods, 'default/first', { gracePeriodSeconds: 0 });
    await world.settle();
    expect((await world.pod('second')).spec.nodeName).toBe('n1');
  });

  it('P-SCH-2 assumed pods count -> two pods placed in one instant do not share the last room', async () => {
    const world = await testWorld({ nodes: ['n1', 'n2'] });
    const large = { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '3' } } }] };
    for (const name of ['a', 'b', 'c']) await world.make(Pods, podDraft(name, large));
    await world.settle();
    const nodes = await Promise.all(['a', 'b', 'c'].map(async (name) => (await world.pod(name)).spec.nodeName ?? ''));
    expect(nodes.toSorted()).toEqual(['', 'n1', 'n2']);
  });

  it('P-SCH-2 pod has ended -> its room is free', async () => {
    const world = await testWorld({ nodes: ['n1'] });
    const large = { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '3' } } }] };
    await world.make(Pods, podDraft('first', large));
    await world.make(Pods, podDraft('second', large));
    await world.settle();
    expect((await world.pod('second')).spec.nodeName).toBeUndefined();
    const ended = { type: 'merge', body: { status: { phase: 'Succeeded' } } } as const;
    await world.cluster.patch(Pods, 'default/first', ended, { subresource: 'status' });
    await world.settle();
    expect((await world.pod('second')).spec.nodeName).toBe('n1');
  });

  it('P-SCH-8 other scheduler, assigned, terminating -> left alone', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('theirs', { schedulerName: 'another' }));
    await world.make(Pods, podDraft('placed', { nodeName: 'n1' }));
    const leaving = podDraft('leaving', { nodeSelector: { nowhere: 'x' } });
    await world.make(Pods, { ...leaving, metadata: { ...leaving.metadata, finalizers: ['example.com/hold'] } });
    await world.settle();
    await world.cluster.delete(Pods, 'default/leaving');
    await world.cluster.patch(Nodes, 'n1', { type: 'merge', body: { metadata: { labels: { nowhere: 'x' } } } });
    await world.advance(SECOND_MS);
    expect((await world.pod('theirs')).spec.nodeName).toBeUndefined();
    expect((await world.pod('leaving')).spec.nodeName).toBeUndefined();
    expect(await world.events('theirs')).toEqual([]);
    expect(await world.events('placed')).toEqual([]);
  });

  it('P-SCH-8 scheduling gates -> untouched until they are gone', async () => {
    const world = await testWorld();
    await world.make(Pods, podDraft('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
    await world.advance(MINUTE_MS);
    expect((await world.pod('gated')).spec.nodeName).toBeUndefined();
    expect(await world.events('gated')).toEqual([]);
    await world.cluster.patch(Pods, 'default/gated', { type: 'merge', body: { spec: { schedulingGates: [] } } });
    await world.settle();
    expect((await world.pod('gated')).spec.nodeName).toBeDefined();
  });

  it('P-SCH-3 no nodes, then one -> tried again by itself', async () => {
    const world = await testWorld({ nodes: [] });
    await world.make(Pods, podDraft('web'));
    await world.settle();
    expect(scheduledCondition(await world.pod('web'))).toMatchObject({
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } as const;
    await world.make(Nodes, node, { allocatable: { cpu: '4', memory: '8Gi', pods: '20' } });
    await world.advance(3 * SECOND_MS);
    expect((await world.pod('web')).spec.nodeName).toBe('n1');
  });

  it('P-SCH-9 pod of higher priority, node full -> the lesser pod is marked and deleted, then replaced', async () => {
    const world = await testWorld({ nodes: ['n1'] });
    const large = (priority: number) => ({
      priority,
      containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '3' } } }],
    });
    await world.make(Pods, podDraft('lesser', large(1)));
    await world.settle();
    await world.make(Pods, podDraft('greater', large(10)));
    await world.settle();
    const victim = await world.pod('lesser');
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(victim.status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    const greater = await world.pod('greater');
    expect(greater.status.nominatedNodeName).toBe('n1');
    expect(scheduledCondition(greater)?.message).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    expect(await world.events('lesser')).toContain(`Preempted x1: Preempted by pod ${greater.metadata.uid} on node n1`);
    await world.cluster.delete(Pods, 'default/lesser', { gracePeriodSeconds: 0 });
    await world.advance(SECOND_MS);
    expect((await world.pod('greater')).spec.nodeName).toBe('n1');
  });

  it('P-SCH-10 restarted while a volume is provisioned -> waits for the same node and binds', async () => {
    const world = await testWorld();
    await makeClass(world, 'driver.test');
    await world.make(PersistentVolumeClaims, claimDraft('wait'));
    await world.make(Pods, podDraft('user', {}, ['data']));
    await world.advance(5 * SECOND_MS);
    const selected = (await world.claim('data')).metadata.annotations?.[SELECTED_NODE] ?? '';
    world.stop.abort();
    const { scheduler } = await import('./scheduler.ts');
    world.run(scheduler());
    await world.advance(SECOND_MS);
    await world.make(PersistentVolumes, volumeDraft('pvc-1', selected), { phase: 'Bound' });
    await bindClaim(world, 'pvc-1');
    await world.advance(2 * SECOND_MS);
    expect((await world.pod('user')).spec.nodeName).toBe(selected);
  });
});
