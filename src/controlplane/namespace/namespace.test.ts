import { describe, expect, test } from 'vitest';
import { StorageWorld, type StorageWorldOptions } from '../../../test/persistentvolume/storage-world.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type ConfigMap, ConfigMaps } from '../../kube/resources/config-map.ts';
import { type Namespace, Namespaces } from '../../kube/resources/namespace.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { SERVED_KINDS } from '../../kube/resources/served-kinds.ts';
import { namespaceController } from './namespace.ts';

async function world(options?: StorageWorldOptions): Promise<StorageWorld> {
  const started = new StorageWorld(options);
  started.start(
    namespaceController({
      resources: SERVED_KINDS.map(({ resource }) => resource).filter(({ namespaced }) => namespaced),
    }),
  );
  await started.user.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await started.wait(1000);
  return started;
}

const note = (finalizers: readonly string[] = []): Draft<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'note', namespace: 'shop', finalizers },
});
const pod: Draft<Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { nodeName: 'n', containers: [{ name: 'web', image: 'web' }] },
};

async function namespace({ user }: StorageWorld): Promise<Namespace | undefined> {
  try {
    return await user.get(Namespaces, 'shop');
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
const conditionOf = (object: Namespace | undefined, type: string): string =>
  object?.status.conditions?.find((each) => each.type === type)?.message ?? '';

describe('the namespace controller', () => {
  test('P-NS-1 an empty namespace is deleted -> it goes', async () => {
    const run = await world();
    await run.user.delete(Namespaces, 'shop');
    await run.wait(1000);
    expect(await namespace(run)).toBeUndefined();
  });

  test('P-NS-2 content with a finalizer -> the namespace says so and waits for it', async () => {
    const run = await world();
    await run.user.create(ConfigMaps, note(['example.com/hold']));
    await run.user.delete(Namespaces, 'shop');
    await run.wait(5000);
    const waiting = await namespace(run);
    expect(waiting?.status.phase).toBe('Terminating');
    expect(conditionOf(waiting, 'NamespaceContentRemaining')).toBe(
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    expect(conditionOf(waiting, 'NamespaceFinalizersRemaining')).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    );
    await run.user.patch(ConfigMaps, 'shop/note', { type: 'merge', body: { metadata: { finalizers: null } } });
    await run.wait(30_000);
    expect(await namespace(run)).toBeUndefined();
  });

  test('P-NS-3 pods are there -> they go before anything else', async () => {
    const run = await world();
    await run.user.create(Pods, pod);
    await run.user.create(ConfigMaps, note());
    await run.user.delete(Namespaces, 'shop');
    await run.wait(5000);
    expect((await run.user.get(Pods, 'shop/web')).metadata.deletionTimestamp).toBeDefined();
    expect((await run.user.get(ConfigMaps, 'shop/note')).metadata.deletionTimestamp).toBeUndefined();
    await run.user.delete(Pods, 'shop/web', { gracePeriodSeconds: 0 });
    await run.wait(30_000);
    expect(await namespace(run)).toBeUndefined();
  });

  test('P-NS-4 made again while the watch still tells of the old one -> the new content stays', async () => {
    const run = await world({ watchMs: 500, requestMs: 50 });
    await run.user.delete(Namespaces, 'shop');
    while ((await namespace(run)) !== undefined) await run.wait(10);
    await run.user.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await run.user.create(ConfigMaps, note());
    await run.wait(10_000);
    expect((await run.user.get(ConfigMaps, 'shop/note')).metadata.name).toBe('note');
  });
});
