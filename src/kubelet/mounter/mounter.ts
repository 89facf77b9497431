/**
 * The file tree and mount table below one kubelet's root. Removing what is not there is no error: every caller may be a
 * second try after a crash.
 */
export interface Mounter {
  mounts(): Promise<readonly MountPoint[]>;
  mount(point: MountPoint, signal: AbortSignal): Promise<void>;
  unmount(target: string, signal: AbortSignal): Promise<void>;
  /** Names in a directory, in order; empty if there is no such directory. */
  list(directory: string): Promise<readonly string[]>;
  /** What is at a path, a link itself rather than what it points to; undefined if nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /** With all missing parents, as `mkdir -p`. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Refuses a mount point and a directory that is not empty. */
  removeDirectory(path: string): Promise<void>;
  /** An empty file for a device to be bound onto. */
  makeFile(path: string, mode: number): Promise<void>;
  /** Replaces a link of that name. */
  makeLink(path: string, to: string): Promise<void>;
  /** A file or a link. Refuses a mount point. */
  removeFile(path: string): Promise<void>;
  /** Holds the block device at a path open with a loop device, so that it cannot vanish under its users. */
  pinDevice(path: string): Promise<void>;
  unpinDevice(path: string): Promise<void>;
  /** fsGroup: owner group and mode of the whole tree. */
  setOwnership(path: string, owner: VolumeOwner, signal: AbortSignal): Promise<void>;
  readVolumeData(directory: string): Promise<VolumeData | undefined>;
  writeVolumeData(directory: string, data: VolumeData): Promise<void>;
  removeVolumeData(directory: string): Promise<void>;
}
export interface MountPoint {
  /** The same text for all mounts of one device or directory: by it other references are found. */
  readonly source: string;
  readonly target: string;
  readonly fsType: string;
  readonly options: readonly string[];
}
export interface FileStat {
  readonly kind: 'directory' | 'file' | 'block' | 'link';
  readonly mode: number;
  readonly gid: number;
  readonly mountPoint: boolean;
}
export interface VolumeOwner {
  readonly gid: number;
  readonly readOnly: boolean;
}
/** vol_data.json */
export interface VolumeData {
  readonly driverName: string;
  readonly volumeHandle: string;
  readonly specVolID?: string;
  readonly nodeName?: string;
  readonly attachmentID?: string;
  readonly volumeLifecycleMode?: string;
}

/** What a mounter refuses or cannot do. Everything else a mounter throws is a bug or the end of a wait. */
export class MountError extends Error {
  override readonly name = 'MountError';
}
export const isMountError = (error: unknown): error is MountError => error instanceof MountError;
