import path from 'node:path';
import { expect, it } from 'vitest';
import { KubeletPaths } from '../csiplugin/kubelet-paths.ts';
import { MemoryMounter } from '../mounter/memory/memory.ts';
import { removeOrphanedDirectory } from './orphaned-directory.ts';

const paths = new KubeletPaths('/var/lib/kubelet');
const MODE = 0o750;
const volume = paths.csiVolumeDirectory('uid', 'data');
const target = paths.csiTarget('uid', 'data');
const device = `${paths.podDevicesDirectory('uid')}/kubernetes.io~csi/raw`;
const subPath = paths.subPath('uid', { specName: 'data', container: 'c', index: 0 });
const mount = (mounter: MemoryMounter, at: string): Promise<void> =>
  mounter.mount({ source: 'disk', target: at, fsType: 'ext4', options: [] });

it.each<[string, (mounter: MemoryMounter) => Promise<void>, boolean, readonly string[]]>([
  ['an empty directory of a volume', (mounter) => mounter.makeDirectory(target, MODE), true, []],
  [
    'what is known of a volume -> stays, its empty target goes',
    async (mounter) => {
      await mounter.makeDirectory(target, MODE);
      await mounter.writeVolumeData(volume, { driverName: 'd', volumeHandle: 'h' });
    },
    false,
    [`${volume}/vol_data.json`],
  ],
  [
    'a mounted volume -> nothing goes, an empty one beside it neither',
    async (mounter) => {
      await mounter.makeDirectory(paths.csiVolumeDirectory('uid', 'empty'), MODE);
      await mounter.makeDirectory(target, MODE);
      await mount(mounter, target);
    },
    false,
    [target, paths.csiVolumeDirectory('uid', 'empty')],
  ],
  [
    'a link to a device and a file of a subPath -> go',
    async (mounter) => {
      await mounter.makeDirectory(path.dirname(device), MODE);
      await mounter.makeLink(device, '/dev/loop0');
      await mounter.makeDirectory(path.dirname(subPath), MODE);
      await mounter.makeFile(subPath, 0o644);
    },
    true,
    [],
  ],
  [
    'a mounted subPath -> stays, the directories of volumes go',
    async (mounter) => {
      await mounter.makeDirectory(target, MODE);
      await mounter.makeDirectory(subPath, MODE);
      await mount(mounter, subPath);
    },
    false,
    [subPath],
  ],
])('P-KL-19 %s', async (_name, prepare, isGone, left) => {
  const mounter = new MemoryMounter();
  await prepare(mounter);
  expect(await removeOrphanedDirectory(mounter, paths, 'uid')).toBe(isGone);
  const isLeaf = (file: string): boolean => ![...mounter.paths()].some((other) => other.startsWith(`${file}/`));
  expect(
    [...mounter.paths()].filter((file) => file.startsWith(paths.podDirectory('uid')) && isLeaf(file)).toSorted(),
  ).toEqual(left);
});
