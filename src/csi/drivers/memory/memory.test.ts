import { expect, test } from 'vitest';
import {
  CALL,
  GIB,
  TARGET,
  bench,
  capability,
  codeOf,
  create,
  nodeRequest,
  publishRequest,
  stage,
} from './test-requests.ts';

const sized = (bytes: bigint) => ({ capacityRange: { requiredBytes: bytes, limitBytes: 0n } });

test('P-CSI-3 a class parameter asks for a small pool -> RESOURCE_EXHAUSTED above it, other requests unlimited', async () => {
  const { driver } = bench({ pools: [{ name: 'tiny', capacity: '1Gi', parameters: { kind: 'tiny' } }] });
  const tiny = { parameters: { kind: 'tiny' } };
  expect(await codeOf(create(driver, { name: 'a', ...tiny, ...sized(5n * GIB) }))).toBe('RESOURCE_EXHAUSTED');
  expect(await codeOf(create(driver, { name: 'b', ...tiny, ...sized(GIB) }))).toBe('OK');
  expect(await codeOf(create(driver, { name: 'c', ...sized(500n * GIB) }))).toBe('OK');
});

test('P-CSI-3 expanding past the pool -> RESOURCE_EXHAUSTED and the size stays', async () => {
  const { driver } = bench({ pools: [{ name: 'all', capacity: '10Gi' }] });
  const { volumeId } = await create(driver, sized(6n * GIB));
  const expand = (bytes: bigint) =>
    codeOf(driver.controller.controllerExpandVolume({ volumeId, secrets: {}, ...sized(bytes) }, CALL));
  expect(await expand(11n * GIB)).toBe('RESOURCE_EXHAUSTED');
  expect(await expand(10n * GIB)).toBe('OK');
  expect(driver.backend.volume(volumeId)?.capacityBytes).toBe(10n * GIB);
});

test('P-CSI-7 above the maximum size -> OUT_OF_RANGE on create and on expand', async () => {
  const { driver } = bench({ maximumVolumeSize: '1Ti' });
  expect(await codeOf(create(driver, sized(2048n * GIB)))).toBe('OUT_OF_RANGE');
  const { volumeId } = await create(driver);
  const expand = driver.controller.controllerExpandVolume({ volumeId, secrets: {}, ...sized(2048n * GIB) }, CALL);
  expect(await codeOf(expand)).toBe('OUT_OF_RANGE');
});

test('P-CSI-7 a parameter value that is not accepted -> INVALID_ARGUMENT; other keys pass', async () => {
  const { driver } = bench({ acceptedParameters: { kind: ['tiny'] } });
  expect(await codeOf(create(driver, { parameters: { kind: 'nonsense' } }))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(create(driver, { parameters: { kind: 'tiny', other: 'x' } }))).toBe('OK');
});

test('P-CSI-3 preferred topologies in order, then requisite -> first place with storage', async () => {
  const rack = 'topology.test/rack';
  const at = (value: string) => ({ segments: { [rack]: value } });
  const accessibleFrom = [at('r3').segments, at('r2').segments];
  const { driver } = bench({ topology: { segments: { [rack]: '${node}' }, accessibleFrom } });
  const requisite = [at('r1'), at('r2'), at('r3')];
  const volume = await create(driver, { accessibilityRequirements: { requisite, preferred: [at('r1'), at('r2')] } });
  expect(volume.accessibleTopology).toEqual([at('r2')]);
  expect((await create(driver, { name: 'free' })).accessibleTopology).toEqual([at('r3')]);
});

test('P-CSI-3 a driver that ignores requirements -> its own place', async () => {
  const place = { 'topology.test/node': 'n1' };
  const topology = { segments: { 'topology.test/node': '${node}' }, accessibleFrom: [place], ignoresRequirement: true };
  const { driver } = bench({ topology });
  const requisite = [{ segments: { 'topology.test/node': 'n2' } }];
  const volume = await create(driver, { accessibilityRequirements: { requisite, preferred: [] } });
  expect(volume.accessibleTopology).toEqual([{ segments: place }]);
  expect(await driver.nodeService('n2').nodeGetInfo({}, CALL)).toEqual({
    nodeId: 'n2',
    maxVolumesPerNode: 0n,
    accessibleTopology: { segments: { 'topology.test/node': 'n2' } },
  });
});

