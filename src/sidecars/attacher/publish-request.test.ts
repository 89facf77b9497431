import { describe, expect, it } from 'vitest';
import type { ControllerCapability } from '../../csi/driver.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { anAttachment } from '../../../test/attachdetach/makers.ts';
import { prepareRequest, sourceOf } from './publish-request.ts';

const CSI = { driver: 'csi/test', volumeHandle: 'h' };
const spec = (given: Partial<PersistentVolumeSpec> = {}): PersistentVolumeSpec => ({
  accessModes: ['ReadWriteOnce'],
  csi: CSI,
  ...given,
});
const prepared = (
  given: Partial<PersistentVolumeSpec>,
  capabilities: readonly ControllerCapability[] = [],
  defaultFstype = '',
) => prepareRequest(spec(given), { capabilities: new Set(capabilities), defaultFstype });
const mount = (fsType: string, accessMode = 'SINGLE_NODE_WRITER') => ({
  accessType: { case: 'mount', fsType, mountFlags: [] },
  accessMode,
});

describe('prepareRequest', () => {
  it('a plain volume -> handle, mount, context', () => {
    expect(prepared({ csi: { ...CSI, volumeAttributes: { a: 'b' } } })).toEqual({
      type: 'found',
      value: { volumeId: 'h', volumeCapability: mount(''), readonly: false, volumeContext: { a: 'b' } },
    });
  });
  it.each([
    ['its own fsType wins', { csi: { ...CSI, fsType: 'xfs' } }, 'ext4', mount('xfs')],
    ['no fsType -> the default', {}, 'ext4', mount('ext4')],
    [
      'mount options -> flags',
      { mountOptions: ['noatime'] },
      '',
      { accessType: { case: 'mount', fsType: '', mountFlags: ['noatime'] }, accessMode: 'SINGLE_NODE_WRITER' },
    ],
    [
      'block -> no file system',
      { volumeMode: 'Block' },
      'ext4',
      { accessType: { case: 'block' }, accessMode: 'SINGLE_NODE_WRITER' },
    ],
    ['RWX -> many writers', { accessModes: ['ReadWriteMany'] }, '', mount('', 'MULTI_NODE_MULTI_WRITER')],
  ] as const)('%s', (_name, given, fsType, volumeCapability) => {
    expect(prepared(given, [], fsType)).toMatchObject({ value: { volumeCapability } });
  });
  it('a driver that tells the writers of one node apart -> the newer mode', () => {
    expect(prepared({}, ['SINGLE_NODE_MULTI_WRITER'])).toMatchObject({
      value: { volumeCapability: { accessMode: 'SINGLE_NODE_MULTI_WRITER' } },
    });
  });
  it('read-only -> asked only of a driver that can', () => {
    const readOnly = { csi: { ...CSI, readOnly: true } };
    expect(prepared(readOnly)).toMatchObject({ value: { readonly: false } });
    expect(prepared(readOnly, ['PUBLISH_READONLY'])).toMatchObject({ value: { readonly: true } });
  });
  it('modes that CSI cannot say -> refused', () => {
    expect(prepared({ accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] })).toEqual({
      type: 'wrong',
      message: 'CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume',
    });
  });
  it('no CSI volume -> refused', () => {
    const { csi: _csi, ...rest } = spec();
    expect(prepareRequest(rest, { capabilities: new Set(), defaultFstype: '' })).toEqual({
      type: 'wrong',
      message: 'pv spec contained non-csi source that was not migrated',
    });
  });
});

describe('sourceOf', () => {
  it.each([
    ['a volume', { persistentVolumeName: 'pv1' }, { type: 'found', value: { persistentVolumeName: 'pv1' } }],
    ['an inline volume', { inlineVolumeSpec: spec() }, { type: 'found', value: { inline: spec() } }],
    [
      'both',
      { persistentVolumeName: 'pv1', inlineVolumeSpec: spec() },
      { type: 'wrong', message: 'both InlineCSIVolumeSource and PersistentVolumeName specified in VA source' },
    ],
    [
      'none',
      {},
      { type: 'wrong', message: 'neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source' },
    ],
    [
      'an inline volume of no driver',
      { inlineVolumeSpec: {} },
      { type: 'wrong', message: 'inline volume spec contains nil CSI source' },
    ],
  ] as const)('%s', (_name, source, expected) => expect(sourceOf(anAttachment({ source }))).toEqual(expected));
});
