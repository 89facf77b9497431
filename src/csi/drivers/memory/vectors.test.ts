// The vectors CSI-nn of the specification that do not need a file system.
import { expect, test } from 'vitest';
import type { CsiVolume, Topology } from '../../driver.ts';
import type { MemoryDriver } from './memory.ts';
import {
  CALL,
  GIB,
  bench,
  capability,
  codeOf,
  create,
  errorOf,
  nodeRequest,
  publishRequest,
  stage,
} from './test-requests.ts';

const ZONE = 'topology.disk.csi.test/zone';
const inZone = (zone: string): Topology => ({ segments: { [ZONE]: zone } });
const TOPOLOGY = { segments: { [ZONE]: { n1: 'a', n2: 'b' } } };
const size = (bytes: bigint) => ({ capacityRange: { requiredBytes: bytes, limitBytes: bytes } });

const publish = (driver: MemoryDriver, { volumeId }: CsiVolume, changes: object = {}) =>
  driver.controller.controllerPublishVolume(publishRequest(volumeId, changes), CALL);
const unpublish = (driver: MemoryDriver, volumeId: string, nodeId: string) =>
  driver.controller.controllerUnpublishVolume({ volumeId, nodeId, secrets: {} }, CALL);

test('P-CSI-1 CSI-01 and CSI-29 CreateVolume twice -> same id, one volume', async () => {
  const { driver, effects } = bench();
  const [first, second] = [await create(driver), await create(driver)];
  expect(second).toEqual(first);
  expect(effects).toEqual([{ driver: 'disk.csi.test', call: 'CreateVolume', volumeId: first.volumeId }]);
});

test('P-CSI-1 CSI-02 same name, larger range -> ALREADY_EXISTS and the first untouched', async () => {
  const { driver } = bench();
  const first = await create(driver, size(GIB));
  expect(await codeOf(create(driver, size(2n * GIB)))).toBe('ALREADY_EXISTS');
  expect(driver.backend.volume(first.volumeId)?.capacityBytes).toBe(GIB);
});

test('CSI-03 required above limit -> INVALID_ARGUMENT', async () => {
  const { driver } = bench();
  const range = { capacityRange: { requiredBytes: 2n * GIB, limitBytes: GIB } };
  expect(await codeOf(create(driver, range))).toBe('INVALID_ARGUMENT');
});

test('CSI-04 limit below the minimum size -> OUT_OF_RANGE mentioning it', async () => {
  const { driver } = bench({ minimumVolumeSize: '300Mi' });
  const range = { capacityRange: { requiredBytes: 100n << 20n, limitBytes: 200n << 20n } };
  expect(await errorOf(create(driver, range))).toMatch(/^rpc error: code = OutOfRange desc = .*300Mi/);
});

test('P-CSI-3 CSI-05 requisite in an unknown zone -> RESOURCE_EXHAUSTED', async () => {
  const { driver } = bench({ topology: TOPOLOGY });
  const accessibilityRequirements = { requisite: [inZone('z9')], preferred: [] };
  expect(await codeOf(create(driver, { accessibilityRequirements }))).toBe('RESOURCE_EXHAUSTED');
});

test('P-CSI-3 CSI-06 zone a with 3Gi -> second 2Gi is RESOURCE_EXHAUSTED, GetCapacity says 1Gi', async () => {
  const pools = [{ name: 'a', capacity: '3Gi', segments: inZone('a').segments }];
  const { driver } = bench({ topology: TOPOLOGY, pools });
  const accessibilityRequirements = { requisite: [inZone('a')], preferred: [] };
  const first = await create(driver, { name: 'one', ...size(2n * GIB), accessibilityRequirements });
  expect(first.accessibleTopology).toEqual([inZone('a')]);
  const second = create(driver, { name: 'two', ...size(2n * GIB), accessibilityRequirements });
  expect(await codeOf(second)).toBe('RESOURCE_EXHAUSTED');
  const left = (zone: string) =>
    driver.controller.getCapacity({ volumeCapabilities: [], parameters: {}, accessibleTopology: inZone(zone) }, CALL);
  expect((await left('a')).availableCapacity).toBe(GIB);
  expect((await left('z9')).availableCapacity).toBe(0n);
  await driver.controller.deleteVolume({ volumeId: first.volumeId, secrets: {} }, CALL);
  expect((await left('a')).availableCapacity).toBe(3n * GIB);
});

test('P-CSI-4 CSI-07 single-node volume to a second node -> FAILED_PRECONDITION naming the first', async () => {
  const { driver } = bench();
  const volumeCapability = capability('SINGLE_NODE_MULTI_WRITER');
  const volume = await create(driver, { volumeCapabilities: [volumeCapability] });
  await publish(driver, volume, { volumeCapability });
  expect(await errorOf(publish(driver, volume, { nodeId: 'n2', volumeCapability }))).toBe(
    `rpc error: code = FailedPrecondition desc = volume ${volume.volumeId} is already attached to node n1`,
  );
  await unpublish(driver, volume.volumeId, 'n1');
  expect(await codeOf(publish(driver, volume, { nodeId: 'n2', volumeCapability }))).toBe('OK');
});

test('P-CSI-1 CSI-08 publish twice -> identical publish context', async () => {
  const { driver } = bench();
  const volume = await create(driver);
  expect(await publish(driver, volume)).toEqual(await publish(driver, volume));
});

