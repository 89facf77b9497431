import { describe, expect, it } from 'vitest';
import { MemoryMounter } from './memory/memory.ts';
import { type Mounter, MountError } from './mounter.ts';
import { type MounterCall, wrapMounter } from './wrap-mounter.ts';

const { signal } = new AbortController();
const POINT = { source: 's', target: '/t', fsType: '', options: [] };

const CALLS: Readonly<Record<keyof Mounter, (mounter: Mounter) => Promise<unknown>>> = {
  mounts: (mounter) => mounter.mounts(),
  makeDirectory: (mounter) => mounter.makeDirectory('/t', 0o750),
  mount: (mounter) => mounter.mount(POINT, signal),
  setOwnership: (mounter) => mounter.setOwnership('/t', { gid: 1, readOnly: false }, signal),
  list: (mounter) => mounter.list('/t'),
  stat: (mounter) => mounter.stat('/t'),
  pinDevice: (mounter) => mounter.pinDevice('/t'),
  unpinDevice: (mounter) => mounter.unpinDevice('/t'),
  unmount: (mounter) => mounter.unmount('/t', signal),
  writeVolumeData: (mounter) => mounter.writeVolumeData('/t', { driverName: 'd', volumeHandle: 'h' }),
  readVolumeData: (mounter) => mounter.readVolumeData('/t'),
  removeVolumeData: (mounter) => mounter.removeVolumeData('/t'),
  removeDirectory: (mounter) => mounter.removeDirectory('/t'),
  makeFile: (mounter) => mounter.makeFile('/t', 0o640),
  removeFile: (mounter) => mounter.removeFile('/t'),
  makeLink: (mounter) => mounter.makeLink('/t', '/'),
};
const METHODS = Object.keys(CALLS) as (keyof Mounter)[];

describe('wrapMounter', () => {
  it('P-KL-13 every call -> seen with its path, and answered by the mounter within', async () => {
    const seen: MounterCall[] = [];
    const [plain, inner] = [new MemoryMounter(), new MemoryMounter()];
    const wrapped = wrapMounter(inner, (call, proceed) => (seen.push(call), proceed()));
    for (const method of METHODS) expect(await CALLS[method](wrapped)).toEqual(await CALLS[method](plain));
    expect(inner.paths()).toEqual(plain.paths());
    expect(seen).toEqual(METHODS.map((method) => ({ method, path: method === 'mounts' ? '' : '/t' })));
  });

  it.each(METHODS)('P-KL-13 %s held back -> nothing is done', async (method) => {
    const inner = new MemoryMounter();
    const wrapped = wrapMounter(inner, () => Promise.reject(new MountError('busy')));
    await expect(CALLS[method](wrapped)).rejects.toThrow('busy');
    expect(inner.paths()).toEqual(['/']);
  });
});
