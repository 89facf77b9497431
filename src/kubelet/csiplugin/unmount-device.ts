// Unstaging, from what lies on disk alone: the volume's object may be gone. kubernetes:pkg/volume/csi/csi_attacher.go
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { clientFor } from './mount-device.ts';
import { directoryOf, removeMountDirectory } from './mount-directory.ts';
import { csiLog, wrapFailure } from './volume-failure.ts';

/** Without a vol_data.json nothing was staged here and there is nothing to undo. Throws a VolumeFailure. */
export async function unmountDevice(services: CsiServices, id: CsiVolumeId, turn: OperationTurn): Promise<void> {
  const { mounter, paths } = services;
  const stagingPath = paths.stagingPath(id);
  const data = await mounter.readVolumeData(directoryOf(stagingPath));
  if (data === undefined) return;
  const { driverName, volumeHandle } = data;
  const client = clientFor(driverName, services, turn, 'attacher.UnmountDevice failed to create newCsiDriverClient');
  if (await stages(client)) {
    try {
      await client.call((node) => node.nodeUnstageVolume, { volumeId: volumeHandle, stagingTargetPath: stagingPath });
    } catch (error) {
      throw wrapFailure(csiLog('attacher.UnmountDevice failed'), error, 'final');
    }
  }
  try {
    await removeMountDirectory(mounter, stagingPath);
  } catch (error) {
    throw wrapFailure(csiLog(`failed to clean up global mount ${directoryOf(stagingPath)}`), error, 'final');
  }
}

async function stages(client: ReturnType<typeof clientFor>): Promise<boolean> {
  try {
    return await client.supports('STAGE_UNSTAGE_VOLUME');
  } catch (error) {
    const trying = 'attacher.UnmountDevice failed to check whether STAGE_UNSTAGE_VOLUME set';
    throw wrapFailure(csiLog(trying), error, 'final');
  }
}
