// One place where every call to a mounter can be seen, delayed, failed or dropped: busy devices, full disks and the end of
// the process that called are each an `around`.
import type { Mounter } from './mounter.ts';

export interface MounterCall {
  readonly method: keyof Mounter;
  /** The path that the call is about; empty for `mounts`. */
  readonly path: string;
}
/** Hands the call on. May be called never, once or again. */
export type AroundMounter = <T>(call: MounterCall, proceed: () => Promise<T>) => Promise<T>;

export function wrapMounter(inner: Mounter, around: AroundMounter): Mounter {
  const at = (method: keyof Mounter, path: string): MounterCall => ({ method, path });
  return {
    mounts: () => around(at('mounts', ''), () => inner.mounts()),
    mount: (point, signal) => around(at('mount', point.target), () => inner.mount(point, signal)),
    unmount: (target, signal) => around(at('unmount', target), () => inner.unmount(target, signal)),
    list: (path) => around(at('list', path), () => inner.list(path)),
    stat: (path) => around(at('stat', path), () => inner.stat(path)),
    makeDirectory: (path, mode) => around(at('makeDirectory', path), () => inner.makeDirectory(path, mode)),
    removeDirectory: (path) => around(at('removeDirectory', path), () => inner.removeDirectory(path)),
    makeFile: (path, mode) => around(at('makeFile', path), () => inner.makeFile(path, mode)),
    makeLink: (path, to) => around(at('makeLink', path), () => inner.makeLink(path, to)),
    removeFile: (path) => around(at('removeFile', path), () => inner.removeFile(path)),
    pinDevice: (path) => around(at('pinDevice', path), () => inner.pinDevice(path)),
    unpinDevice: (path) => around(at('unpinDevice', path), () => inner.unpinDevice(path)),
    setOwnership: (path, owner, signal) =>
      around(at('setOwnership', path), () => inner.setOwnership(path, owner, signal)),
    readVolumeData: (path) => around(at('readVolumeData', path), () => inner.readVolumeData(path)),
    writeVolumeData: (path, data) => around(at('writeVolumeData', path), () => inner.writeVolumeData(path, data)),
    removeVolumeData: (path) => around(at('removeVolumeData', path), () => inner.removeVolumeData(path)),
  };
}
