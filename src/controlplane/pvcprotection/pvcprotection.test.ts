import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { PVC_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { type PodParts, aClaim, aPod } from '../../volume/makers.ts';
import { usesClaim } from './claim-use.ts';
import { LivePods } from './live-pods.ts';
import { claimsLetGoBy, pvcProtectionController } from './pvcprotection.ts';

const PROTECTED = { finalizers: [PVC_PROTECTION_FINALIZER] };
const RUNNING: PodParts = { phase: 'Running', nodeName: 'n1' };

function madeFor(uid: string) {
  const claim = aClaim({ name: 'p-scratch' });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }];
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}

describe('P-PVCP-1 usesClaim', () => {
  const data = aClaim({ name: 'data' });
  const mine = madeFor('uid-of-p');
  it.each([
    ['running pod -> yes', data, { ...RUNNING, claims: ['data'] }, true],
    [
      'T60 ended pod -> yes, while its object exists',
      data,
      { phase: 'Succeeded', nodeName: 'n1', claims: ['data'] },
      true,
    ],
    ['T61 pod without a node -> no', data, { phase: 'Pending', claims: ['data'] }, false],
    ['pod of another claim -> no', data, { ...RUNNING, claims: ['logs'] }, false],
    ['shut down pod, named claim -> yes', data, { ...RUNNING, claims: ['data'], deletingIn: 0 }, true],
    ['generic ephemeral volume of this pod -> yes', mine, { ...RUNNING, ephemeral: ['scratch'] }, true],
    [
      'generic ephemeral volume, pod shut down -> no',
      mine,
      { ...RUNNING, ephemeral: ['scratch'], deletingIn: 0 },
      false,
    ],
    [
      'generic ephemeral volume, pod being deleted -> yes',
      mine,
      { ...RUNNING, ephemeral: ['scratch'], deletingIn: 30 },
      true,
    ],
    [
      'generic ephemeral volume, claim of an earlier pod -> no',
      madeFor('older'),
      { ...RUNNING, ephemeral: ['scratch'] },
      false,
    ],
  ])('%s', (_name, claim, pod, used) => {
    expect(usesClaim(aPod(pod), claim)).toBe(used);
  });
});

describe('claimsLetGoBy', () => {
  const pod = aPod({ ...RUNNING, claims: ['data'] });
  it('running pod added or updated -> of no interest', () => {
    expect(claimsLetGoBy({ type: 'added', object: pod })).toEqual([]);
    expect(claimsLetGoBy({ type: 'updated', before: pod, object: pod })).toEqual([]);
  });
  it('deleted, ended or unscheduled pod -> its claims', () => {
    expect(claimsLetGoBy({ type: 'deleted', object: pod })).toEqual(['default/data']);
    expect(claimsLetGoBy({ type: 'added', object: aPod({ claims: ['data'] }) })).toEqual(['default/data']);
    expect(claimsLetGoBy({ type: 'added', object: aPod({ ...RUNNING, phase: 'Failed', claims: ['data'] }) })).toEqual([
      'default/data',
    ]);
  });
  it('another pod under the same name -> the claims of the old one', () => {
    const object = aPod({ ...RUNNING, uid: 'new', claims: ['logs'] });
    expect(claimsLetGoBy({ type: 'updated', before: pod, object })).toEqual(['default/data']);
  });
});

async function started() {
  const world = new StorageWorld();
  world.start(pvcProtectionController());
  await world.wait(0);
  const claims = async () => (await world.user.list(PersistentVolumeClaims)).items.map((claim) => claim.metadata.name);
  const remove = async (name: string) => {
    await world.user.delete(PersistentVolumeClaims, `default/${name}`);
    await world.wait(0);
  };
  return { world, claims, remove };
}

describe('P-PVCP-2 the controller at work', () => {
  it('T60 ended pod still there -> claim stays; its object goes -> claim goes', async () => {
    const { world, claims, remove } = await started();
    await world.create(PersistentVolumeClaims, aClaim({ name: 'data', ...PROTECTED }));
    await world.create(Pods, aPod({ phase: 'Succeeded', nodeName: 'n1', claims: ['data'] }));
    await remove('data');
    expect(await claims()).toEqual(['data']);
    await world.user.delete(Pods, 'default/p', { gracePeriodSeconds: 0 });
    await world.wait(0);
    expect(await claims()).toEqual([]);
  });

  it('T61 only an unscheduled pod -> claim goes at once', async () => {
    const { world, claims, remove } = await started();
    await world.create(PersistentVolumeClaims, aClaim({ name: 'data', ...PROTECTED }));
    await world.create(Pods, aPod({ claims: ['data'] }));
    await remove('data');
    expect(await claims()).toEqual([]);
  });

  it('P-PVCP-3 claim without the finalizer -> gets it', async () => {
    const { world } = await started();
    await world.create(PersistentVolumeClaims, aClaim({ name: 'data' }));
    await world.wait(0);
    const { metadata } = await world.user.get(PersistentVolumeClaims, 'default/data');
    expect(metadata.finalizers).toEqual([PVC_PROTECTION_FINALIZER]);
  });
});

describe('LivePods', () => {
  async function listing() {
    const world = new StorageWorld();
    let lists = 0;
    const cluster = world.access.as('reader');
    const counting = Object.assign(Object.create(cluster) as typeof cluster, {
      list: (...args: Parameters<typeof cluster.list>) => {
        lists++;
        return cluster.list(...args);
      },
    });
    await world.create(Pods, aPod({ ...RUNNING, claims: ['data'] }));
    return { live: new LivePods(), counting, lists: () => lists };
  }

  it('P-PVCP-4 many claims asked about together -> one list', async () => {
    const { live, counting, lists } = await listing();
    const keys = ['default/data', 'default/a', 'default/b'];
    keys.forEach((key) => live.ask(key));
    const answers = [];
    for (const key of keys) answers.push((await live.podsOf(key, counting)).length);
    expect(answers).toEqual([1, 0, 0]);
    expect(lists()).toBe(1);
  });

  it('P-PVCP-2 asked again after the list -> read again', async () => {
    const { live, counting, lists } = await listing();
    live.ask('default/a');
    await live.podsOf('default/a', counting);
    live.ask('default/a');
    await live.podsOf('default/a', counting);
    expect(lists()).toBe(2);
  });

  it('P-PVCP-2 never asked about, or of another namespace -> read anew', async () => {
    const { live, counting, lists } = await listing();
    live.ask('default/a');
    await live.podsOf('default/a', counting);
    live.ask('other/b');
    await live.podsOf('other/b', counting);
    live.forget('default/a');
    live.ask('default/z');
    await live.podsOf('default/a', counting);
    expect(lists()).toBe(3);
  });
});
