import { describe, expect, it } from 'vitest';
import { escapeQualifiedName, KubeletPaths, unescapeQualifiedName } from './kubelet-paths.ts';

const paths = new KubeletPaths('/r');
const ID = { driver: 'd.example', handle: 'h' };
/** sha256 of the handle. */
const HASH = 'aaa9402664f1a41f40ebbc52c9993eb66aeb366602958fdfaa283b71e64db123';

describe('where a kubelet keeps what', () => {
  it.each([
    ['the target of a file system', paths.csiTarget('u', 'pv1'), '/r/pods/u/volumes/kubernetes.io~csi/pv1/mount'],
    ['the staging path', paths.stagingPath(ID), `/r/plugins/kubernetes.io/csi/d.example/${HASH}/globalmount`],
    [
      'the data of a block volume',
      paths.blockDataDirectory('pv1'),
      '/r/plugins/kubernetes.io/csi/volumeDevices/pv1/data',
    ],
    [
      'the staging path of a block volume',
      paths.blockStagingPath('pv1'),
      '/r/plugins/kubernetes.io/csi/volumeDevices/staging/pv1',
    ],
    [
      'the target of a block volume',
      paths.blockPublishPath('pv1', 'u'),
      '/r/plugins/kubernetes.io/csi/volumeDevices/publish/pv1/u',
    ],
    ['the links of a pod', paths.podDeviceMapDirectory('u'), '/r/pods/u/volumeDevices/kubernetes.io~csi'],
    [
      'a sub-path',
      paths.subPath('u', { specName: 'pv1', container: 'c', index: 0 }),
      '/r/pods/u/volume-subpaths/pv1/c/0',
    ],
    ['the socket of a driver', paths.csiSocket('d.example'), '/r/plugins/d.example/csi.sock'],
  ])('P-KL-8 %s -> as every kubelet has it', (_what, path, expected) => {
    expect(path).toBe(expected);
  });

  it('a name with a slash -> one directory name, and back', () => {
    expect(escapeQualifiedName('kubernetes.io/empty-dir')).toBe('kubernetes.io~empty-dir');
    expect(unescapeQualifiedName('kubernetes.io~empty-dir')).toBe('kubernetes.io/empty-dir');
  });
});
