import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { silentLog } from '../../base/log.ts';
import { memoryDriver } from '../../csi/drivers/memory/memory.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { Indexer } from '../../runtime/indexer.ts';
import { aVolume } from '../../volume/makers.ts';
import { type AttachmentParts, aCsiNode, anAttachment } from '../../../test/attachdetach/makers.ts';
import { contradicted, listPublished } from './compare-published.ts';
import type { Services } from './services.ts';
import { DEFAULT_ATTACHER_SETTINGS } from './settings.ts';

const clock = new SteppedClock(0);
const volumes = ['h1', 'h2', 'h3'].map((volumeId) => ({ volumeId, capacity: '1Gi' }));
const driver = memoryDriver({ name: 'csi/test', nodes: ['node1'], volumes }, { clock, random: new SeededRandom('x') });
const call = { signal: new AbortController().signal, deadlineMs: 1000 };

describe('listPublished', () => {
  it.each([0, 1, 2])('pages of %i -> all volumes with their nodes', async (maxEntries) => {
    const volumeCapability = { accessType: { case: 'block' }, accessMode: 'SINGLE_NODE_WRITER' } as const;
    const request = { nodeId: 'node1', volumeCapability, readonly: false, secrets: {}, volumeContext: {} };
    await driver.controller.controllerPublishVolume({ ...request, volumeId: 'h2' }, call);
    const published = await listPublished(driver, maxEntries, call);
    expect(Object.fromEntries(published)).toEqual({ h1: [], h2: ['node1'], h3: [] });
  });
});

function servicesWith(attachment: VolumeAttachment): Services {
  const attachments = new Indexer<VolumeAttachment>({ driver: ({ spec }) => [spec.attacher] });
  attachments.set(attachment);
  const empty = { synced: true, all: () => [].values(), by: () => [].values() };
  const volume = aVolume({ name: 'pv1', spec: { csi: { driver: 'csi/test', volumeHandle: 'h1' } } });
  return {
    driver,
    capabilities: new Set(),
    settings: DEFAULT_ATTACHER_SETTINGS,
    finalizer: 'f',
    clock,
    log: silentLog,
    attachments: {
      synced: true,
      get: (k) => attachments.get(k),
      all: () => attachments.all(),
      by: (n, v) => attachments.by(n, v),
    },
    volumes: { ...empty, get: (name) => (name === 'pv1' ? volume : undefined) },
    csiNodes: { ...empty, get: (name) => (name === 'node1' ? aCsiNode('node1', { 'csi/test': 'id-1' }) : undefined) },
  };
}

describe('contradicted', () => {
  it.each<[string, AttachmentParts, readonly string[], boolean]>([
    ['attached and published -> agreed', { status: { attached: true } }, ['id-1'], false],
    ['P-ATT-6 attached and not published -> contradicted', { status: { attached: true } }, ['id-2'], true],
    ['not attached and not published -> agreed', {}, [], false],
    ['P-ATT-6 not attached and published -> contradicted', {}, ['id-1'], true],
    [
      'a volume that nobody knows -> left alone',
      { status: { attached: true }, source: { persistentVolumeName: 'pv2' } },
      [],
      false,
    ],
    [
      'an inline volume -> compared too',
      { status: { attached: true }, source: { inlineVolumeSpec: { csi: { driver: 'csi/test', volumeHandle: 'h1' } } } },
      [],
      true,
    ],
  ])('%s', (_name, parts, nodeIds, expected) => {
    const names = contradicted(servicesWith(anAttachment(parts)), new Map([['h1', nodeIds]]));
    expect(names).toEqual(expected ? ['va1'] : []);
  });
});
