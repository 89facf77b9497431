// The cases of csi-sanity by their numbers in the table of the specification. Missing are those of the group controller
// (90 to 95), which the memory driver does not offer.
import { expect, test } from 'vitest';
import type { ListSnapshotsRequest } from '../../driver.ts';
import {
  CALL,
  GIB,
  STAGING,
  TARGET,
  bench,
  capability,
  codeOf,
  create,
  createRequest,
  nodeRequest,
  publishRequest,
  stage,
} from './test-requests.ts';

const { driver: shared } = bench({ acceptedMutableParameters: ['tier'] });
const LIST = { maxEntries: 0, startingToken: '' };
const SNAPSHOTS: ListSnapshotsRequest = { ...LIST, sourceVolumeId: '', snapshotId: '', secrets: {} };
const NO_CAPABILITY = { volumeCapability: undefined } as unknown as Record<string, never>;

const snapshotOf = async (driver = shared, sourceVolumeId: string, name: string) =>
  (await driver.controller.createSnapshot({ sourceVolumeId, name, secrets: {}, parameters: {} }, CALL)).snapshot;

// ---- identity ----

test('P-CSI-2 sanity 1 GetPluginCapabilities -> only known types', async () => {
  const { capabilities } = await shared.identity.getPluginCapabilities({}, CALL);
  expect(capabilities).toEqual([
    { case: 'service', type: 'CONTROLLER_SERVICE' },
    { case: 'volumeExpansion', type: 'ONLINE' },
  ]);
});

test('P-CSI-2 sanity 2 Probe -> ready', async () => {
  expect(await shared.identity.probe({}, CALL)).toEqual({ ready: true });
});

test('P-CSI-2 sanity 3 GetPluginInfo -> name and version', async () => {
  const { name, vendorVersion } = await shared.identity.getPluginInfo({}, CALL);
  expect(name).toMatch(/^[A-Za-z][A-Za-z0-9._-]{0,61}[A-Za-z]$/);
  expect(vendorVersion).not.toBe('');
});

// ---- controller ----

test('P-CSI-2 sanity 4 ControllerGetCapabilities -> fifteen known types', async () => {
  const { capabilities } = await shared.controller.controllerGetCapabilities({}, CALL);
  expect(new Set(capabilities.map(({ type }) => type)).size).toBe(15);
});

test('P-CSI-2 sanity 5 GetCapacity, empty request -> OK', async () => {
  const { availableCapacity } = await shared.controller.getCapacity({ volumeCapabilities: [], parameters: {} }, CALL);
  expect(availableCapacity).toBe(1024n * GIB);
});

test('P-CSI-2 sanity 6 and 8 ListVolumes -> one more after create, back after delete', async () => {
  const { driver } = bench();
  const count = async () => (await driver.controller.listVolumes(LIST, CALL)).entries.length;
  expect(await count()).toBe(0);
  const { volumeId } = await create(driver);
  expect(await count()).toBe(1);
  await driver.controller.deleteVolume({ volumeId, secrets: {} }, CALL);
  expect(await count()).toBe(0);
});

test('P-CSI-2 sanity 7 ListVolumes, invalid token -> ABORTED', async () => {
  expect(await codeOf(shared.controller.listVolumes({ ...LIST, startingToken: 'invalid-token' }, CALL))).toBe(
    'ABORTED',
  );
});

test('P-CSI-2 sanity 9 and 10 CreateVolume without name or capabilities -> INVALID_ARGUMENT', async () => {
  expect(await codeOf(create(shared, { name: '' }))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(create(shared, { volumeCapabilities: [] }))).toBe('INVALID_ARGUMENT');
});

test('P-CSI-2 sanity 11 CreateVolume without capacity range -> OK', async () => {
  const { capacityRange: _none, ...request } = createRequest({ name: 'unsized' });
  expect((await shared.controller.createVolume(request, CALL)).volume.capacityBytes).toBe(GIB);
});

