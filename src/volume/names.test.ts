import { describe, expect, it } from 'vitest';
import { accessModesText, offersAccessModes } from './access-modes.ts';
import { attachmentName } from './attachment-name.ts';
import { migratedDriverOf } from './migration.ts';
import { provisionedVolumeName, splitUniqueVolumeName, uniqueVolumeName } from './volume-name.ts';

describe('P-VOL-5 attachmentName', () => {
  it.each([
    ['vol-1', 'hostpath.csi.k8s.io', 'node-a', 'csi-5a70c5de395ccad5e79daeb27c7c4f2634b675e6e1bb2a397999a016143bc9fb'],
    ['vol-1', 'hostpath.csi.k8s.io', 'node-b', 'csi-0936305f19cb0dbd7d90b3713f84cb09d977f00880465c25bf504f92d60421e6'],
    [
      '172.20.151.105#tmp/nfs/data/lxd-host#pvc-047acd58-808e-4f26-83c6-df59e8e00e65#',
      'nfs.csi.k8s.io',
      'ee',
      'csi-ac6258582f9363a9af542dbde1161db00bddf492ea1522e6a92c2f35c3d815c5',
    ],
  ])('AD-21 %s %s %s -> its hash', (handle, driver, node, name) => {
    expect(attachmentName({ handle, driver, node })).toBe(name);
  });
});

describe('P-VOL-5 volume names', () => {
  it('driver and handle -> unique name and back', () => {
    const volume = { driver: 'a.test', handle: 'x/y' };
    expect(uniqueVolumeName(volume)).toBe('kubernetes.io/csi/a.test^x/y');
    expect(splitUniqueVolumeName('kubernetes.io/csi/a.test^x/y')).toEqual(volume);
  });
  it.each(['kubernetes.io/nfs/x', 'kubernetes.io/csi/a.test', 'kubernetes.io/csi/a.test^x^y'])(
    '%s -> cannot be split',
    (name) => {
      expect(splitUniqueVolumeName(name)).toBeUndefined();
    },
  );
  it('uid of a claim -> pvc-<uid>', () => {
    expect(provisionedVolumeName('1234')).toBe('pvc-1234');
    expect(provisionedVolumeName('1234', 'dyn')).toBe('dyn-1234');
  });
});

describe('access modes', () => {
  it('any order and repeats -> one text', () => {
    expect(accessModesText(['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteMany'])).toBe('RWO,RWX');
    expect(accessModesText(['ReadWriteOncePod', 'ReadOnlyMany'])).toBe('ROX,RWOP');
    expect(accessModesText()).toBe('');
  });
  it('more offered than wanted -> enough; less -> not', () => {
    expect(offersAccessModes(['ReadWriteOnce', 'ReadOnlyMany'], ['ReadOnlyMany'])).toBe(true);
    expect(offersAccessModes(['ReadWriteOnce'], ['ReadWriteOnce', 'ReadOnlyMany'])).toBe(false);
  });
});

describe('migratedDriverOf', () => {
  it.each([
    ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
    ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
    ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
    ['kubernetes.io/azure-file', 'file.csi.azure.com'],
    ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
    ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
    ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
    ['kubernetes.io/nfs', undefined],
    ['ebs.csi.aws.com', undefined],
  ])('%s -> %s', (plugin, driver) => {
    expect(migratedDriverOf(plugin)).toBe(driver);
  });
});
