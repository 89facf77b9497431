// A machine's file tree and mount table in memory. It outlives the kubelet that uses it, as a disk does: a restarted
// kubelet finds what was left. Several kubelets may share one, below different roots, as processes of one machine do.
// What always holds: a path has a parent directory; a mount point has a directory or a file below it.
import {
  type FileStat,
  MountError,
  type Mounter,
  type MountPoint,
  type VolumeData,
  type VolumeOwner,
} from '../mounter.ts';

/** A node of the tree itself, whatever is mounted over it. */
interface Entry {
  readonly kind: 'directory' | 'file' | 'link';
  readonly mode: number;
  readonly gid: number;
  /** Of a link. */
  readonly to?: string;
  /** Of a vol_data.json. */
  readonly data?: VolumeData;
}
/** The content of a volume: its root directory and some files, by path below the root. */
export interface VolumeFile {
  readonly mode: number;
  readonly gid: number;
}

const VOLUME_DATA_FILE = 'vol_data.json';
const DIRECTORY_MODE = 0o755;
const LINK_MODE = 0o777;
const DEVICE_MODE = 0o600;
const DATA_FILE_MODE = 0o644;
/** kubernetes:pkg/volume/volume_linux.go: rwMask, roMask, execMask and the setgid bit. */
const GROUP_WRITE = 0o660;
const GROUP_READ = 0o440;
const EXECUTE = 0o110;
const SET_GROUP_ID = 0o2000;

export class MemoryMounter implements Mounter {
  readonly #entries = new Map<string, Entry>([['/', { kind: 'directory', mode: DIRECTORY_MODE, gid: 0 }]]);
  /** Names in each directory; a directory without any is absent. */
  readonly #children = new Map<string, Set<string>>();
  /** By target, in the order they were mounted. */
  readonly #mounts = new Map<string, MountPoint>();
  /** Roots and files of volumes, by the source they are mounted from. */
  readonly #volumes = new Map<string, Map<string, VolumeFile>>();
  readonly #pinned = new Set<string>();