test('P-CSI-2 sanity 12 and 13 CreateVolume twice, same name and size -> same id', async () => {
  const first = await create(shared, { name: 'twice' });
  expect(first.capacityBytes).toBe(10n * GIB);
  expect((await create(shared, { name: 'twice' })).volumeId).toBe(first.volumeId);
});

test('P-CSI-2 sanity 14 CreateVolume, same name and another size -> ALREADY_EXISTS', async () => {
  const exact = (bytes: bigint) => ({ name: 'sized', capacityRange: { requiredBytes: bytes, limitBytes: bytes } });
  expect((await create(shared, exact(10n * GIB))).capacityBytes).toBe(10n * GIB);
  expect(await codeOf(create(shared, exact(20n * GIB)))).toBe('ALREADY_EXISTS');
});

test('P-CSI-2 sanity 15 CreateVolume, 128 characters of name -> OK', async () => {
  expect(await codeOf(create(shared, { name: 'x'.repeat(128) }))).toBe('OK');
});

test('P-CSI-2 sanity 16 and 17 CreateVolume from a snapshot -> content source, missing: NOT_FOUND', async () => {
  const { volumeId } = await create(shared, { name: 'snapshot-source' });
  const { snapshotId } = await snapshotOf(shared, volumeId, 'for-restore');
  const source = { case: 'snapshot', snapshotId } as const;
  expect((await create(shared, { name: 'restored', volumeContentSource: source })).contentSource).toEqual(source);
  const missing = { case: 'snapshot', snapshotId: 'non-existing-snapshot-id' } as const;
  expect(await codeOf(create(shared, { name: 'none', volumeContentSource: missing }))).toBe('NOT_FOUND');
});

test('P-CSI-2 sanity 18 and 19 CreateVolume from a volume -> content source, missing: NOT_FOUND', async () => {
  const { volumeId } = await create(shared, { name: 'clone-source' });
  const source = { case: 'volume', volumeId } as const;
  expect((await create(shared, { name: 'clone', volumeContentSource: source })).contentSource).toEqual(source);
  const missing = { case: 'volume', volumeId: 'fake-vol-id-1' } as const;
  expect(await codeOf(create(shared, { name: 'none', volumeContentSource: missing }))).toBe('NOT_FOUND');
});

test('P-CSI-2 sanity 20 and 21 CreateVolume with mutable parameters -> only the accepted ones', async () => {
  expect(await codeOf(create(shared, { name: 'gold', mutableParameters: { tier: 'gold' } }))).toBe('OK');
  expect(await codeOf(create(shared, { name: 'red', mutableParameters: { colour: 'red' } }))).toBe('INVALID_ARGUMENT');
});

test('P-CSI-2 sanity 22 to 24 DeleteVolume -> no id INVALID_ARGUMENT, unknown OK, existing OK', async () => {
  const { volumeId } = await create(shared, { name: 'deleted' });
  const remove = (id: string) => codeOf(shared.controller.deleteVolume({ volumeId: id, secrets: {} }, CALL));
  expect(await remove('')).toBe('INVALID_ARGUMENT');
  expect(await remove('reallyfakevolumeid')).toBe('OK');
  expect(await remove(volumeId)).toBe('OK');
  expect(shared.backend.volume(volumeId)).toBeUndefined();
});

test('P-CSI-2 sanity 25 to 28 ValidateVolumeCapabilities -> fields, existence, confirmed', async () => {
  const { volumeId } = await create(shared, { name: 'validated' });
  const request = { volumeContext: {}, parameters: {}, mutableParameters: {}, secrets: {} };
  const validate = (id: string, volumeCapabilities = [capability()]) =>
    shared.controller.validateVolumeCapabilities({ ...request, volumeId: id, volumeCapabilities }, CALL);
  expect(await codeOf(validate(''))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(validate(volumeId, []))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(validate('fake-vol-id-1'))).toBe('NOT_FOUND');
  expect((await validate(volumeId)).confirmed?.volumeCapabilities).toEqual([capability()]);
  expect((await validate(volumeId, [capability('MULTI_NODE_MULTI_WRITER')])).confirmed).toBeUndefined();
});

