import { expect, test } from 'vitest';
import { defaultAdmission } from '../../apiserver/admission/plugins.ts';
import { ApiServer } from '../../apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../apiserver/local-access.ts';
import { ObjectStore } from '../../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../apiserver/registry/strategies.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { CSIStorageCapacities } from '../../kube/resources/csi-storage-capacity.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { DRIVER, NAMESPACE, type ProvisionerBench, benchOn } from './test-bench.ts';

const startedBench = benchOn((clock, random) => {
  const strategies = defaultStrategies();
  const server = new ApiServer({ clock, random, store: new ObjectStore(), strategies, admission: defaultAdmission() });
  return new LocalClusterAccess({ server, clock, latency: { request: () => 1, watch: () => 1 } });
});

const ZONE = 'topology.test/zone';
const inZone = (zone: string) => ({ [ZONE]: zone });
const driver = {
  topology: { segments: { [ZONE]: { n1: 'zone1', n2: 'zone2', n3: 'zone3' } } },
  pools: [1, 2, 3].map((number) => ({
    name: `p${number}`,
    capacity: `${number}0Gi`,
    segments: inZone(`zone${number}`),
  })),
};
const settings = { enableCapacity: true };
const WAIT = { volumeBindingMode: 'WaitForFirstConsumer' };

async function capacities(bench: ProvisionerBench): Promise<readonly string[]> {
  const { items } = await bench.do(bench.cluster.list(CSIStorageCapacities));
  return items
    .map(
      (each) => `${each.storageClassName} ${each.nodeTopology?.matchLabels?.[ZONE] ?? 'everywhere'} ${each.capacity}`,
    )
    .sort();
}

test('P-PROV-11 a waiting class and three zones -> three objects with labels, topology and sizes', async () => {
  const bench = await startedBench({ driver, settings });
  await bench.zones();
  await bench.storageClass('wait', WAIT);
  await bench.storageClass('fast');
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual(['wait zone1 10Gi', 'wait zone2 20Gi', 'wait zone3 30Gi']);
  const { items } = await bench.do(bench.cluster.list(CSIStorageCapacities));
  expect(items[0]?.metadata.name).toMatch(/^csisc-[a-z0-9]{5}$/);
  expect(items[0]).toMatchObject({
    metadata: {
      namespace: NAMESPACE,
      labels: { 'csi.storage.k8s.io/drivername': DRIVER, 'csi.storage.k8s.io/managed-by': 'external-provisioner' },
    },
    maximumVolumeSize: '1Ti',
  });
});

test('P-PROV-11 immediate classes -> only if told to', async () => {
  const bench = await startedBench({ driver, settings: { ...settings, capacityForImmediateBinding: true } });
  await bench.zones();
  await bench.storageClass('fast');
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toHaveLength(3);
});

test('P-PROV-11 a volume is made -> its zone is asked for anew at once', async () => {
  const bench = await startedBench({ driver, settings });
  await bench.zones();
  await bench.storageClass('wait', WAIT);
  await bench.claim('data', { className: 'wait', size: '4Gi', node: 'n2' });
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual(['wait zone1 10Gi', 'wait zone2 16Gi', 'wait zone3 30Gi']);
});

test('P-PROV-11 the backend changes by itself -> seen at the next poll; nothing changed -> nothing written', async () => {
  const bench = await startedBench({ driver, settings });
  await bench.zones();
  await bench.storageClass('wait', WAIT);
  await bench.pass(SECOND_MS);
  const revisions = async () =>
    (await bench.do(bench.cluster.list(CSIStorageCapacities))).items.map(({ metadata }) => metadata.resourceVersion);
  const before = await revisions();
  await bench.pass(3 * MINUTE_MS);
  expect(await revisions()).toEqual(before);
  const call = { signal: new AbortController().signal, deadlineMs: SECOND_MS };
  const request = {
    name: 'foreign',
    capacityRange: { requiredBytes: 2n ** 30n, limitBytes: 0n },
    parameters: {},
    mutableParameters: {},
    secrets: {},
  };
  const volumeCapabilities = [{ accessType: { case: 'block' }, accessMode: 'SINGLE_NODE_WRITER' }] as const;
  await bench.driver.controller.createVolume({ ...request, volumeCapabilities }, call);
  await bench.pass(MINUTE_MS);
  expect(await capacities(bench)).toEqual(['wait zone1 9Gi', 'wait zone2 20Gi', 'wait zone3 30Gi']);
});

test('P-PROV-11 a class or a place goes -> its objects go; an object deleted by hand comes back', async () => {
  const bench = await startedBench({ driver, settings });
  await bench.zones();
  await bench.storageClass('wait', WAIT);
  await bench.pass(SECOND_MS);
  await bench.do(bench.cluster.delete(Nodes, 'n3'));
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual(['wait zone1 10Gi', 'wait zone2 20Gi']);
  const [object] = (await bench.do(bench.cluster.list(CSIStorageCapacities))).items;
  await bench.do(bench.cluster.delete(CSIStorageCapacities, `${NAMESPACE}/${object?.metadata.name}`));
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual(['wait zone1 10Gi', 'wait zone2 20Gi']);
  await bench.removeClass('wait');
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual([]);
});

test('P-PROV-11 a driver without topology -> one object for everywhere', async () => {
  const bench = await startedBench({ driver: { pools: [{ name: 'p', capacity: '7Gi' }] }, settings });
  await bench.node('n1', {}, []);
  await bench.node('n2', {}, []);
  await bench.storageClass('wait', WAIT);
  await bench.pass(SECOND_MS);
  expect(await capacities(bench)).toEqual(['wait everywhere 7Gi']);
});
