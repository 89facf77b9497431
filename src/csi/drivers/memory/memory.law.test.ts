import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccessMode } from '../../driver.ts';
import { isMultiNode } from './checks.ts';
import {
  CALL,
  GIB,
  type Bench,
  bench,
  capability,
  codeOf,
  create,
  nodeRequest,
  publishRequest,
} from './test-requests.ts';

const POOL = { name: 'all', capacity: '10Gi' };
const LIMIT = 2;
const MODES: readonly AccessMode[] = ['SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER', 'MULTI_NODE_MULTI_WRITER'];

const step = fc.record({
  call: fc.constantFrom('create', 'delete', 'expand', 'publish', 'unpublish', 'stage', 'unstage'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  node: fc.constantFrom('n1', 'n2'),
  gib: fc.integer({ min: 1, max: 6 }),
  mode: fc.constantFrom(...MODES),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function play({ driver }: Bench, { call, name, node, gib, mode }: Step): Promise<unknown> {
  const { controller, backend } = driver;
  const volume = backend.volumeNamed(name);
  const volumeId = volume?.volumeId ?? 'none';
  const volumeCapability = volume?.volumeCapabilities[0] ?? capability(mode);
  const capacityRange = { requiredBytes: BigInt(gib) * GIB, limitBytes: 0n };
  switch (call) {
    case 'create':
      return create(driver, { name, capacityRange, volumeCapabilities: [capability(mode)] });
    case 'delete':
      return controller.deleteVolume({ volumeId, secrets: {} }, CALL);
    case 'expand':
      return controller.controllerExpandVolume({ volumeId, capacityRange, secrets: {} }, CALL);
    case 'publish':
      return controller.controllerPublishVolume(publishRequest(volumeId, { nodeId: node, volumeCapability }), CALL);
    case 'unpublish':
      return controller.controllerUnpublishVolume({ volumeId, nodeId: node, secrets: {} }, CALL);
    case 'stage':
      return driver.nodeService(node).nodeStageVolume(nodeRequest(volumeId, { volumeCapability }), CALL);
    default:
      return driver.nodeService(node).nodeUnstageVolume({ volumeId, stagingTargetPath: '/mnt/staging' }, CALL);
  }
}

function expectInvariants({ driver }: Bench): void {
  const volumes = [...driver.backend.volumes()];
  const used = volumes.reduce((sum, { capacityBytes }) => sum + capacityBytes, 0n);
  expect(used).toBeLessThanOrEqual(10n * GIB);
  for (const node of ['n1', 'n2']) {
    const published = volumes.filter(({ publications }) => publications.has(node)).length;
    expect(published).toBeLessThanOrEqual(LIMIT);
    expect(driver.backend.publishedTo(node)).toBe(published);
  }
  for (const { publications, staged, volumeCapabilities } of volumes) {
    const isMulti = volumeCapabilities.some(({ accessMode }) => isMultiNode(accessMode));
    if (!isMulti) expect(publications.size).toBeLessThanOrEqual(1);
    const writing = staged.filter(({ fenced }) => !fenced);
    expect(writing.every(({ nodeName }) => publications.has(nodeName))).toBe(true);
  }
}

test('P-CSI-3 P-CSI-4 P-CSI-5 after any calls: pool and node limits hold, one node for a single-node volume, no writer unpublished', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const each = bench({ pools: [POOL], maxVolumesPerNode: LIMIT });
      for (const next of steps) {
        await codeOf(play(each, next));
        expectInvariants(each);
      }
    }),
  );
});

test('P-CSI-1 any call that was answered OK, again -> OK and no effect', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const each = bench();
      for (const next of steps) {
        if ((await codeOf(play(each, next))) !== 'OK') continue;
        const effects = each.effects.length;
        expect(await codeOf(play(each, next))).toBe('OK');
        expect(each.effects.length).toBe(effects);
      }
    }),
  );
});