test('P-CSI-2 sanity 29 to 31 ControllerPublishVolume, a field missing -> INVALID_ARGUMENT before existence', async () => {
  const publish = (changes: object) =>
    codeOf(shared.controller.controllerPublishVolume(publishRequest('fake-vol-id-1', changes), CALL));
  expect(await publish({ volumeId: '' })).toBe('INVALID_ARGUMENT');
  expect(await publish({ nodeId: '' })).toBe('INVALID_ARGUMENT');
  expect(await publish({ nodeId: 'fake-node-id-1', ...NO_CAPABILITY })).toBe('INVALID_ARGUMENT');
});

test('P-CSI-2 sanity 32 ControllerPublishVolume past max_volumes_per_node -> RESOURCE_EXHAUSTED', async () => {
  const { driver } = bench({ maxVolumesPerNode: 1 });
  const [one, two] = [await create(driver, { name: 'a' }), await create(driver, { name: 'b' })];
  expect(await codeOf(driver.controller.controllerPublishVolume(publishRequest(one.volumeId), CALL))).toBe('OK');
  const second = driver.controller.controllerPublishVolume(publishRequest(two.volumeId), CALL);
  expect(await codeOf(second)).toBe('RESOURCE_EXHAUSTED');
});

test('P-CSI-2 sanity 33 and 34 ControllerPublishVolume, volume or node missing -> NOT_FOUND', async () => {
  const { volumeId } = await create(shared, { name: 'lonely' });
  const publish = (id: string) =>
    codeOf(shared.controller.controllerPublishVolume(publishRequest(id, { nodeId: 'fake-node-id-1' }), CALL));
  expect(await publish('fake-vol-id-1')).toBe('NOT_FOUND');
  expect(await publish(volumeId)).toBe('NOT_FOUND');
});

test('P-CSI-2 sanity 35 ControllerPublishVolume again as readonly -> ALREADY_EXISTS', async () => {
  const { volumeId } = await create(shared, { name: 'readonly' });
  await shared.controller.controllerPublishVolume(publishRequest(volumeId), CALL);
  const again = shared.controller.controllerPublishVolume(publishRequest(volumeId, { readonly: true }), CALL);
  expect(await codeOf(again)).toBe('ALREADY_EXISTS');
});

test('P-CSI-2 sanity 36 and 37 ControllerPublishVolume ten times -> one publication', async () => {
  const { driver, effects } = bench();
  const { volumeId } = await create(driver);
  for (let round = 0; round < 10; round++) {
    expect(await codeOf(driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL))).toBe('OK');
  }
  expect(effects.map(({ call }) => call)).toEqual(['CreateVolume', 'ControllerPublishVolume']);
});

test('P-CSI-2 sanity 38 ControllerUnpublishVolume without volume id -> INVALID_ARGUMENT', async () => {
  const unpublish = shared.controller.controllerUnpublishVolume({ volumeId: '', nodeId: 'n1', secrets: {} }, CALL);
  expect(await codeOf(unpublish)).toBe('INVALID_ARGUMENT');
});

// ---- snapshots ----

test('P-CSI-2 sanity 39 to 44 ListSnapshots -> all, by id, by source, none for what is missing', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  const list = async (changes: Partial<ListSnapshotsRequest>) =>
    (await driver.controller.listSnapshots({ ...SNAPSHOTS, ...changes }, CALL)).entries.map(({ snapshot }) => snapshot);
  expect(await list({})).toEqual([]);
  const snapshot = await snapshotOf(driver, volumeId, 'one');
  expect(snapshot).toMatchObject({ sourceVolumeId: volumeId, readyToUse: true, sizeBytes: 10n * GIB });
  expect(snapshot.creationTime).toEqual({ seconds: 1_767_225_600n, nanos: 0 });
  expect(await list({})).toEqual([snapshot]);
  expect(await list({ snapshotId: snapshot.snapshotId })).toEqual([snapshot]);
  expect(await list({ snapshotId: 'none' })).toEqual([]);
  expect(await list({ sourceVolumeId: volumeId })).toEqual([snapshot]);
  expect(await list({ sourceVolumeId: 'none' })).toEqual([]);
});

