import { describe, expect, test } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import type { Draft } from '../../kube/cluster.ts';
import { foundObject } from '../../kube/found-object.ts';
import type { KubeObject, OwnerReference, Resource } from '../../kube/object.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type ConfigMap, ConfigMaps } from '../../kube/resources/config-map.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { SERVED_KINDS } from '../../kube/resources/served-kinds.ts';
import { aVolume } from '../../volume/makers.ts';
import { garbageCollector } from './garbagecollector.ts';

function draft(
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): Draft<ConfigMap> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ownerReferences: owners, finalizers },
  };
}

async function world(): Promise<StorageWorld> {
  const started = new StorageWorld();
  started.start(
    garbageCollector({
      resources: SERVED_KINDS.map(({ resource }) => resource).filter(({ plural }) => plural !== 'events'),
    }),
  );
  await started.wait(1000);
  return started;
}

const find = <T extends KubeObject>(
  { user }: StorageWorld,
  resource: Resource<T>,
  key: string,
): Promise<T | undefined> => foundObject(user, resource, key);

describe('the garbage collector', () => {
  test('P-GC-1 the only owner goes -> the dependent goes, and its dependents too', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    const child = await run.user.create(ConfigMaps, draft('child', [ownerReferenceTo(owner)]));
    await run.user.create(ConfigMaps, draft('grandchild', [ownerReferenceTo(child)]));
    await run.wait(1000);
    expect(await find(run, ConfigMaps, 'default/grandchild')).toBeDefined();
    await run.user.delete(ConfigMaps, 'default/owner');
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/child')).toBeUndefined();
    expect(await find(run, ConfigMaps, 'default/grandchild')).toBeUndefined();
  });

  test('P-GC-2 one of two owners goes -> only its reference goes', async () => {
    const run = await world();
    const [first, second] = [
      await run.user.create(ConfigMaps, draft('first')),
      await run.user.create(ConfigMaps, draft('second')),
    ];
    await run.user.create(ConfigMaps, draft('child', [ownerReferenceTo(first), ownerReferenceTo(second)]));
    await run.user.delete(ConfigMaps, 'default/first');
    await run.wait(5000);
    const child = await find(run, ConfigMaps, 'default/child');
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['second']);
  });

  test('P-GC-3 an owner of the same name with another uid -> is no owner', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    await run.user.create(ConfigMaps, draft('child', [{ ...ownerReferenceTo(owner), uid: 'another' }]));
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/child')).toBeUndefined();
  });

  test('P-GC-4 foreground deletion -> the owner waits for the dependents that block it', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    await run.user.create(
      ConfigMaps,
      draft('child', [ownerReferenceTo(owner, { blockOwnerDeletion: true })], ['example.com/hold']),
    );
    await run.wait(1000);
    await run.user.delete(ConfigMaps, 'default/owner', { propagationPolicy: 'Foreground' });
    await run.wait(5000);
    expect((await find(run, ConfigMaps, 'default/owner'))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await find(run, ConfigMaps, 'default/child'))?.metadata.deletionTimestamp).toBeDefined();
    await run.user.patch(ConfigMaps, 'default/child', { type: 'merge', body: { metadata: { finalizers: null } } });
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/owner')).toBeUndefined();
  });

  test('P-GC-4 foreground deletion, the last dependent has another owner -> it names only that one, and the owner goes', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    const other = await run.user.create(ConfigMaps, draft('other'));
    const owners = [ownerReferenceTo(owner, { blockOwnerDeletion: true }), ownerReferenceTo(other)];
    await run.user.create(ConfigMaps, draft('child', owners));
    await run.wait(1000);
    await run.user.delete(ConfigMaps, 'default/owner', { propagationPolicy: 'Foreground' });
    await run.wait(5000);
    const child = await find(run, ConfigMaps, 'default/child');
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']);
    expect(await find(run, ConfigMaps, 'default/owner')).toBeUndefined();
  });

  test('P-GC-4 two that own and block each other -> foreground deletion of one ends both', async () => {
    const run = await world();
    const first = await run.user.create(ConfigMaps, draft('first'));
    const blocking = { blockOwnerDeletion: true };
    const second = await run.user.create(ConfigMaps, draft('second', [ownerReferenceTo(first, blocking)]));
    const body = { metadata: { ownerReferences: [ownerReferenceTo(second, blocking)] } };
    await run.user.patch(ConfigMaps, 'default/first', { type: 'merge', body });
    await run.wait(1000);
    await run.user.delete(ConfigMaps, 'default/first', { propagationPolicy: 'Foreground' });
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/first')).toBeUndefined();
    expect(await find(run, ConfigMaps, 'default/second')).toBeUndefined();
  });

  test('P-GC-5 orphan deletion -> the dependent stays and names no owner', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    await run.user.create(ConfigMaps, draft('child', [ownerReferenceTo(owner)]));
    await run.wait(1000);
    await run.user.delete(ConfigMaps, 'default/owner', { propagationPolicy: 'Orphan' });
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/owner')).toBeUndefined();
    expect((await find(run, ConfigMaps, 'default/child'))?.metadata.ownerReferences).toBeUndefined();
  });

  test('P-GC-6 an owner of a kind that nobody serves -> the dependent is kept', async () => {
    const run = await world();
    await run.user.create(
      ConfigMaps,
      draft('child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'x', uid: 'x' }]),
    );
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/child')).toBeDefined();
  });

  test('P-GC-3 the uid of a living owner beside another name -> is no owner', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    await run.user.create(ConfigMaps, draft('child', [{ ...ownerReferenceTo(owner), name: 'other' }]));
    await run.wait(5000);
    expect(await find(run, ConfigMaps, 'default/child')).toBeUndefined();
  });

  test('P-GC-6 a cluster object that names an owner in a namespace -> is kept', async () => {
    const run = await world();
    const owner = await run.user.create(ConfigMaps, draft('owner'));
    const metadata = { name: 'owned', ownerReferences: [ownerReferenceTo(owner)] };
    await run.user.create(PersistentVolumes, { ...aVolume(), metadata });
    await run.user.delete(ConfigMaps, 'default/owner');
    await run.wait(5000);
    expect(await find(run, PersistentVolumes, 'owned')).toBeDefined();
  });
});
