import { describe, expect, it } from 'vitest';
import { aMember, aReplicaSet } from '../../test/workloads/makers.ts';
import { StorageWorld } from '../../test/persistentvolume/storage-world.ts';
import { podTemplate } from '../../test/workloads/workload-world.ts';
import { claimControlled, controllerKeysOf, decideOwnership, orphansOf } from './controller-claim.ts';
import { ownerReferenceTo } from './owner-reference.ts';
import { type Pod, Pods } from './resources/pod.ts';
import { type ReplicaSet, ReplicaSets } from './resources/replica-set.ts';

const controller = aReplicaSet('web');
const leaving = aReplicaSet('web', {}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' });
const ours = ownerReferenceTo(controller, { controller: true });
const theirs = { ...ours, uid: 'other' };
const loose = { ...theirs, controller: false };

describe('decideOwnership', () => {
  it.each([
    ['controlled and wanted                        -> owned', controller, { owner: ours }, true, 'owned'],
    ['controlled and not wanted                    -> release', controller, { owner: ours }, false, 'release'],
    ['controlled by another                        -> foreign', controller, { owner: theirs }, true, 'foreign'],
    ['orphan, wanted                               -> adopt', controller, {}, true, 'adopt'],
    ['owned but not controlled, wanted             -> adopt', controller, { owner: loose }, true, 'adopt'],
    ['orphan, not wanted                           -> foreign', controller, {}, false, 'foreign'],
    ['orphan that is being deleted                 -> foreign', controller, { deleting: true }, true, 'foreign'],
    ['controller is being deleted, owned           -> still owned', leaving, { owner: ours }, true, 'owned'],
    ['controller is being deleted, not wanted      -> not released', leaving, { owner: ours }, false, 'foreign'],
    ['controller is being deleted, orphan          -> not adopted', leaving, {}, true, 'foreign'],
  ] as const)('%s', (_situation, by, parts, wanted, expected) => {
    expect(decideOwnership(by, aMember('p', parts), wanted)).toBe(expected);
  });

  it('orphan in another namespace -> foreign', () => {
    const elsewhere = aReplicaSet('web', {}, {}, { namespace: 'elsewhere' });
    expect(decideOwnership(elsewhere, aMember('p'), true)).toBe('foreign');
  });
});

describe('controllerKeysOf', () => {
  it('controlled -> by uid of the controller; orphan -> among those of its namespace', () => {
    expect(controllerKeysOf(aMember('p', { owner: ours }))).toEqual(['uid-of-web']);
    expect(controllerKeysOf(aMember('p'))).toEqual([orphansOf('default')]);
  });
});

describe('claimControlled', () => {
  async function world() {
    const started = new StorageWorld();
    const set = await started.user.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: podTemplate('web') },
    });
    const claim = async (objects: readonly Pod[], by: ReplicaSet = set) =>
      (
        await claimControlled({
          cluster: started.user,
          controller: by,
          controllerResource: ReplicaSets,
          resource: Pods,
          objects,
          isWanted: ({ metadata }) => metadata.labels?.['app'] === 'web',
        })
      ).map(({ metadata }) => metadata.name);
    const pod = (name: string, app: string, isOwned: boolean) =>
      started.user.create(Pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name,
          namespace: 'default',
          labels: { app },
          ...(isOwned
            ? { ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })] }
            : {}),
        },
        spec: podTemplate(app).spec,
      });
    const ownersOf = async (name: string) =>
      ((await started.user.get(Pods, `default/${name}`)).metadata.ownerReferences ?? []).map(({ uid }) => uid);
    return { set, claim, pod, ownersOf, user: started.user };
  }

  it('orphans and strays -> adopted and released by one patch each', async () => {
    const { set, claim, pod, ownersOf } = await world();
    const pods = [await pod('orphan', 'web', false), await pod('stray', 'other', true), await pod('own', 'web', true)];
    expect(await claim(pods)).toEqual(['orphan', 'own']);
    expect(await ownersOf('orphan')).toEqual([set.metadata.uid]);
    expect(await ownersOf('stray')).toEqual([]);
  });

  it('the controller was made again meanwhile -> nothing is adopted for the former one', async () => {
    const { set, claim, pod, ownersOf, user } = await world();
    const orphan = await pod('orphan', 'web', false);
    const former = { ...set, metadata: { ...set.metadata, uid: 'former' } };
    await expect(claim([orphan], former)).rejects.toThrow(
      /^can't adopt Pod default\/orphan .*got uid .*wanted former$/,
    );
    expect(await ownersOf('orphan')).toEqual([]);
    await user.delete(ReplicaSets, 'default/web');
    await expect(claim([orphan])).rejects.toThrow(/not found/);
  });

  it('an object is gone, another is someone else’s by now -> the rest is claimed, the failure told', async () => {
    const { claim, pod, user } = await world();
    const gone = await pod('gone', 'web', false);
    const other = await pod('other', 'web', false);
    await user.delete(Pods, 'default/gone', { gracePeriodSeconds: 0 });
    await user.delete(Pods, 'default/other', { gracePeriodSeconds: 0 });
    await pod('other', 'web', false);
    expect(await claim([gone])).toEqual([]);
    await expect(claim([other, gone])).rejects.toThrow(/other/);
  });
});
