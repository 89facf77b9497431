import type { Mounter } from '../mounter/mounter.ts';

/**
 * Removes a mount directory, its vol_data.json and the directory that holds both, unless something is mounted there.
 * kubernetes:pkg/volume/csi/csi_mounter.go removeMountDir
 */
export async function removeMountDirectory(mounter: Mounter, path: string): Promise<void> {
  const stat = await mounter.stat(path);
  if (stat?.mountPoint === true) return;
  await mounter.removeDirectory(path);
  const directory = directoryOf(path);
  await mounter.removeVolumeData(directory);
  await mounter.removeDirectory(directory);
}

export const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
