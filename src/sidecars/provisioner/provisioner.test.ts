import { expect, test } from 'vitest';
import type { AdmissionRequest } from '../../apiserver/admission/admission.ts';
import { defaultAdmission } from '../../apiserver/admission/plugins.ts';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../apiserver/local-access.ts';
import { ObjectStore } from '../../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../apiserver/registry/strategies.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { serviceUnavailable } from '../../kube/api-error.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import { EXTERNAL_DELETION_FINALIZER } from '../../volume/annotations.ts';
import { DRIVER, NAMESPACE, benchOn } from './test-bench.ts';

/** While it holds something, the server refuses to store PersistentVolumes. */
const refused = new Set<string>();
const startedBench = benchOn((clock, random) => {
  const review = ({ operation, resource }: AdmissionRequest): void => {
    if (operation === 'CREATE' && refused.has(resource.plural)) throw serviceUnavailable('not now');
  };
  const admission = [...defaultAdmission(), { name: 'refusal', review }];
  const strategies = defaultStrategies();
  const server = new ApiServer({ clock, random, store: new ObjectStore(), strategies, admission });
  return new LocalClusterAccess({ server, clock, latency: { request: () => 1, watch: () => 1 } });
});

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

test('T76 WaitForFirstConsumer without a node -> no call, no event', async () => {
  const bench = await startedBench();
  await bench.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await bench.claim('data', { className: 'wait' });
  await bench.pass(60 * SECOND_MS);
  expect(bench.rpcs).toEqual([]);
  expect(await bench.events('data')).toEqual([]);
});

test('P-PROV-2 T77 timeout, claim deleted, retry succeeds -> PV made, released, deleted: no leak', async () => {
  const answers = ['hang'];
  const bench = await startedBench({
    around: async (call, proceed) => {
      const value = await proceed();
      if (call.rpc === 'CreateVolume' && answers.pop() === 'hang') return new Promise<never>(() => undefined);
      return value;
    },
  });
  await bench.storageClass('fast');
  const claim = await bench.claim('data');
  await bench.pass(5 * SECOND_MS);
  await bench.removeClaim('data');
  await bench.pass(4 * SECOND_MS);
  expect(await bench.volumes()).toEqual([]);
  await bench.pass(3 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'CreateVolume']);
  expect(await bench.events('data')).toContain(
    'Warning ProvisioningFailed rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  );
  const [volume] = await bench.volumes();
  expect(volume?.spec.claimRef?.uid).toBe(claim.metadata.uid);
  await bench.phase(`pvc-${claim.metadata.uid}`, 'Released');
  await bench.pass(SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'CreateVolume', 'DeleteVolume']);
  expect([...bench.driver.backend.volumes()]).toEqual([]);
});

const ZONE = 'topology.test/zone';
const ZONES = { segments: { [ZONE]: { n1: 'zone1', n2: 'zone2', n3: 'zone3' } } };

test('P-PROV-3 T78 exhausted, topology driver, node chosen -> node removed, event, not tried again', async () => {
  const pools = [{ name: 'tiny', capacity: '1Gi' }];
  const bench = await startedBench({ driver: { topology: ZONES, pools } });
  await bench.zones();
  await bench.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await bench.claim('data', { className: 'wait', size: '5Gi', node: 'n1' });
  await bench.pass(10 * 60 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume']);
  expect((await bench.readClaim('data')).metadata.annotations).not.toHaveProperty('volume.kubernetes.io/selected-node');
  expect((await bench.events('data')).at(-1)).toMatch(
    /^Warning ProvisioningFailed rpc error: code = ResourceExhausted desc = /,
  );
});

test('P-PROV-3 T78 exhausted, driver without topology -> node kept, tried again after 1, 2 and 4 s', async () => {
  const bench = await startedBench({ driver: { pools: [{ name: 'tiny', capacity: '1Gi' }] } });
  await bench.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await bench.claim('data', { className: 'wait', size: '5Gi', node: 'n1' });
  await bench.pass(7 * SECOND_MS + 500);
  expect(bench.rpcs).toEqual(['CreateVolume', 'CreateVolume', 'CreateVolume', 'CreateVolume']);
  expect((await bench.readClaim('data')).metadata.annotations).toHaveProperty(
    'volume.kubernetes.io/selected-node',
    'n1',
  );
});

test('P-PROV-3 T79 the chosen node has no CSINode -> node removed, driver never asked', async () => {
  const bench = await startedBench({ driver: { topology: ZONES } });
  await bench.zones();
  await bench.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await bench.claim('data', { className: 'wait', node: 'gone' });
  await bench.pass(60 * SECOND_MS);
  expect(bench.rpcs).toEqual([]);
  expect((await bench.readClaim('data')).metadata.annotations).not.toHaveProperty('volume.kubernetes.io/selected-node');
  expect((await bench.events('data')).at(-1)).toBe(
    'Warning ProvisioningFailed failed to get selected CSINode gone: csinode.storage.k8s.io "gone" not found',
  );
});

test('T80 a volume smaller than asked for -> deleted, and asked for again in the background', async () => {
  const bench = await startedBench({ lies: [{ capacityBytes: 512n }] });
  await bench.storageClass('fast');
  await bench.claim('data', { size: '1Ki' });
  await bench.pass(SECOND_MS / 2);
  expect(bench.rpcs).toEqual(['CreateVolume', 'DeleteVolume']);
  expect((await bench.events('data')).at(-1)).toBe(
    'Warning ProvisioningFailed created volume capacity 512 less than requested capacity 1024',
  );
  await bench.removeClaim('data');
  await bench.pass(2 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'DeleteVolume', 'CreateVolume']);
  expect(await bench.volumes()).toHaveLength(1);
});