test('P-CSI-2 sanity 45 ListSnapshots, two of five -> a token for the rest', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await snapshotOf(driver, volumeId, name);
  const first = await driver.controller.listSnapshots({ ...SNAPSHOTS, maxEntries: 2 }, CALL);
  expect(first.entries).toHaveLength(2);
  const rest = await driver.controller.listSnapshots({ ...SNAPSHOTS, startingToken: first.nextToken }, CALL);
  expect(rest.entries).toHaveLength(3);
  expect(rest.nextToken).toBe('');
});

test('P-CSI-2 sanity 46 to 48 GetSnapshot -> no id INVALID_ARGUMENT, right one, missing NOT_FOUND', async () => {
  const { volumeId } = await create(shared, { name: 'three-snapshots' });
  const [, second] = [await snapshotOf(shared, volumeId, 's1'), await snapshotOf(shared, volumeId, 's2')];
  const get = (snapshotId: string) => shared.controller.getSnapshot({ snapshotId, secrets: {} }, CALL);
  expect(await codeOf(get(''))).toBe('INVALID_ARGUMENT');
  expect((await get(second.snapshotId)).snapshot).toEqual(second);
  expect(await codeOf(get('none'))).toBe('NOT_FOUND');
});

test('P-CSI-2 sanity 49 to 51 DeleteSnapshot -> no id INVALID_ARGUMENT, unknown OK, existing OK', async () => {
  const { volumeId } = await create(shared, { name: 'snapshot-deleted' });
  const { snapshotId } = await snapshotOf(shared, volumeId, 'to-delete');
  const remove = (id: string) => codeOf(shared.controller.deleteSnapshot({ snapshotId: id, secrets: {} }, CALL));
  expect(await remove('')).toBe('INVALID_ARGUMENT');
  expect(await remove('reallyfakesnapshotid')).toBe('OK');
  expect(await remove(snapshotId)).toBe('OK');
  expect(shared.backend.snapshot(snapshotId)).toBeUndefined();
});

test('P-CSI-2 sanity 52 to 56 CreateSnapshot -> fields, same name same source, other source', async () => {
  const [one, two] = [await create(shared, { name: 'src-1' }), await create(shared, { name: 'src-2' })];
  expect(await codeOf(snapshotOf(shared, one.volumeId, ''))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(snapshotOf(shared, '', 'nameless'))).toBe('INVALID_ARGUMENT');
  const snapshot = await snapshotOf(shared, one.volumeId, 'again');
  expect((await snapshotOf(shared, one.volumeId, 'again')).snapshotId).toBe(snapshot.snapshotId);
  expect(await codeOf(snapshotOf(shared, two.volumeId, 'again'))).toBe('ALREADY_EXISTS');
  expect(await codeOf(snapshotOf(shared, one.volumeId, 'y'.repeat(128)))).toBe('OK');
});

// ---- expand and modify ----

test('P-CSI-2 sanity 57 to 59 ControllerExpandVolume -> fields first, then exactly what was asked', async () => {
  const { volumeId } = await create(shared, { name: 'expanded' });
  const expand = (id: string, requiredBytes?: bigint) =>
    shared.controller.controllerExpandVolume(
      {
        volumeId: id,
        secrets: {},
        ...(requiredBytes === undefined ? {} : { capacityRange: { requiredBytes, limitBytes: 0n } }),
      },
      CALL,
    );
  expect(await codeOf(expand('', GIB))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(expand('fake-vol-id-1'))).toBe('INVALID_ARGUMENT');
  expect(await expand(volumeId, 11n * GIB)).toEqual({ capacityBytes: 11n * GIB, nodeExpansionRequired: true });
  expect(await expand(volumeId, 5n * GIB)).toEqual({ capacityBytes: 11n * GIB, nodeExpansionRequired: true });
});

