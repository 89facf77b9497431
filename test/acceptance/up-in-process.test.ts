// The world of `mooring up` on a virtual clock: every component with the rights of its user and no more.
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { MemoryJournal } from '../../src/apiserver/storage/memory/memory.ts';
import { NotStored } from '../../src/apiserver/storage/storage.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { EXAMPLE } from '../../src/cli/example.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { type ResourceQuota, ResourceQuotas } from '../../src/kube/resources/resource-quota.ts';
import { type StatefulSet, StatefulSets } from '../../src/kube/resources/stateful-set.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { ADMIN, DEFAULT_SIZE, EmbeddedRun } from './embedded-run.ts';

const statefulSet = (): KubeObject =>
  parseAllDocuments(EXAMPLE)
    .map((document) => document.toJS() as KubeObject)
    .find(({ kind }) => kind === 'StatefulSet') ?? expect.fail('the example has a StatefulSet');

const OF_THE_PAIR = { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand' };

const volumeByHand = (): PersistentVolume =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'by-hand' },
    spec: { ...OF_THE_PAIR, capacity: { storage: '1Gi' }, hostPath: { path: '/by-hand' } },
  }) as unknown as PersistentVolume;

const claimByHand = (): PersistentVolumeClaim =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'by-hand', namespace: 'default' },
    spec: { ...OF_THE_PAIR, resources: { requests: { storage: '1Gi' } } },
  }) as unknown as PersistentVolumeClaim;

describe('the world of mooring up', () => {
  test('P-UP-6 a StatefulSet made, killed under, grown and deleted -> it works, and no component asks for more than it may', async () => {
    const run = await EmbeddedRun.begin();
    await run.pass(10 * SECOND_MS);
    run.apply(StatefulSets, statefulSet());
    await run.pass(MINUTE_MS);
    expect(run.pods).toEqual(['db-0 Running True', 'db-1 Running True']);
    await run.killAndStartAgain();
    await run.pass(2 * MINUTE_MS);
    expect(run.pods).toEqual(['db-0 Running True', 'db-1 Running True']);
    run.server.handle(
      {
        verb: 'patch',
        resource: PersistentVolumeClaims,
        key: 'default/data-db-0',
        patch: { type: 'merge', body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
      },
      ADMIN,
    );
    await run.pass(3 * MINUTE_MS);
    const claim = run.store.get(PersistentVolumeClaims, 'default/data-db-0') as PersistentVolumeClaim | undefined;
    expect(claim?.status.capacity?.['storage']).toBe('2Gi');
    run.delete(StatefulSets, 'db');
    for (const name of ['data-db-0', 'data-db-1']) run.delete(PersistentVolumeClaims, name);
    await run.pass(5 * MINUTE_MS);
    const left = [Pods, PersistentVolumeClaims, PersistentVolumes, VolumeAttachments].map((kind) => run.count(kind));
    expect(left).toEqual([0, 0, 0, 0]);
    expect(run.refused).toEqual([]);
    expect(run.errors).toEqual([]);
  });

  test('P-WORLD-6 a component of which a part fails for good -> it starts anew, and does its work', async () => {
    const broken = (clock: Clock): Clock => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: () => Promise.reject(new Error('the clock broke')),
      after: () => {
        throw new Error('the clock broke');
      },
    });
    let lives = 0;
    const run = await EmbeddedRun.begin(DEFAULT_SIZE, {
      wrapClock: (clock, component) => {
        if (component !== 'resourcequota-controller') return clock;
        lives++;
        return lives > 1 ? clock : broken(clock);
      },
    });
    await run.pass(SECOND_MS);
    const told = 'resourcequota-controller crashed and is started again in 10 s: the clock broke';
    expect(run.logged.filter((line) => line.includes('crashed'))).toEqual([told]);
    await run.pass(10 * SECOND_MS);
    await run.as(ADMIN).create(ResourceQuotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { pods: '5' } },
    });
    await run.pass(SECOND_MS);
    const charged = run.store.get(ResourceQuotas, 'default/q') as ResourceQuota | undefined;
    expect([lives, charged?.status.used]).toEqual([2, { pods: '0' }]);
  });

  test('P-WORLD-10 a disk that is full for a minute -> what was taken back is forgotten, and the cluster goes on', async () => {
    const journal = new MemoryJournal();
    const run = await EmbeddedRun.begin(DEFAULT_SIZE, { journal });
    const admin = run.as(ADMIN);
    await run.pass(10 * SECOND_MS);
    await admin.create(PersistentVolumes, volumeByHand());
    await run.pass(SECOND_MS);
    // The claim is stored; what the binder then writes is not.
    let stored = 0;
    journal.beforeSync = () => (stored++ === 0 ? Promise.resolve() : Promise.reject(new NotStored('no space left')));
    await admin.create(PersistentVolumeClaims, claimByHand());
    await run.pass(MINUTE_MS);
    const phase = (): string | undefined =>
      (run.store.get(PersistentVolumeClaims, 'default/by-hand') as PersistentVolumeClaim | undefined)?.status.phase;
    expect(phase()).toBe('Pending');
    const again = run.logged.filter((line) => line.includes('starts again'));
    expect(again).toEqual(['persistentvolume-controller starts again: its last writes were not stored']);
    journal.beforeSync = () => Promise.resolve();
    const set = statefulSet() as StatefulSet;
    await admin.create(StatefulSets, { ...set, metadata: { ...set.metadata, namespace: 'default' } });
    await run.pass(2 * MINUTE_MS);
    expect([phase(), ...run.pods]).toEqual(['Bound', 'db-0 Running True', 'db-1 Running True']);
    const disks = run.chaotic.world.figures.disks;
    expect([disks, run.count(PersistentVolumes)]).toEqual([2, 3]);
  });
});