test('P-PROV-6 T83 released volume with an attachment -> not deleted until the attachment is gone', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const claim = await bench.claim('data');
  await bench.pass(SECOND_MS);
  const name = `pvc-${claim.metadata.uid}`;
  await bench.bind(claim);
  await bench.attach(name, 'n1');
  await bench.removeClaim('data');
  await bench.phase(name, 'Released');
  await bench.pass(SECOND_MS / 2);
  expect(bench.rpcs).toEqual(['CreateVolume']);
  expect(await bench.events(name)).toEqual([
    `Warning VolumeFailedDelete persistentvolume ${name} is still attached to node n1`,
  ]);
  await bench.detach(name);
  await bench.pass(5 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'DeleteVolume']);
  for (const { metadata } of await bench.volumes()) {
    expect(metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    expect(metadata.deletionTimestamp).toBeDefined();
  }
});

test('P-PROV-5 policy changed to Retain while bound -> our finalizer goes; back to Delete -> it comes', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const claim = await bench.claim('data');
  await bench.pass(SECOND_MS);
  await bench.bind(claim);
  const policy = async (persistentVolumeReclaimPolicy: string) => {
    await bench.patchVolume(`pvc-${claim.metadata.uid}`, { spec: { persistentVolumeReclaimPolicy } });
    await bench.pass(SECOND_MS);
    return (await bench.volumes())[0]?.metadata.finalizers;
  };
  expect((await policy('Retain')) ?? []).not.toContain(EXTERNAL_DELETION_FINALIZER);
  expect(await policy('Delete')).toContain(EXTERNAL_DELETION_FINALIZER);
});

test('P-PROV-4 infeasible -> told once, rests five minutes, and not if its class is made anew', async () => {
  const bench = await startedBench({ driver: { acceptedParameters: { kind: [] } } });
  await bench.storageClass('bad', { parameters: { kind: 'nonsense' } });
  await bench.claim('data', { className: 'bad' });
  await bench.pass(4 * 60 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume']);
  expect((await bench.events('data')).at(-1)).toBe(
    'Warning ProvisioningFailed Volume provisioning failed with infeasible error. Retries will be delayed. rpc error: code = InvalidArgument desc = parameter kind=nonsense is not supported',
  );
  await bench.removeClass('bad');
  await bench.storageClass('bad');
  await bench.pass(5 * 60 * SECOND_MS);
  expect(await bench.volumes()).toHaveLength(1);
});

test('P-PROV-4 infeasible and nothing changes -> tried again after the rest', async () => {
  const bench = await startedBench({ driver: { acceptedParameters: { kind: [] } } });
  await bench.storageClass('bad', { parameters: { kind: 'nonsense' } });
  await bench.claim('data', { className: 'bad' });
  await bench.pass(11 * 60 * SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'CreateVolume']);
});

test('dataSourceRef of a foreign kind -> left to a populator, told under another name', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const source = { apiGroup: 'populators.test', kind: 'Thing', name: 'one' };
  await bench.claim('data', { spec: { dataSourceRef: source } });
  await bench.pass(60 * SECOND_MS);
  expect(bench.rpcs).toEqual([]);
  expect(await bench.events('data')).toEqual([
    `Normal Provisioning External provisioner is provisioning volume for claim "${NAMESPACE}/data"`,
    'Normal Provisioning Assuming an external populator will provision the volume',
  ]);
  expect((await bench.sources('data')).at(-1)).toBe('external-provisioner');
});

test('a claim that nobody gave to us -> nothing, although its class names our driver', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const annotations = {
    'volume.kubernetes.io/storage-provisioner': 'other.test',
    'volume.beta.kubernetes.io/storage-provisioner': 'other.test',
  };
  await bench.claim('data', { annotations });
  await bench.pass(60 * SECOND_MS);
  expect(bench.rpcs).toEqual([]);
});

