import { describe, expect, test } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { MINUTE_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import { SERVED_KINDS } from '../../kube/resources/served-kinds.ts';
import { resourceQuotaController } from './resourcequota.ts';

const claim = (name: string, storage: string): Draft<PersistentVolumeClaim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage } } },
});

async function world(hard: Readonly<Record<string, string>>): Promise<StorageWorld> {
  const run = new StorageWorld();
  const resources = SERVED_KINDS.map(({ resource }) => resource).filter(
    ({ namespaced, plural }) => namespaced && plural !== 'events',
  );
  run.start(resourceQuotaController({ syncPeriodMs: 5 * MINUTE_MS, resources }));
  await run.user.create(PersistentVolumeClaims, claim('one', '2Gi'));
  await run.user.create(PersistentVolumeClaims, claim('two', '500Mi'));
  await run.user.create(ResourceQuotas, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'limit', namespace: 'default' },
    spec: { hard },
  });
  await run.wait(1000);
  return run;
}
const used = async ({ user }: StorageWorld): Promise<unknown> =>
  (await user.get(ResourceQuotas, 'default/limit')).status.used;

describe('the resource quota controller', () => {
  test('P-RQ-1 a new quota -> shows what is used already, in whole and by class', async () => {
    const run = await world({
      'requests.storage': '10Gi',
      persistentvolumeclaims: '5',
      'gold.storageclass.storage.k8s.io/requests.storage': '3Gi',
    });
    expect(await used(run)).toEqual({
      'requests.storage': '2548Mi',
      persistentvolumeclaims: '2',
      'gold.storageclass.storage.k8s.io/requests.storage': '2548Mi',
    });
  });

  test('P-RQ-2 a claim goes -> what it used is given back', async () => {
    const run = await world({ 'requests.storage': '10Gi' });
    await run.user.delete(PersistentVolumeClaims, 'default/one');
    await run.wait(1000);
    expect(await used(run)).toEqual({ 'requests.storage': '500Mi' });
  });

  test('P-RQ-3 a status that is wrong -> is counted again at the next resync', async () => {
    const run = await world({ 'requests.storage': '10Gi' });
    const quota = await run.user.get(ResourceQuotas, 'default/limit');
    await run.user.update(
      ResourceQuotas,
      { ...quota, status: { ...quota.status, used: { 'requests.storage': '9Gi' } } },
      { subresource: 'status' },
    );
    await run.wait(5 * MINUTE_MS + 1000);
    expect(await used(run)).toEqual({ 'requests.storage': '2548Mi' });
  });

  test('a quota that counts nothing of the namespace -> zero', async () => {
    const run = await world({ 'count/secrets': '3' });
    expect(await used(run)).toEqual({ 'count/secrets': '0' });
  });
});
