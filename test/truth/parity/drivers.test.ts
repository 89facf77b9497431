import { expect, test } from 'vitest';
import { HOSTPATH_DRIVER, PARITY_DRIVERS, PLAIN_DRIVER, TOPOLOGY_DRIVER } from './drivers.ts';
import { CALL, GIB, bench, codeOf, create, publishRequest } from '../../../src/csi/drivers/memory/test-requests.ts';

const sized = (bytes: bigint) => ({ capacityRange: { requiredBytes: bytes, limitBytes: 0n } });

test.each(PARITY_DRIVERS)(
  'P-CSI-7 parity driver $name -> hugeSize OUT_OF_RANGE, bad parameter INVALID_ARGUMENT',
  async (config) => {
    const { driver } = bench(config);
    expect(await codeOf(create(driver, sized(2048n * GIB)))).toBe('OUT_OF_RANGE');
    expect(await codeOf(create(driver, { parameters: { kind: 'nonsense' } }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(create(driver))).toBe('OK');
  },
);

test('parity driver with attach -> unknown handle NOT_FOUND, mutable parameter tier only', async () => {
  const { driver } = bench(HOSTPATH_DRIVER);
  const publish = driver.controller.controllerPublishVolume(publishRequest('ghost', { nodeId: 'par-node' }), CALL);
  expect(await codeOf(publish)).toBe('NOT_FOUND');
  const { volumeId } = await create(driver);
  const modify = (mutableParameters: Record<string, string>) =>
    codeOf(driver.controller.controllerModifyVolume({ volumeId, secrets: {}, mutableParameters }, CALL));
  expect(await modify({ tier: 'gold' })).toBe('OK');
  expect(await modify({ colour: 'red' })).toBe('INVALID_ARGUMENT');
});

test('parity driver with topology -> volumes in par-a only, the tiny pool holds 1Gi', async () => {
  const { driver } = bench(TOPOLOGY_DRIVER);
  const place = [{ segments: { 'topology.hostpath.csi/node': 'par-a' } }];
  expect((await create(driver)).accessibleTopology).toEqual(place);
  const tiny = { name: 'tiny', parameters: { kind: 'tiny' } };
  expect(await codeOf(create(driver, { ...tiny, ...sized(5n * GIB) }))).toBe('RESOURCE_EXHAUSTED');
});

test('parity driver without attach -> no ControllerPublish, expansion without node step', async () => {
  const { driver } = bench(PLAIN_DRIVER);
  const { volumeId } = await create(driver, sized(GIB));
  expect(await codeOf(driver.controller.controllerPublishVolume(publishRequest(volumeId), CALL))).toBe('UNIMPLEMENTED');
  const expand = driver.controller.controllerExpandVolume({ volumeId, secrets: {}, ...sized(2n * GIB) }, CALL);
  expect((await expand).nodeExpansionRequired).toBe(false);
});
