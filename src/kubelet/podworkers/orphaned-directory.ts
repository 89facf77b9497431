// Removes the directory of a pod that is no more: empty directories of volumes, and whatever else lies beside them. A mount and a
// file among the volumes stay, since they could be somebody's data, and so does the pod's directory then.
// kubernetes:pkg/kubelet/kubelet_volumes.go, kubernetes:pkg/util/removeall
import type { KubeletPaths } from '../csiplugin/kubelet-paths.ts';
import { isMountError, type Mounter } from '../mounter/mounter.ts';
import { hasMountsOnDisk } from './mounts-on-disk.ts';

/** Whether nothing is left of it. */
export async function removeOrphanedDirectory(mounter: Mounter, paths: KubeletPaths, uid: string): Promise<boolean> {
  if (await hasMountsOnDisk(mounter, paths, uid)) return false;
  const hasNoSubPaths = await removeTree(mounter, paths.subPathsDirectory(uid), 'everything');
  const hasNoVolumes = await removeTree(mounter, paths.podVolumesDirectory(uid), 'directories');
  return hasNoSubPaths && hasNoVolumes && removeTree(mounter, paths.podDirectory(uid), 'everything');
}

/** As much as goes: what cannot be removed keeps the directories above it, and nothing else. */
async function removeTree(mounter: Mounter, path: string, what: 'directories' | 'everything'): Promise<boolean> {
  const stat = await mounter.stat(path);
  if (stat === undefined) return true;
  if (stat.kind !== 'directory') return what === 'everything' && goes(() => mounter.removeFile(path));
  if (!stat.mountPoint) for (const name of await mounter.list(path)) await removeTree(mounter, `${path}/${name}`, what);
  return goes(() => mounter.removeDirectory(path));
}

async function goes(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (isMountError(error)) return false;
    throw error;
  }
}