  /** How much is on it: files of the tree itself and of volumes that were mounted. */
  get contents(): { readonly mounts: number; readonly files: number } {
    const inVolumes = [...this.#volumes.values()].reduce((sum, files) => sum + files.size, 0);
    return { mounts: this.#mounts.size, files: this.#entries.size + inVolumes };
  }

  async mounts(): Promise<readonly MountPoint[]> {
    return [...this.#mounts.values()];
  }

  async mount(point: MountPoint): Promise<void> {
    if (!this.#entries.has(point.target)) throw new MountError(`mount point ${point.target} does not exist`);
    this.#mounts.set(point.target, point);
  }

  async unmount(target: string): Promise<void> {
    if (this.#pinned.has(target)) throw new MountError(`umount: ${target}: target is busy.`);
    this.#mounts.delete(target);
  }

  async list(directory: string): Promise<readonly string[]> {
    return [...(this.#children.get(directory) ?? [])].toSorted();
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const mount = this.#mounts.get(path);
    if (mount === undefined) return { kind: entry.kind, mode: entry.mode, gid: entry.gid, mountPoint: false };
    if (entry.kind === 'file') return { kind: 'block', mode: DEVICE_MODE, gid: 0, mountPoint: true };
    return { kind: 'directory', ...this.#root(mount.source), mountPoint: true };
  }

  async makeDirectory(path: string, mode: number): Promise<void> {
    const entry = this.#entries.get(path);
    if (entry !== undefined && entry.kind !== 'directory') throw new MountError(`mkdir ${path}: not a directory`);
    if (entry !== undefined) return;
    await this.makeDirectory(parentOf(path), mode);
    this.#put(path, { kind: 'directory', mode, gid: 0 });
  }

  async removeDirectory(path: string): Promise<void> {
    if (this.#mounts.has(path)) throw new MountError(`remove ${path}: device or resource busy`);
    if (this.#children.has(path)) throw new MountError(`remove ${path}: directory not empty`);
    this.#remove(path);
  }

  async makeFile(path: string, mode: number): Promise<void> {
    if (!this.#entries.has(path)) this.#put(path, { kind: 'file', mode, gid: 0 });
  }

  async makeLink(path: string, to: string): Promise<void> {
    this.#put(path, { kind: 'link', mode: LINK_MODE, gid: 0, to });
  }

  async removeFile(path: string): Promise<void> {
    if (this.#mounts.has(path)) throw new MountError(`remove ${path}: device or resource busy`);
    this.#remove(path);
  }

  async pinDevice(path: string): Promise<void> {
    this.#pinned.add(path);
  }

  async unpinDevice(path: string): Promise<void> {
    this.#pinned.delete(path);
  }

  async setOwnership(path: string, owner: VolumeOwner): Promise<void> {
    const source = this.#mounts.get(path)?.source;
    if (source === undefined) throw new MountError(`${path} is not mounted`);
    const files = this.volume(source);
    for (const [name, file] of files) files.set(name, ownedBy(owner, file, name === ''));
  }

  async readVolumeData(directory: string): Promise<VolumeData | undefined> {
    return this.#entries.get(`${directory}/${VOLUME_DATA_FILE}`)?.data;
  }

  async writeVolumeData(directory: string, data: VolumeData): Promise<void> {
    this.#put(`${directory}/${VOLUME_DATA_FILE}`, { kind: 'file', mode: DATA_FILE_MODE, gid: 0, data });
  }

  async removeVolumeData(directory: string): Promise<void> {
    this.#remove(`${directory}/${VOLUME_DATA_FILE}`);
  }

  /** The files of a volume by path below its root, which is the empty path; made when first asked for. */
  volume(source: string): Map<string, VolumeFile> {
    const known = this.#volumes.get(source);
    if (known !== undefined) return known;
    const made = new Map<string, VolumeFile>([['', { mode: DIRECTORY_MODE, gid: 0 }]]);
    this.#volumes.set(source, made);
    return made;
  }

  /** There is no such volume any more. */
  forgetVolume(source: string): void {
    this.#volumes.delete(source);
  }

  /** Paths of everything in the tree, in order; for tests and for a look at a simulated machine. */
  paths(): readonly string[] {
    return [...this.#entries.keys()].toSorted();
  }

  linkAt(path: string): string | undefined {
    return this.#entries.get(path)?.to;
  }

  /** Block devices that a loop device holds open. */
  pinnedDevices(): readonly string[] {
    return [...this.#pinned].toSorted();
  }

  /** The machine lost power: mounts and loop devices are gone, the tree stays. */
  loseMounts(): void {
    this.#mounts.clear();
    this.#pinned.clear();
  }

  #root(source: string): VolumeFile {
    return this.volume(source).get('') ?? { mode: DIRECTORY_MODE, gid: 0 };
  }

  #put(path: string, entry: Entry): void {
    const parent = parentOf(path);
    if (this.#entries.get(parent)?.kind !== 'directory')
      throw new MountError(`open ${path}: no such file or directory`);
    this.#entries.set(path, entry);
    const siblings = this.#children.get(parent) ?? new Set();
    siblings.add(path.slice(path.lastIndexOf('/') + 1));
    this.#children.set(parent, siblings);
  }

  #remove(path: string): void {
    if (!this.#entries.delete(path)) return;
    const parent = parentOf(path);
    const siblings = this.#children.get(parent);
    siblings?.delete(path.slice(path.lastIndexOf('/') + 1));
    if (siblings?.size === 0) this.#children.delete(parent);
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

function ownedBy({ gid, readOnly }: VolumeOwner, { mode }: VolumeFile, isDirectory: boolean): VolumeFile {
  const access = readOnly ? GROUP_READ : GROUP_WRITE;
  return { gid, mode: mode | access | (isDirectory ? SET_GROUP_ID | EXECUTE : 0) };
}