test('P-PROV-2 the API refuses the volume for a while -> saved later, and the driver is asked once', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  refused.add('persistentvolumes');
  await bench.claim('data');
  await bench.pass(2 * SECOND_MS);
  expect(await bench.volumes()).toEqual([]);
  refused.clear();
  await bench.pass(10 * SECOND_MS);
  expect(await bench.volumes()).toHaveLength(1);
  expect(bench.rpcs).toEqual(['CreateVolume']);
  expect((await bench.events('data')).at(-1)).toMatch(/^Normal ProvisioningSucceeded /);
});

test('P-PROV-7 clone -> source protected; a deleted source goes when the clone is bound', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const source = await bench.claim('src');
  await bench.pass(SECOND_MS);
  await bench.bind(source);
  const copy = await bench.claim('copy', {
    size: '2Gi',
    spec: { dataSource: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'src' } },
  });
  await bench.pass(SECOND_MS);
  const [sourceVolume] = bench.driver.backend.volumes();
  expect(bench.calls.at(-1)?.request).toMatchObject({
    volumeContentSource: { case: 'volume', volumeId: sourceVolume?.volumeId },
  });
  const finalizer = 'provisioner.storage.kubernetes.io/cloning-protection';
  expect((await bench.readClaim('src')).metadata.finalizers).toContain(finalizer);
  await bench.deleteClaim('src');
  await bench.pass(2 * SECOND_MS);
  expect((await bench.readClaim('src')).metadata.finalizers).toContain(finalizer);
  await bench.bind(copy);
  await bench.pass(5 * SECOND_MS);
  expect((await bench.readClaim('src')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
});

test('restore from a snapshot that does not exist -> the lookup error, tried again', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'ghost' };
  await bench.claim('data', { spec: { dataSource } });
  await bench.pass(SECOND_MS / 2);
  expect((await bench.events('data')).at(-1)).toBe(
    'Warning ProvisioningFailed error getting handle for DataSource Type VolumeSnapshot by Name ghost: error getting snapshot ghost from api server: volumesnapshots.snapshot.storage.k8s.io "ghost" not found',
  );
});

test('P-PROV-8 restore -> snapshot handle sent, finalizer on the snapshot only meanwhile', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  await bench.snapshot('snap', 'snapshot-handle-7');
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' };
  await bench.claim('data', { spec: { dataSource } });
  await bench.pass(SECOND_MS / 2);
  expect(bench.calls[0]?.request).toMatchObject({
    volumeContentSource: { case: 'snapshot', snapshotId: 'snapshot-handle-7' },
  });
  const finalizer = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
  expect(await bench.snapshotFinalizers('snap')).toEqual([finalizer]);
  await bench.removeClaim('data');
  await bench.pass(6 * 60 * SECOND_MS);
  expect(await bench.snapshotFinalizers('snap')).toEqual([]);
});

test('P-PROV-9 a class with secrets -> credentials sent with the calls, the others referenced in the volume', async () => {
  const bench = await startedBench();
  const P = 'csi.storage.k8s.io/';
  await bench.secret('backend', { user: 'YWRtaW4=' });
  await bench.storageClass('fast', {
    parameters: {
      [`${P}provisioner-secret-name`]: 'backend',
      [`${P}provisioner-secret-namespace`]: '${pvc.namespace}',
      [`${P}node-stage-secret-name`]: '${pvc.name}-key',
      [`${P}node-stage-secret-namespace`]: '${pvc.namespace}',
      kind: 'fast',
    },
  });
  const claim = await bench.claim('data');
  await bench.pass(SECOND_MS);
  expect(bench.calls[0]?.request).toMatchObject({ secrets: { user: 'admin' }, parameters: { kind: 'fast' } });
  const [volume] = await bench.volumes();
  expect(volume?.spec.csi?.nodeStageSecretRef).toEqual({ name: 'data-key', namespace: NAMESPACE });
  await bench.phase(`pvc-${claim.metadata.uid}`, 'Released');
  await bench.pass(SECOND_MS);
  expect(bench.calls[1]).toMatchObject({ rpc: 'DeleteVolume', request: { secrets: { user: 'admin' } } });
});

