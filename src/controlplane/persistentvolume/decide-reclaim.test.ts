import { describe, expect, it } from 'vitest';
import { type VolumeParts, aClass, aVolume } from '../../volume/makers.ts';
import { decideProvision, decideReclaim } from './decide-reclaim.ts';
import { IN_TREE_PLUGINS, type VolumePlugin } from './volume-plugin.ts';

const done = () => Promise.resolve();
const FAKE: VolumePlugin = {
  name: 'kubernetes.io/fake',
  canSupport: () => true,
  delete: done,
  recycle: done,
  provision: () => Promise.resolve({}),
};
const CSI = { csi: { driver: 'd.test', volumeHandle: 'h' } };
const ISCSI = { iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } };

const ROWS: readonly [name: string, volume: VolumeParts, plugins: readonly VolumePlugin[], decision: object][] = [
  ['Retain -> stand down', {}, [FAKE], { type: 'stand-down', because: 'retained' }],
  [
    'migrated -> stand down, whatever the policy',
    { policy: 'Delete', annotations: { 'pv.kubernetes.io/migrated-to': 'd.test' } },
    [FAKE],
    { type: 'stand-down', because: 'migrated' },
  ],
  [
    'T44 Delete on NFS, which cannot -> fails',
    { policy: 'Delete' },
    IN_TREE_PLUGINS,
    {
      type: 'delete',
      deleter: {
        type: 'none',
        error: 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
      },
    },
  ],
  [
    'Delete on a source without any plugin -> fails in other words',
    { policy: 'Delete', spec: ISCSI },
    IN_TREE_PLUGINS,
    {
      type: 'delete',
      deleter: { type: 'none', error: 'error getting deleter volume plugin for volume "v": no volume plugin matched' },
    },
  ],
  [
    'T45 Delete, provisioned outside -> stand down',
    { policy: 'Delete', provisionedBy: 'external.io/test' },
    [FAKE],
    { type: 'stand-down', because: 'external' },
  ],
  [
    'Delete, CSI without the mark -> stand down',
    { policy: 'Delete', spec: CSI },
    [FAKE],
    { type: 'stand-down', because: 'external' },
  ],
  [
    'Delete, empty mark, CSI -> stand down',
    { policy: 'Delete', provisionedBy: '', spec: CSI },
    [FAKE],
    { type: 'stand-down', because: 'external' },
  ],
  [
    'T46 Delete, plugin of that name -> it deletes',
    { policy: 'Delete', provisionedBy: 'kubernetes.io/fake' },
    [FAKE],
    { type: 'delete', deleter: { type: 'plugin', plugin: FAKE } },
  ],
  [
    'T47 Delete, plugin by source -> it deletes',
    { policy: 'Delete' },
    [FAKE],
    { type: 'delete', deleter: { type: 'plugin', plugin: FAKE } },
  ],
  [
    'Delete, in-tree name unknown -> fails',
    { policy: 'Delete', provisionedBy: 'kubernetes.io/gone' },
    [FAKE],
    { type: 'delete', deleter: { type: 'none', error: 'no volume plugin matched name: kubernetes.io/gone' } },
  ],
  ['T48 Recycle, plugin can -> recycle', { policy: 'Recycle' }, [FAKE], { type: 'recycle', plugin: FAKE }],
  [
    'Recycle, no plugin can -> recycle without one',
    { policy: 'Recycle', spec: ISCSI },
    IN_TREE_PLUGINS,
    { type: 'recycle', plugin: undefined },
  ],
  [
    'T50 unknown policy -> fails',
    { policy: 'Unknown' },
    [],
    {
      type: 'fail',
      event: {
        type: 'Warning',
        reason: 'VolumeUnknownReclaimPolicy',
        message: 'Volume has unrecognized PersistentVolumeReclaimPolicy',
      },
    },
  ],
];

describe('P-PV-3 decideReclaim', () => {
  it.each(ROWS)('%s', (_name, volume, plugins, decision) => {
    expect(decideReclaim(aVolume(volume), plugins)).toEqual(decision);
  });
});

describe('P-PV-4 decideProvision', () => {
  const failed = (message: string) => ({
    type: 'fail',
    event: { type: 'Warning', reason: 'ProvisioningFailed', message },
  });
  const classOf = (provisioner: string) => aClass({ name: 'x', provisioner });
  it.each([
    [
      'T52 provisioner from outside -> external',
      classOf('vendor.com/my-volume'),
      { type: 'external', provisioner: 'vendor.com/my-volume' },
    ],
    [
      'T54 unknown in-tree provisioner -> fails',
      classOf('kubernetes.io/unknown'),
      failed('no volume plugin matched name: kubernetes.io/unknown'),
    ],
    [
      'T54 no-provisioner -> fails',
      classOf('kubernetes.io/no-provisioner'),
      failed('no volume plugin matched name: kubernetes.io/no-provisioner'),
    ],
    ['T55 class is missing -> the lookup error', undefined, failed('storageclass.storage.k8s.io "x" not found')],
    [
      'in-tree plugin that cannot -> fails',
      classOf('kubernetes.io/nfs'),
      failed('no provisionable volume plugin matched'),
    ],
    [
      'in-tree plugin that was migrated -> external, under the name of the driver',
      classOf('kubernetes.io/gce-pd'),
      { type: 'external', provisioner: 'pd.csi.storage.gke.io' },
    ],
    [
      'plugin that can -> internal',
      classOf('kubernetes.io/fake'),
      { type: 'internal', plugin: FAKE, storageClass: classOf('kubernetes.io/fake') },
    ],
  ])('%s', (_name, storageClass, decision) => {
    expect(decideProvision('x', storageClass, [...IN_TREE_PLUGINS, FAKE])).toEqual(decision);
  });
});

describe('in-tree plugins', () => {
  const hostPath = IN_TREE_PLUGINS.find((plugin) => plugin.name === 'kubernetes.io/host-path');
  const remove = (path: string) =>
    hostPath?.delete?.(aVolume({ spec: { hostPath: { path } } }), new AbortController().signal);
  it('host path under /tmp -> deleted; elsewhere -> refused', async () => {
    await expect(remove('/tmp/x')).resolves.toBeUndefined();
    await expect(remove('/data')).rejects.toThrow(
      'host_path deleter only supports /tmp/.+ but received provided /data',
    );
  });
});