test('P-CSI-2 sanity 60 to 65 ControllerModifyVolume -> no id, missing, unsupported, with and without class', async () => {
  const plain = await create(shared, { name: 'unclassed' });
  const classed = await create(shared, { name: 'classed', mutableParameters: { tier: 'silver' } });
  const modify = (volumeId: string, mutableParameters: Record<string, string>) =>
    codeOf(shared.controller.controllerModifyVolume({ volumeId, secrets: {}, mutableParameters }, CALL));
  expect(await modify('', {})).toBe('INVALID_ARGUMENT');
  expect(await modify('fake-vol-id-1', {})).toBe('NOT_FOUND');
  expect(await modify(plain.volumeId, { colour: 'red' })).toBe('INVALID_ARGUMENT');
  expect(await modify(plain.volumeId, { tier: 'gold' })).toBe('OK');
  expect(await modify(classed.volumeId, { tier: 'gold' })).toBe('OK');
  expect(await modify(classed.volumeId, { tier: 'lead', colour: 'red' })).toBe('INVALID_ARGUMENT');
  expect(shared.backend.volume(classed.volumeId)?.mutableParameters).toEqual({ tier: 'gold' });
});

// ---- node ----

test('P-CSI-2 sanity 66 and 67 NodeGetCapabilities and NodeGetInfo -> known types, a node id', async () => {
  const node = shared.nodeService('n1');
  expect((await node.nodeGetCapabilities({}, CALL)).capabilities).toHaveLength(5);
  expect(await node.nodeGetInfo({}, CALL)).toEqual({ nodeId: 'n1', maxVolumesPerNode: 0n });
});

test('P-CSI-2 sanity 68 to 70 NodePublishVolume, a field missing -> INVALID_ARGUMENT', async () => {
  const publish = (changes: object) =>
    codeOf(shared.nodeService('n1').nodePublishVolume(nodeRequest('fake-vol-id-1', changes), CALL));
  expect(await publish({ volumeId: '' })).toBe('INVALID_ARGUMENT');
  expect(await publish({ targetPath: '' })).toBe('INVALID_ARGUMENT');
  expect(await publish(NO_CAPABILITY)).toBe('INVALID_ARGUMENT');
});

test('P-CSI-2 sanity 71 NodePublishVolume, a single writer at a second target -> FAILED_PRECONDITION', async () => {
  const { driver } = bench();
  const volumeCapability = capability('SINGLE_NODE_SINGLE_WRITER');
  const { volumeId } = await create(driver, { volumeCapabilities: [volumeCapability] });
  await stage(driver, volumeId, 'SINGLE_NODE_SINGLE_WRITER');
  const publish = (targetPath: string) =>
    codeOf(driver.nodeService('n1').nodePublishVolume(nodeRequest(volumeId, { volumeCapability, targetPath }), CALL));
  expect(await publish(TARGET)).toBe('OK');
  expect(await publish('/mnt/other_target')).toBe('FAILED_PRECONDITION');
});

test('P-CSI-2 sanity 72 to 74 NodeUnpublishVolume -> fields, target gone afterwards', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  await stage(driver, volumeId);
  const node = driver.nodeService('n1');
  await node.nodePublishVolume(nodeRequest(volumeId), CALL);
  expect(await codeOf(node.nodeUnpublishVolume({ volumeId: '', targetPath: TARGET }, CALL))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(node.nodeUnpublishVolume({ volumeId, targetPath: '' }, CALL))).toBe('INVALID_ARGUMENT');
  await node.nodeUnpublishVolume({ volumeId, targetPath: TARGET }, CALL);
  expect(driver.backend.volume(volumeId)?.targets).toEqual([]);
});

