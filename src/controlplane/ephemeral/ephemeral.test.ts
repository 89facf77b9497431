import { describe, expect, it } from 'vitest';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../apiserver/local-access.ts';
import { ObjectStore } from '../../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../apiserver/registry/strategies.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { Events } from '../../kube/resources/event.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { RecordedTimeline } from '../../runtime/timeline.ts';
import { ephemeralVolumeController } from './ephemeral.ts';

const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' };
const user: Draft<Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'user', namespace: 'default' },
  spec: {
    containers: [{ name: 'main', image: 'pause', resources: {} }],
    volumes: [
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { made: 'here' } }, spec } } },
    ],
  },
};
const foreign = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'user-scratch', namespace: 'default' },
  spec,
} as const;

async function world() {
  const clock = new SteppedClock(Date.UTC(2026, 0, 1));
  const random = new SeededRandom('ephemeral test');
  const server = new ApiServer({ clock, random, store: new ObjectStore(), strategies: defaultStrategies() });
  const access = new LocalClusterAccess({ server, clock });
  const component = ephemeralVolumeController();
  component.start({
    clock,
    random,
    cluster: access.as(component.name),
    timeline: new RecordedTimeline(),
    log: silentLog,
    signal: new AbortController().signal,
  });
  const cluster = access.as('tester');
  const settle = () => clock.advanceTo(clock.now());
  await settle();
  return {
    cluster,
    settle,
    advance: (ms: number) => clock.advanceTo(clock.now() + ms),
    claims: async () => (await cluster.list(PersistentVolumeClaims)).items,
    events: async () =>
      (await cluster.list(Events)).items.map(
        ({ type, reason, source, involvedObject, message }) =>
          `${type ?? ''} ${reason ?? ''} ${source.component ?? ''} ${involvedObject.name ?? ''}: ${message ?? ''}`,
      ),
  };
}

describe('ephemeralVolumeController', () => {
  it('P-EPH-1 pod with a generic ephemeral volume -> claim <pod>-<volume> controlled by it', async () => {
    const { cluster, settle, claims, events } = await world();
    const pod = await cluster.create(Pods, user);
    await settle();
    const [claim, ...others] = await claims();
    expect(others).toEqual([]);
    expect(claim?.metadata).toMatchObject({
      name: 'user-scratch',
      labels: { made: 'here' },
      ownerReferences: [
        { kind: 'Pod', name: 'user', uid: pod.metadata.uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(await events()).toEqual([]);
  });

  it('P-EPH-2 foreign claim of that name -> untouched; the pod is told, and tried again', async () => {
    const { cluster, settle, claims, events, advance } = await world();
    const before = await cluster.create(PersistentVolumeClaims, foreign);
    await cluster.create(Pods, user);
    await settle();
    const text =
      'Warning FailedBinding ephemeral_volume user: ephemeral volume scratch: PVC default/user-scratch was not created for pod default/user (pod is not owner)';
    expect(await events()).toEqual([text]);
    expect(await claims()).toEqual([before]);
    await cluster.delete(PersistentVolumeClaims, 'default/user-scratch');
    await advance(10 * SECOND_MS);
    expect((await claims()).map(({ metadata }) => metadata.ownerReferences?.length)).toEqual([1]);
  });

  it('P-EPH-3 claim deleted while the pod lives -> made again', async () => {
    const { cluster, settle, claims } = await world();
    await cluster.create(Pods, user);
    await settle();
    const [first] = await claims();
    await cluster.delete(PersistentVolumeClaims, 'default/user-scratch');
    await settle();
    const [second] = await claims();
    expect(second?.metadata.name).toBe('user-scratch');
    expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  });

  it('P-EPH-3 claim deleted while the pod is being deleted -> not made again', async () => {
    const { cluster, settle, claims } = await world();
    await cluster.create(Pods, { ...user, metadata: { ...user.metadata, finalizers: ['example.com/hold'] } });
    await settle();
    await cluster.delete(Pods, 'default/user');
    await cluster.delete(PersistentVolumeClaims, 'default/user-scratch');
    await settle();
    expect(await claims()).toEqual([]);
  });
});