test('P-CSI-4 CSI-09 multi-node publish -> only for a volume made multi-node', async () => {
  const { driver } = bench();
  const volumeCapability = capability('MULTI_NODE_MULTI_WRITER');
  const many = await create(driver, { name: 'many', volumeCapabilities: [volumeCapability] });
  const single = await create(driver, { name: 'single' });
  expect(await codeOf(publish(driver, many, { volumeCapability }))).toBe('OK');
  expect(await codeOf(publish(driver, many, { volumeCapability, nodeId: 'n2' }))).toBe('OK');
  expect(await codeOf(publish(driver, single, { volumeCapability }))).toBe('INVALID_ARGUMENT');
});

test('P-CSI-3 CSI-10 publish to a node of another zone -> FAILED_PRECONDITION naming both', async () => {
  const { driver } = bench({ topology: TOPOLOGY });
  const volume = await create(driver, { accessibilityRequirements: { requisite: [inZone('a')], preferred: [] } });
  const error = await errorOf(publish(driver, volume, { nodeId: 'n2' }));
  expect(error).toMatch(new RegExp(`code = FailedPrecondition desc = .*${ZONE}=a.*${ZONE}=b`));
});

test('P-CSI-4 CSI-11 limit of two on a node -> third RESOURCE_EXHAUSTED until one is unpublished', async () => {
  const { driver } = bench({ maxVolumesPerNode: 2 });
  const volumes = await Promise.all(['a', 'b', 'c'].map((name) => create(driver, { name })));
  const codes = await Promise.all(volumes.map((volume) => codeOf(publish(driver, volume))));
  expect(codes).toEqual(['OK', 'OK', 'RESOURCE_EXHAUSTED']);
  for (const { volumeId } of volumes.slice(0, 1)) await unpublish(driver, volumeId, 'n1');
  for (const volume of volumes.slice(2)) expect(await codeOf(publish(driver, volume))).toBe('OK');
});

test('P-CSI-1 CSI-12 unpublish an unknown volume or node -> OK', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  expect(await codeOf(unpublish(driver, 'fake-vol-id-1', 'n1'))).toBe('OK');
  expect(await codeOf(unpublish(driver, volumeId, 'fake-node-id-1'))).toBe('OK');
});

test('P-CSI-4 CSI-13 DeleteVolume while published -> FAILED_PRECONDITION and it stays', async () => {
  const { driver } = bench();
  const volume = await create(driver);
  await publish(driver, volume);
  const remove = () => codeOf(driver.controller.deleteVolume({ volumeId: volume.volumeId, secrets: {} }, CALL));
  expect(await remove()).toBe('FAILED_PRECONDITION');
  await unpublish(driver, volume.volumeId, '');
  expect(await remove()).toBe('OK');
});

test('CSI-14 and CSI-22 a snapshot outlives its volume -> restorable, but not into less', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver, size(2n * GIB));
  const request = { sourceVolumeId: volumeId, name: 'snap', secrets: {}, parameters: {} };
  const { snapshotId } = (await driver.controller.createSnapshot(request, CALL)).snapshot;
  await driver.controller.deleteVolume({ volumeId, secrets: {} }, CALL);
  const volumeContentSource = { case: 'snapshot', snapshotId } as const;
  expect(await codeOf(create(driver, { name: 'less', ...size(GIB), volumeContentSource }))).toBe('OUT_OF_RANGE');
  expect(await codeOf(create(driver, { name: 'same', ...size(2n * GIB), volumeContentSource }))).toBe('OK');
});

test('P-CSI-5 CSI-26 forced unpublish while staged -> the old node is cut off, the new one may stage', async () => {
  const { driver } = bench();
  const volume = await create(driver);
  const { volumeId } = volume;
  await stage(driver, volumeId);
  const old = driver.nodeService('n1');
  await old.nodePublishVolume(nodeRequest(volumeId), CALL);
  await unpublish(driver, volumeId, 'n1');
  expect(driver.backend.volume(volumeId)?.targets).toMatchObject([{ nodeName: 'n1', fenced: true }]);
  await publish(driver, volume, { nodeId: 'n2' });
  expect(await codeOf(driver.nodeService('n2').nodeStageVolume(nodeRequest(volumeId), CALL))).toBe('OK');
  expect(await codeOf(old.nodePublishVolume(nodeRequest(volumeId, { targetPath: '/mnt/new' }), CALL))).toBe(
    'FAILED_PRECONDITION',
  );
  const { stagingTargetPath, targetPath } = nodeRequest(volumeId);
  expect(await codeOf(old.nodeUnpublishVolume({ volumeId, targetPath }, CALL))).toBe('OK');
  expect(await codeOf(old.nodeUnstageVolume({ volumeId, stagingTargetPath }, CALL))).toBe('OK');
  expect(driver.backend.volume(volumeId)?.staged).toMatchObject([{ nodeName: 'n2', fenced: false }]);
});

test('P-CSI-6 CSI-30 a listed volume is deleted between two pages -> the rest once each', async () => {
  const { driver } = bench();
  const volumes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => create(driver, { name })));
  const ids = volumes.map(({ volumeId }) => volumeId);
  const first = await driver.controller.listVolumes({ maxEntries: 2, startingToken: '' }, CALL);
  await driver.controller.deleteVolume({ volumeId: ids[1] ?? '', secrets: {} }, CALL);
  const rest = await driver.controller.listVolumes({ maxEntries: 0, startingToken: first.nextToken }, CALL);
  expect([...first.entries, ...rest.entries].map(({ volume }) => volume.volumeId)).toEqual(ids);
});
