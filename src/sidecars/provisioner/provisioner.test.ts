import { expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import { EXTERNAL_DELETION_FINALIZER } from '../../volume/annotations.ts';
import { DRIVER, NAMESPACE, startedBench } from './test-bench.ts';

test('P-PROV-1 T75 a claim given to us, Immediate -> volume pvc-<uid>, events, finalizer, no bound-by-controller', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const claim = await bench.claim('data');
  await bench.pass(SECOND_MS);
  const name = `pvc-${claim.metadata.uid}`;
  expect(bench.rpcs).toEqual(['CreateVolume']);
  expect(bench.calls[0]?.request).toMatchObject({ name, capacityRange: { requiredBytes: 2n ** 30n, limitBytes: 0n } });
  const [volume] = await bench.volumes();
  const [backend] = bench.driver.backend.volumes();
  expect(volume).toMatchObject({
    metadata: {
      name,
      annotations: {
        'pv.kubernetes.io/provisioned-by': DRIVER,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace: NAMESPACE,
        name: 'data',
        uid: claim.metadata.uid,
      },
      csi: { driver: DRIVER, volumeHandle: backend?.volumeId },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
    },
  });
  expect(volume?.metadata.finalizers).toContain(EXTERNAL_DELETION_FINALIZER);
  expect(Object.keys(volume?.metadata.annotations ?? {})).toHaveLength(3);
  expect(volume?.spec.csi?.volumeAttributes?.['storage.kubernetes.io/csiProvisionerIdentity']).toMatch(
    new RegExp(`^\\d{13}-\\d{1,4}-${DRIVER}$`),
  );
  expect(await bench.events('data')).toEqual([
    `Normal Provisioning External provisioner is provisioning volume for claim "${NAMESPACE}/data"`,
    `Normal ProvisioningSucceeded Successfully provisioned volume ${name}`,
  ]);
  expect((await bench.sources('data'))[0]).toMatch(/^disk\.csi\.test_pod-0_[0-9a-f-]{36}$/);
});
