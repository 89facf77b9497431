import { describe, expect, it } from 'vitest';
import { isMountError, type MountPoint } from '../mounter.ts';
import { MemoryMounter } from './memory.ts';

const at = (target: string, source = 's'): MountPoint => ({ source, target, fsType: 'ext4', options: [] });

async function machine(): Promise<MemoryMounter> {
  const mounter = new MemoryMounter();
  await mounter.makeDirectory('/r/a', 0o750);
  return mounter;
}

describe('MemoryMounter', () => {
  it('a directory with missing parents -> all of them made', async () => {
    const mounter = await machine();
    expect(mounter.paths()).toEqual(['/', '/r', '/r/a']);
    expect(await mounter.list('/r')).toEqual(['a']);
    expect(await mounter.stat('/r/a')).toEqual({ kind: 'directory', mode: 0o750, gid: 0, mountPoint: false });
  });

  it.each<readonly [string, (mounter: MemoryMounter) => Promise<void>, string]>([
    ['mounting where nothing is', (mounter) => mounter.mount(at('/r/b')), 'mount point /r/b does not exist'],
    [
      'removing a directory that is not empty',
      (mounter) => mounter.removeDirectory('/r'),
      'remove /r: directory not empty',
    ],
    [
      'removing a mount point',
      async (mounter) => {
        await mounter.mount(at('/r/a'));
        await mounter.removeDirectory('/r/a');
      },
      'remove /r/a: device or resource busy',
    ],
    [
      'a file without a directory',
      (mounter) => mounter.makeFile('/x/y', 0o640),
      'open /x/y: no such file or directory',
    ],
    [
      'a directory in the place of a file',
      async (mounter) => {
        await mounter.makeFile('/r/f', 0o640);
        await mounter.makeDirectory('/r/f/g', 0o750);
      },
      'mkdir /r/f: not a directory',
    ],
    [
      'unmounting a pinned device',
      async (mounter) => {
        await mounter.makeFile('/r/dev', 0o640);
        await mounter.mount(at('/r/dev'));
        await mounter.pinDevice('/r/dev');
        await mounter.unmount('/r/dev');
      },
      'umount: /r/dev: target is busy.',
    ],
    [
      'owning what is not mounted',
      (mounter) => mounter.setOwnership('/r/a', { gid: 5, readOnly: false }),
      '/r/a is not mounted',
    ],
  ])('P-KL-13 %s -> refused', async (_situation, act, message) => {
    const error: unknown = await act(await machine()).catch((thrown: unknown) => thrown);
    expect(isMountError(error) && error.message).toBe(message);
  });

  it('P-KL-13 removing what is not there -> no error', async () => {
    const mounter = await machine();
    await mounter.unmount('/r/x');
    await mounter.removeDirectory('/r/x');
    await mounter.removeFile('/r/x');
    await mounter.removeVolumeData('/r/x');
    await mounter.unpinDevice('/r/x');
    expect(mounter.paths()).toEqual(['/', '/r', '/r/a']);
  });

  it('a volume mounted twice -> one content, whatever it is reached by', async () => {
    const mounter = await machine();
    await mounter.makeDirectory('/r/b', 0o750);
    mounter.volume('s').set('data', { mode: 0o600, gid: 0 });
    await mounter.mount(at('/r/a'));
    await mounter.mount(at('/r/b'));
    await mounter.setOwnership('/r/a', { gid: 5, readOnly: false });
    expect(await mounter.stat('/r/b')).toEqual({ kind: 'directory', mode: 0o2775, gid: 5, mountPoint: true });
    expect(mounter.volume('s').get('data')).toEqual({ mode: 0o660, gid: 5 });
  });

  it('a read-only owner -> may read and not write', async () => {
    const mounter = await machine();
    mounter.volume('s').set('data', { mode: 0o600, gid: 0 });
    await mounter.mount(at('/r/a'));
    await mounter.setOwnership('/r/a', { gid: 5, readOnly: true });
    expect(mounter.volume('s').get('data')).toEqual({ mode: 0o640, gid: 5 });
  });

  it('a device bound onto a file, and a link to it -> seen as such', async () => {
    const mounter = await machine();
    await mounter.makeFile('/r/dev', 0o640);
    await mounter.mount(at('/r/dev'));
    await mounter.makeLink('/r/link', '/r/dev');
    expect((await mounter.stat('/r/dev'))?.kind).toBe('block');
    expect((await mounter.stat('/r/link'))?.kind).toBe('link');
    expect(mounter.linkAt('/r/link')).toBe('/r/dev');
  });

  it('the machine loses power -> no mounts and no pins, the tree and its data stay', async () => {
    const mounter = await machine();
    await mounter.writeVolumeData('/r/a', { driverName: 'd', volumeHandle: 'h' });
    await mounter.mount(at('/r/a'));
    await mounter.pinDevice('/r/a');
    mounter.loseMounts();
    expect(await mounter.mounts()).toEqual([]);
    expect(mounter.pinnedDevices()).toEqual([]);
    expect(await mounter.readVolumeData('/r/a')).toEqual({ driverName: 'd', volumeHandle: 'h' });
    expect(mounter.paths()).toContain('/r/a/vol_data.json');
  });
});