test('P-CSI-4 a shared node id -> every node is that one', async () => {
  const { driver } = bench({ sharedNodeId: 'par-node' });
  const { volumeId } = await create(driver);
  const publish = (nodeId: string) =>
    codeOf(driver.controller.controllerPublishVolume(publishRequest(volumeId, { nodeId }), CALL));
  expect(await publish('n1')).toBe('NOT_FOUND');
  expect(await publish('par-node')).toBe('OK');
  expect((await driver.nodeService('n7').nodeGetInfo({}, CALL)).nodeId).toBe('par-node');
  expect(await codeOf(driver.nodeService('n7').nodeStageVolume(nodeRequest(volumeId), CALL))).toBe('OK');
});

test('a node becomes known by its node service -> it can be published to', async () => {
  const { driver } = bench({ nodes: [] });
  const { volumeId } = await create(driver);
  const publish = () => codeOf(driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL));
  expect(await publish()).toBe('NOT_FOUND');
  driver.nodeService('n1');
  expect(await publish()).toBe('OK');
});

test('what is not offered -> UNIMPLEMENTED', async () => {
  const { driver } = bench({ capabilities: { controller: ['CREATE_DELETE_VOLUME'], node: [] } });
  const { volumeId } = await create(driver);
  expect(await codeOf(driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL))).toBe('UNIMPLEMENTED');
  expect(await codeOf(driver.nodeService('n1').nodeStageVolume(nodeRequest(volumeId), CALL))).toBe('UNIMPLEMENTED');
  expect(await codeOf(driver.nodeService('n1').nodePublishVolume(nodeRequest(volumeId), CALL))).toBe('OK');
});

test('staging before attaching, publishing before staging -> FAILED_PRECONDITION', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  const node = driver.nodeService('n1');
  expect(await codeOf(node.nodeStageVolume(nodeRequest(volumeId), CALL))).toBe('FAILED_PRECONDITION');
  await driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL);
  expect(await codeOf(node.nodePublishVolume(nodeRequest(volumeId), CALL))).toBe('FAILED_PRECONDITION');
});

test('unstaging before unpublishing -> FAILED_PRECONDITION', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  await stage(driver, volumeId);
  const node = driver.nodeService('n1');
  await node.nodePublishVolume(nodeRequest(volumeId), CALL);
  const { stagingTargetPath } = nodeRequest(volumeId);
  expect(await codeOf(node.nodeUnstageVolume({ volumeId, stagingTargetPath }, CALL))).toBe('FAILED_PRECONDITION');
});

