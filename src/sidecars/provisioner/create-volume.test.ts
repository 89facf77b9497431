import { expect, test } from 'vitest';
import type { CreateVolumeRequest, CsiVolume } from '../../csi/driver.ts';
import { aClaim, aClass } from '../../volume/makers.ts';
import { decideAnswer, volumeCapabilities, volumeNameFor } from './create-volume.ts';
import { missingCapability } from './required-capabilities.ts';
import { SlowSet } from './slow-set.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';

test('volumeNameFor: prefix and uid; cut without dashes if told to', () => {
  const uid = '01234567-89ab-cdef-0123-456789abcdef';
  expect(volumeNameFor(uid, { volumeNamePrefix: 'pvc', volumeNameUuidLength: -1 })).toBe(`pvc-${uid}`);
  expect(volumeNameFor(uid, { volumeNamePrefix: 'vol', volumeNameUuidLength: 10 })).toBe('vol-0123456789');
});

test('volumeCapabilities: one for each mode, mount with the options of the class, or block', () => {
  const storageClass = aClass({ mountOptions: ['noatime'] });
  const facts = { storageClass, fsType: 'xfs', supportsSingleNodeMultiWriter: true };
  const accessType = { case: 'mount', fsType: 'xfs', mountFlags: ['noatime'] };
  expect(volumeCapabilities({ ...facts, claim: aClaim({ modes: ['ReadWriteOnce', 'ReadOnlyMany'] }) })).toEqual({
    type: 'found',
    value: [
      { accessType, accessMode: 'SINGLE_NODE_MULTI_WRITER' },
      { accessType, accessMode: 'MULTI_NODE_READER_ONLY' },
    ],
  });
  expect(volumeCapabilities({ ...facts, claim: aClaim({ modes: ['ReadWriteMany'], volumeMode: 'Block' }) })).toEqual({
    type: 'found',
    value: [{ accessType: { case: 'block' }, accessMode: 'MULTI_NODE_MULTI_WRITER' }],
  });
  expect(volumeCapabilities({ ...facts, claim: aClaim({ modes: ['Odd'] }) })).toEqual({
    type: 'wrong',
    message: 'unsupported AccessMode combination: [Odd]',
  });
});

const request = { capacityRange: { requiredBytes: 1024n, limitBytes: 0n } } as CreateVolumeRequest;
const volume = (changes: Partial<CsiVolume>): CsiVolume => ({
  volumeId: 'v',
  capacityBytes: 1024n,
  volumeContext: {},
  accessibleTopology: [],
  ...changes,
});
const cloning = aClaim();
const clone = {
  ...cloning,
  spec: { ...cloning.spec, dataSource: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 's' } },
};

test.each([
  ['what was asked', volume({}), aClaim(), { type: 'accept', capacityBytes: 1024n }],
  ['more than asked', volume({ capacityBytes: 4096n }), aClaim(), { type: 'accept', capacityBytes: 4096n }],
  ['size unknown', volume({ capacityBytes: 0n }), aClaim(), { type: 'accept', capacityBytes: 1024n }],
  [
    'T80 less',
    volume({ capacityBytes: 1n }),
    aClaim(),
    { type: 'discard', message: 'created volume capacity 1 less than requested capacity 1024' },
  ],
  ['empty clone', volume({}), clone, { type: 'discard', message: 'volume content source missing' }],
  [
    'filled clone',
    volume({ contentSource: { case: 'volume', volumeId: 's' } }),
    clone,
    { type: 'accept', capacityBytes: 1024n },
  ],
])('decideAnswer: %s', (_name, answer, claim, expected) => {
  expect(decideAnswer(request, answer, claim)).toEqual(expected);
});

const everything = {
  plugin: new Set(['CONTROLLER_SERVICE'] as const),
  controller: new Set(['CREATE_DELETE_VOLUME'] as const),
};
const none = { snapshot: false, clone: false, modifyVolume: false };
const sentence = (what: string, capability: string) =>
  `CSI driver does not support ${what}: ${capability} capability is not reported`;
test.each([
  ['all there', everything, none, undefined],
  [
    'no controller',
    { ...everything, plugin: new Set<never>() },
    none,
    sentence('dynamic provisioning', 'plugin CONTROLLER_SERVICE'),
  ],
  [
    'no creation',
    { ...everything, controller: new Set<never>() },
    none,
    sentence('dynamic provisioning', 'controller CREATE_DELETE_VOLUME'),
  ],
  [
    'no snapshots',
    everything,
    { ...none, snapshot: true },
    sentence('snapshot restore', 'controller CREATE_DELETE_SNAPSHOT'),
  ],
  ['no clones', everything, { ...none, clone: true }, sentence('clone operations', 'controller CLONE_VOLUME')],
  [
    'no modification',
    everything,
    { ...none, modifyVolume: true },
    sentence('VolumeAttributesClass', 'controller MODIFY_VOLUME'),
  ],
])('missingCapability: %s', (_name, capabilities, needs, expected) => {
  expect(missingCapability(capabilities, needs)).toBe(expected);
});

test('P-PROV-4 SlowSet: rests its time, is not prolonged, and ends with another class', async () => {
  const clock = new SteppedClock(0);
  const slow = new SlowSet(clock, 300);
  slow.add('claim', 'class-1');
  await clock.advanceTo(200);
  slow.add('claim', 'class-1');
  expect(slow.isResting('claim', 'class-1')).toBe(true);
  await clock.advanceTo(300);
  expect(slow.isResting('claim', 'class-1')).toBe(false);
  slow.add('claim', 'class-1');
  expect(slow.isResting('claim', 'class-2')).toBe(false);
  expect(slow.isResting('claim', 'class-1')).toBe(false);
});
