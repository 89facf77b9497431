import { describe, expect, it } from 'vitest';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { capabilityOf } from './expand-volume.ts';

const csi = { driver: 'disk', volumeHandle: 'h', fsType: 'xfs' };
const ONCE = { accessModes: ['ReadWriteOnce'], csi };
const NEWER = new Set(['SINGLE_NODE_MULTI_WRITER'] as const);
const wrong = 'CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume';

describe('how the driver is told what the volume is', () => {
  it.each<[string, PersistentVolumeSpec, ReadonlySet<'SINGLE_NODE_MULTI_WRITER'>, object]>([
    [
      'a filesystem',
      { ...ONCE, mountOptions: ['noatime'] },
      NEWER,
      {
        accessType: { case: 'mount', fsType: 'xfs', mountFlags: ['noatime'] },
        accessMode: 'SINGLE_NODE_MULTI_WRITER',
      },
    ],
    [
      'a block device of an older driver',
      { ...ONCE, volumeMode: 'Block' },
      new Set(),
      { accessType: { case: 'block' }, accessMode: 'SINGLE_NODE_WRITER' },
    ],
    ['modes that cannot be told', { csi, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }, NEWER, { wrong }],
  ])('P-RZ-2 %s -> told so', (_situation, spec, capabilities, expected) => {
    expect(capabilityOf(spec, capabilities)).toEqual(expected);
  });
});
