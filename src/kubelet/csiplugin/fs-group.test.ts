import { describe, expect, it } from 'vitest';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { FileStat } from '../mounter/mounter.ts';
import { appliesFsGroup, needsOwnershipChange } from './fs-group.ts';
import type { VolumeSpec } from './volume-spec.ts';

const persistent = (fsType: string | undefined, ...accessModes: readonly string[]): VolumeSpec => ({
  type: 'persistent',
  name: 'pv1',
  readOnly: false,
  spec: { accessModes, csi: { driver: 'd', volumeHandle: 'h', ...(fsType === undefined ? {} : { fsType }) } },
});
const inline = (fsType?: string): VolumeSpec => ({
  type: 'inline',
  name: 'v',
  source: { driver: 'd', ...(fsType === undefined ? {} : { fsType }) },
});
const driver = (fsGroupPolicy: 'None' | 'File' | 'ReadWriteOnceWithFSType'): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'd', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { fsGroupPolicy },
});
const RWO = persistent('ext4', 'ReadWriteOnce');

describe('whether the group of a pod owns a volume', () => {
  it.each([
    ['no group', { spec: RWO, readOnly: false, fsGroup: undefined, driverObject: undefined }, false],
    [
      'no driver object, once and with a file system',
      { spec: RWO, readOnly: false, fsGroup: 5, driverObject: undefined },
      true,
    ],
    [
      'the same for one pod',
      { spec: persistent('xfs', 'ReadWriteOncePod'), readOnly: false, fsGroup: 5, driverObject: undefined },
      true,
    ],
    [
      'no file system type',
      { spec: persistent(undefined, 'ReadWriteOnce'), readOnly: false, fsGroup: 5, driverObject: undefined },
      false,
    ],
    [
      'many writers',
      { spec: persistent('ext4', 'ReadWriteMany'), readOnly: false, fsGroup: 5, driverObject: undefined },
      false,
    ],
    ['read-only', { spec: RWO, readOnly: true, fsGroup: 5, driverObject: driver('File') }, false],
    [
      'policy File, many writers',
      { spec: persistent(undefined, 'ReadWriteMany'), readOnly: false, fsGroup: 5, driverObject: driver('File') },
      true,
    ],
    ['policy None', { spec: RWO, readOnly: false, fsGroup: 5, driverObject: driver('None') }, false],
    [
      'inline with a file system type',
      { spec: inline('ext4'), readOnly: false, fsGroup: 5, driverObject: driver('ReadWriteOnceWithFSType') },
      true,
    ],
    ['inline without', { spec: inline(), readOnly: false, fsGroup: 5, driverObject: undefined }, false],
  ])('%s -> %s', (_situation, facts, expected) => {
    expect(appliesFsGroup(facts)).toBe(expected);
  });

  const root = (gid: number, mode: number): FileStat => ({ kind: 'directory', gid, mode, mountPoint: true });
  it.each([
    ['always', 'Always', root(5, 0o2775), true],
    ['no policy', undefined, root(5, 0o2775), true],
    ['root is right', 'OnRootMismatch', root(5, 0o2770), false],
    ['another group', 'OnRootMismatch', root(6, 0o2770), true],
    ['no setgid bit', 'OnRootMismatch', root(5, 0o770), true],
    ['the group may not write', 'OnRootMismatch', root(5, 0o2750), true],
    ['nothing there', 'OnRootMismatch', undefined, true],
  ])('%s -> tree changed: %s', (_situation, policy, stat, expected) => {
    expect(needsOwnershipChange(policy, stat, 5)).toBe(expected);
  });
});
