import { CSI_PLUGIN } from '../csiplugin/volume-spec.ts';
import { type KubeletPaths, unescapeQualifiedName } from '../csiplugin/kubelet-paths.ts';
import { isMountError, type Mounter } from '../mounter/mounter.ts';

/**
 * Whether a file system is mounted among the volumes of a pod, whoever believes what: a driver may have mounted one and
 * said that it did not. What cannot be read counts as mounted.
 * kubernetes:pkg/kubelet/kubelet_getters.go getMountedVolumePathListFromDisk
 */
export async function hasMountsOnDisk(mounter: Mounter, paths: KubeletPaths, podUid: string): Promise<boolean> {
  try {
    for (const path of await volumePaths(mounter, paths.podVolumesDirectory(podUid))) {
      const stat = await mounter.stat(path);
      if (stat?.mountPoint === true) return true;
    }
    return false;
  } catch (error) {
    if (!isMountError(error)) throw error;
    return true;
  }
}

async function volumePaths(mounter: Mounter, root: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const plugin of await mounter.list(root)) {
    const below = unescapeQualifiedName(plugin) === CSI_PLUGIN ? '/mount' : '';
    for (const name of await mounter.list(`${root}/${plugin}`)) paths.push(`${root}/${plugin}/${name}${below}`);
  }
  return paths;
}