test('P-CSI-2 sanity 75 to 79 NodeStageVolume and NodeUnstageVolume, a field missing -> INVALID_ARGUMENT', async () => {
  const node = shared.nodeService('n1');
  const staging = (changes: object) => codeOf(node.nodeStageVolume(nodeRequest('fake-vol-id-1', changes), CALL));
  expect(await staging({ volumeId: '' })).toBe('INVALID_ARGUMENT');
  expect(await staging({ stagingTargetPath: '' })).toBe('INVALID_ARGUMENT');
  expect(await staging(NO_CAPABILITY)).toBe('INVALID_ARGUMENT');
  const unstage = (volumeId: string, stagingTargetPath: string) =>
    codeOf(node.nodeUnstageVolume({ volumeId, stagingTargetPath }, CALL));
  expect(await unstage('', STAGING)).toBe('INVALID_ARGUMENT');
  expect(await unstage('fake-vol-id-1', '')).toBe('INVALID_ARGUMENT');
});

test('P-CSI-2 sanity 80 to 83 NodeGetVolumeStats -> fields, then NOT_FOUND at a foreign path', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  await stage(driver, volumeId);
  const stats = (id: string, volumePath: string) =>
    codeOf(driver.nodeService('n1').nodeGetVolumeStats({ volumeId: id, volumePath, stagingTargetPath: '' }, CALL));
  expect(await stats('', TARGET)).toBe('INVALID_ARGUMENT');
  expect(await stats(volumeId, '')).toBe('INVALID_ARGUMENT');
  expect(await stats('fake-vol-id-1', 'some/path')).toBe('NOT_FOUND');
  expect(await stats(volumeId, 'some/path')).toBe('NOT_FOUND');
  expect(await stats(volumeId, STAGING)).toBe('OK');
});

test('P-CSI-2 sanity 84 to 87 NodeExpandVolume -> fields, existence, then grown', async () => {
  const { driver } = bench();
  const { volumeId } = await create(driver);
  await stage(driver, volumeId);
  const node = driver.nodeService('n1');
  await node.nodePublishVolume(nodeRequest(volumeId), CALL);
  const capacityRange = { requiredBytes: 11n * GIB, limitBytes: 0n };
  await driver.controller.controllerExpandVolume({ volumeId, capacityRange, secrets: {} }, CALL);
  const expand = (id: string, volumePath: string) =>
    node.nodeExpandVolume({ volumeId: id, volumePath, stagingTargetPath: STAGING, secrets: {} }, CALL);
  expect(await codeOf(expand('', TARGET))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(expand(volumeId, ''))).toBe('INVALID_ARGUMENT');
  expect(await codeOf(expand('fake-vol-id-1', 'some/path'))).toBe('NOT_FOUND');
  expect(await expand(volumeId, TARGET)).toEqual({ capacityBytes: 11n * GIB });
  expect(driver.backend.volume(volumeId)?.filesystemBytes).toBe(11n * GIB);
});

test('P-CSI-2 sanity 88 and 89 whole life on a node, each step ten times -> every step has one effect', async () => {
  const { driver, effects } = bench();
  const { volumeId } = await create(driver);
  const node = driver.nodeService('n1');
  const tenTimes = async (step: () => Promise<unknown>) => {
    for (let round = 0; round < 10; round++) await step();
  };
  await tenTimes(() => driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL));
  await tenTimes(() => node.nodeStageVolume(nodeRequest(volumeId), CALL));
  await tenTimes(() => node.nodePublishVolume(nodeRequest(volumeId), CALL));
  await tenTimes(() => node.nodeGetVolumeStats({ volumeId, volumePath: TARGET, stagingTargetPath: STAGING }, CALL));
  await tenTimes(() => node.nodeUnpublishVolume({ volumeId, targetPath: TARGET }, CALL));
  await tenTimes(() => node.nodeUnstageVolume({ volumeId, stagingTargetPath: STAGING }, CALL));
  await tenTimes(() => driver.controller.controllerUnpublishVolume({ volumeId, nodeId: 'n1', secrets: {} }, CALL));
  await tenTimes(() => driver.controller.deleteVolume({ volumeId, secrets: {} }, CALL));
  expect(effects.map(({ call }) => call)).toEqual([
    'CreateVolume',
    'ControllerPublishVolume',
    'NodeStageVolume',
    'NodePublishVolume',
    'NodeUnpublishVolume',
    'NodeUnstageVolume',
    'ControllerUnpublishVolume',
    'DeleteVolume',
  ]);
});