const SECOND_PUBLISH = [
  ['SINGLE_NODE_MULTI_WRITER', 'OK', 'ALREADY_EXISTS', 'OK'],
  ['MULTI_NODE_MULTI_WRITER', 'OK', 'ALREADY_EXISTS', 'OK'],
  ['SINGLE_NODE_WRITER', 'OK', 'ALREADY_EXISTS', 'OK'],
  ['SINGLE_NODE_SINGLE_WRITER', 'OK', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  ['SINGLE_NODE_READER_ONLY', 'OK', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
] as const;
test.each(SECOND_PUBLISH)(
  'P-CSI-1 second NodePublish of %s -> same %s, differing %s, elsewhere %s',
  async (mode, ...codes) => {
    const { driver } = bench();
    const volumeCapability = capability(mode);
    const { volumeId } = await create(driver, { volumeCapabilities: [volumeCapability] });
    await stage(driver, volumeId, mode);
    const publish = (changes: object) =>
      codeOf(driver.nodeService('n1').nodePublishVolume(nodeRequest(volumeId, { volumeCapability, ...changes }), CALL));
    expect(await publish({})).toBe('OK');
    const answers = [
      await publish({}),
      await publish({ readonly: true }),
      await publish({ targetPath: '/mnt/second' }),
    ];
    expect(answers).toEqual(codes);
  },
);

test('a snapshot under post-processing -> unready for so many answers, then ready', async () => {
  const { driver } = bench({ unreadySnapshotAnswers: 2 });
  const { volumeId } = await create(driver);
  const request = { sourceVolumeId: volumeId, name: 'snap', secrets: {}, parameters: {} };
  const ready = async () => (await driver.controller.createSnapshot(request, CALL)).snapshot.readyToUse;
  expect([await ready(), await ready(), await ready()]).toEqual([false, false, true]);
});

test('an inline volume -> made by NodePublish, gone with its target', async () => {
  const { driver } = bench();
  const request = nodeRequest('csi-inline', { volumeContext: { 'csi.storage.k8s.io/ephemeral': 'true', size: '2Gi' } });
  const node = driver.nodeService('n1');
  await node.nodePublishVolume(request, CALL);
  expect(driver.backend.volume('csi-inline')?.capacityBytes).toBe(2n * GIB);
  await node.nodeUnpublishVolume({ volumeId: 'csi-inline', targetPath: TARGET }, CALL);
  expect(driver.backend.volume('csi-inline')).toBeUndefined();
});

test('usage and condition set from outside -> stats and list show them', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver, sized(GIB));
  await stage(driver, volumeId);
  driver.backend.setUsedBytes(volumeId, GIB / 4n);
  driver.backend.setCondition(volumeId, { abnormal: true, message: 'disk is tired' });
  const request = { volumeId, volumePath: '/mnt/staging', stagingTargetPath: '' };
  const { usage, volumeCondition } = await driver.nodeService('n1').nodeGetVolumeStats(request, CALL);
  expect(usage[0]).toEqual({ available: (GIB / 4n) * 3n, total: GIB, used: GIB / 4n, unit: 'BYTES' });
  expect(volumeCondition).toEqual({ abnormal: true, message: 'disk is tired' });
  const { status } = await driver.controller.controllerGetVolume({ volumeId }, CALL);
  expect(status).toEqual({ publishedNodeIds: ['n1'], volumeCondition });
});

test('a volume of the configuration -> can be published although nobody created it', async () => {
  const { driver } = bench({ volumes: [{ volumeId: 'disk-1', capacity: '5Gi' }] });
  expect(await codeOf(driver.controller.controllerPublishVolume(publishRequest('disk-1'), CALL))).toBe('OK');
  expect(driver.backend.volume('disk-1')?.capacityBytes).toBe(5n * GIB);
});

test('an offline-only driver -> a published volume does not expand', async () => {
  const { driver } = bench({ volumeExpansion: 'OFFLINE', nodeExpansionRequired: false });
  const { volumeId } = await create(driver, sized(GIB));
  const expand = () => driver.controller.controllerExpandVolume({ volumeId, secrets: {}, ...sized(2n * GIB) }, CALL);
  await driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL);
  expect(await codeOf(expand())).toBe('FAILED_PRECONDITION');
  await driver.controller.controllerUnpublishVolume({ volumeId, nodeId: 'n1', secrets: {} }, CALL);
  expect(await expand()).toEqual({ capacityBytes: 2n * GIB, nodeExpansionRequired: false });
});

test('P-CSI-8 same configuration and seed -> same volume ids; two drivers do not share volumes', async () => {
  const [one, two] = [bench(), bench({ name: 'other.csi.test' })];
  const [here, there] = [await create(one.driver), await create(two.driver)];
  expect(here.volumeId).toBe(there.volumeId);
  await one.driver.controller.deleteVolume({ volumeId: here.volumeId, secrets: {} }, CALL);
  expect(two.driver.backend.volume(there.volumeId)).toBeDefined();
});