test('P-PROV-9 the secret is missing -> told, the driver not asked; deleting goes on without', async () => {
  const bench = await startedBench();
  const parameters = { 'csi.storage.k8s.io/secret-name': 'ghost', 'csi.storage.k8s.io/secret-namespace': NAMESPACE };
  await bench.storageClass('fast', { parameters });
  await bench.claim('data');
  await bench.pass(SECOND_MS / 2);
  expect(bench.rpcs).toEqual([]);
  expect((await bench.events('data')).at(-1)).toBe(
    `Warning ProvisioningFailed error getting secret ghost in namespace ${NAMESPACE}: secrets "ghost" not found`,
  );
  await bench.secret('ghost', {});
  await bench.pass(10 * SECOND_MS);
  const [volume] = await bench.volumes();
  await bench.removeSecret('ghost');
  await bench.phase(volume?.metadata.name ?? '', 'Released');
  await bench.pass(SECOND_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'DeleteVolume']);
});

test('a class of attributes -> its parameters as mutable ones, its name on the volume; of another driver -> refused', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  await bench.attributesClass('gold', DRIVER, { tier: 'gold' });
  await bench.attributesClass('foreign', 'other.test', { tier: 'gold' });
  await bench.claim('data', { spec: { volumeAttributesClassName: 'gold' } });
  await bench.claim('bad', { spec: { volumeAttributesClassName: 'foreign' } });
  await bench.pass(SECOND_MS / 2);
  expect(bench.calls.map(({ request }) => request)).toMatchObject([{ mutableParameters: { tier: 'gold' } }]);
  expect((await bench.volumes())[0]?.spec.volumeAttributesClassName).toBe('gold');
  expect((await bench.events('bad')).at(-1)).toBe(
    `Warning ProvisioningFailed VAC foreign referenced in PVC is for driver other.test which does not match driver name ${DRIVER}`,
  );
});

test('P-PROV-10 the chosen node is deleted between two tries -> the same request again', async () => {
  const failures = ['UNAVAILABLE', 'UNAVAILABLE'] as const;
  const left = [...failures];
  const bench = await startedBench({
    driver: { topology: ZONES },
    around: (call, proceed) => {
      const code = call.rpc === 'CreateVolume' ? left.pop() : undefined;
      return code === undefined ? proceed() : Promise.reject(new CsiStatusError(code, 'gone for lunch'));
    },
  });
  await bench.zones();
  await bench.storageClass('wait', { volumeBindingMode: 'WaitForFirstConsumer' });
  await bench.claim('data', { className: 'wait', node: 'n2' });
  await bench.pass(SECOND_MS / 2);
  await bench.removeNode('n2');
  await bench.pass(10 * SECOND_MS);
  const [first, ...others] = bench.calls.map(({ request }) => request);
  expect(others).toEqual([first, first]);
  expect(await bench.volumes()).toHaveLength(1);
});

test('P-PROV-2 a restart after the volume was made and before it was saved -> same volume, saved once', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  refused.add('persistentvolumes');
  await bench.claim('data');
  await bench.pass(SECOND_MS);
  bench.kill();
  refused.clear();
  bench.launch();
  await bench.pass(SECOND_MS);
  expect([...bench.driver.backend.volumes()]).toHaveLength(1);
  expect(await bench.volumes()).toHaveLength(1);
  await bench.pass(20 * MINUTE_MS);
  expect(bench.rpcs).toEqual(['CreateVolume', 'CreateVolume']);
});

test('a driver that does not answer at first -> asked every second, then everything runs', async () => {
  const refusals = Array.from({ length: 5 }, () => new CsiStatusError('UNAVAILABLE', 'starting'));
  const bench = await startedBench({
    around: (call, proceed) => {
      const refusal = call.rpc === 'Probe' ? refusals.pop() : undefined;
      return refusal === undefined ? proceed() : Promise.reject(refusal);
    },
  });
  await bench.storageClass('fast');
  await bench.claim('data');
  await bench.pass(4 * SECOND_MS);
  expect(await bench.volumes()).toEqual([]);
  await bench.pass(3 * SECOND_MS);
  expect(await bench.volumes()).toHaveLength(1);
});

test('a claim made anew under the same name -> another volume', async () => {
  const bench = await startedBench();
  await bench.storageClass('fast');
  const first = await bench.claim('data');
  await bench.pass(SECOND_MS);
  await bench.removeClaim('data');
  const second = await bench.claim('data');
  await bench.pass(SECOND_MS);
  const names = (await bench.volumes()).map(({ metadata }) => metadata.name).sort();
  expect(names).toEqual([first, second].map(({ metadata }) => `pvc-${metadata.uid}`).sort());
});

test('P-PROV-8 a restore that ended without us -> its finalizer is swept off the snapshot', async () => {
  const bench = await startedBench({ driver: { name: DRIVER } });
  await bench.snapshot('snap', 'h');
  await bench.patchSnapshot('snap', {
    metadata: { finalizers: ['provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection', 'other.test/x'] },
  });
  await bench.pass(6 * MINUTE_MS);
  expect(await bench.snapshotFinalizers('snap')).toEqual(['other.test/x']);
});
