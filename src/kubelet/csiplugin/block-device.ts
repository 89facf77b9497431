// Block volumes: staged and published as devices, without a file system. kubernetes:pkg/volume/csi/csi_block.go
import type { StringMap } from '../../csi/driver.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Mounter } from '../mounter/mounter.ts';
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import { readCredentials } from './credentials.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { VOLUME_DIRECTORY_MODE } from './kubelet-paths.ts';
import { asFinal, clientFor, transiently } from './mount-device.ts';
import { podInfoOf } from './volume-context.ts';
import { csiLog, mountFailure, wrapFailure } from './volume-failure.ts';
import { attachmentOf, publishContextOf } from './wait-for-attach.ts';

export interface BlockVolume {
  readonly id: CsiVolumeId;
  readonly name: string;
  readonly spec: PersistentVolumeSpec;
  readonly readOnly: boolean;
}

/** Writes down what the volume is, before anything is done to it. */
export async function prepareBlockVolume(services: CsiServices, { id, name }: BlockVolume): Promise<void> {
  const directory = services.paths.blockDataDirectory(name);
  await services.mounter.makeDirectory(directory, VOLUME_DIRECTORY_MODE);
  await services.mounter.writeVolumeData(directory, {
    specVolID: name,
    volumeHandle: id.handle,
    driverName: id.driver,
    nodeName: services.nodeName,
    attachmentID: attachmentOf(services, id),
  });
}

/** NodeStageVolume, if the driver stages. Throws a VolumeFailure. */
export async function setUpDevice(services: CsiServices, volume: BlockVolume, turn: OperationTurn): Promise<void> {
  try {
    await stageDevice(services, volume, turn);
  } catch (error) {
    const failure = mountFailure(error);
    if (failure.progress === 'final') await removeDeviceFiles(services, volume.name).catch(() => undefined);
    throw failure;
  }
}

async function stageDevice(services: CsiServices, volume: BlockVolume, turn: OperationTurn): Promise<void> {
  const { id, name, spec } = volume;
  const publishContext = await attachmentContext(services, id, turn, 'blockMapper.SetupDevice');
  const client = clientFor(id.driver, services, turn, 'blockMapper.SetUpDevice failed to get CSI client');
  const trying = 'blockMapper.stageVolumeForBlock failed to check STAGE_UNSTAGE_VOLUME capability';
  const stages = await client.supports('STAGE_UNSTAGE_VOLUME').catch((error: unknown) => {
    throw wrapFailure(csiLog(trying), error, 'final');
  });
  if (!stages) return;
  const secrets = await blockSecrets(spec.csi?.nodeStageSecretRef, turn, 'failed to get NodeStageSecretRef');
  const stagingTargetPath = services.paths.blockStagingPath(name);
  await services.mounter.makeDirectory(stagingTargetPath, VOLUME_DIRECTORY_MODE);
  const accessMode = await asFinal(() => client.accessModeOf(spec.accessModes));
  await client.call((node) => node.nodeStageVolume, {
    volumeId: id.handle,
    publishContext,
    stagingTargetPath,
    volumeCapability: { accessType: { case: 'block' }, accessMode },
    secrets,
    volumeContext: spec.csi?.volumeAttributes ?? {},
  });
}

/** NodePublishVolume; answers the path of the device. Throws a VolumeFailure. */
export async function mapPodDevice(
  services: CsiServices,
  volume: BlockVolume,
  pod: Pod,
  turn: OperationTurn,
): Promise<string> {
  const { mounter, paths } = services;
  const { id, name, spec } = volume;
  const publishContext = await attachmentContext(services, id, turn, 'blockMapper.MapPodDevice');
  const client = clientFor(id.driver, services, turn, 'blockMapper.MapPodDevice failed to get CSI client');
  const trying = 'blockMapper.publishVolumeForBlock failed to get NodePublishSecretRef';
  const secrets = await blockSecrets(spec.csi?.nodePublishSecretRef, turn, trying);
  await mounter.makeDirectory(paths.blockPublishDirectory(name), VOLUME_DIRECTORY_MODE);
  const accessMode = await asFinal(() => client.accessModeOf(spec.accessModes));
  const targetPath = paths.blockPublishPath(name, pod.metadata.uid);
  const request = {
    volumeId: id.handle,
    publishContext,
    stagingTargetPath: paths.blockStagingPath(name),
    targetPath,
    volumeCapability: { accessType: { case: 'block' as const }, accessMode },
    readonly: volume.readOnly,
    secrets,
    volumeContext: { ...spec.csi?.volumeAttributes, ...podInfoOf(pod, services.driverObjectOf(id.driver), false) },
  };
  try {
    await client.call((node) => node.nodePublishVolume, request);
  } catch (error) {
    throw mountFailure(error);
  }
  return targetPath;
}

async function attachmentContext(
  services: CsiServices,
  id: CsiVolumeId,
  turn: OperationTurn,
  trying: string,
): Promise<StringMap> {
  const prefix = csiLog(`${trying} failed to get volume attachment [id=${attachmentOf(services, id)}]`);
  return transiently(() => publishContextOf(services, id, turn), prefix);
}

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

function blockSecrets(reference: SecretReference | undefined, turn: OperationTurn, trying: string): Promise<StringMap> {
  const name = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
  return transiently(() => readCredentials(turn.cluster, reference), csiLog(`${trying} ${name}`));
}

/** NodeUnpublishVolume. Throws a VolumeFailure. */
export async function unmapPodDevice(
  services: CsiServices,
  volume: { readonly id: CsiVolumeId; readonly name: string; readonly podUid: string },
  turn: OperationTurn,
): Promise<void> {
  const { id, name, podUid } = volume;
  const client = clientFor(id.driver, services, turn, 'blockMapper.UnmapPodDevice failed to get CSI client');
  const targetPath = services.paths.blockPublishPath(name, podUid);
  try {
    await client.call((node) => node.nodeUnpublishVolume, { volumeId: id.handle, targetPath });
  } catch (error) {
    throw wrapFailure(csiLog('blockMapper.unpublishVolumeForBlock failed'), error, 'final');
  }
}

/** NodeUnstageVolume, if there is a staging directory and the driver stages. Throws a VolumeFailure. */
export async function tearDownDevice(
  services: CsiServices,
  { id, name }: Pick<BlockVolume, 'id' | 'name'>,
  turn: OperationTurn,
): Promise<void> {
  const client = clientFor(id.driver, services, turn, 'blockMapper.TearDownDevice failed to get CSI client');
  const stagingTargetPath = services.paths.blockStagingPath(name);
  const staged = await services.mounter.stat(stagingTargetPath);
  if (staged !== undefined) {
    const trying = 'blockMapper.unstageVolumeForBlock failed to check STAGE_UNSTAGE_VOLUME capability';
    const stages = await client.supports('STAGE_UNSTAGE_VOLUME').catch((error: unknown) => {
      throw wrapFailure(csiLog(trying), error, 'final');
    });
    if (stages) {
      await client
        .call((node) => node.nodeUnstageVolume, { volumeId: id.handle, stagingTargetPath })
        .catch((error: unknown) => {
          throw wrapFailure(csiLog('blockMapper.unstageVolumeForBlock failed'), error, 'final');
        });
      await services.mounter.removeDirectory(stagingTargetPath);
    }
  }
  // What cannot be removed is left behind without a word.
  await removeDeviceFiles(services, name).catch(() => undefined);
}

async function removeDeviceFiles({ mounter, paths }: CsiServices, name: string): Promise<void> {
  await mounter.removeDirectory(paths.blockPublishDirectory(name));
  await mounter.removeDirectory(paths.blockStagingPath(name));
  await mounter.removeVolumeData(paths.blockDataDirectory(name));
  await mounter.removeDirectory(paths.blockDataDirectory(name));
  await removeTree(mounter, paths.globalMapPath(name));
  await mounter.removeDirectory(paths.blockDirectory(name));
}

/** Files and then the directory; stops at a mount point. */
export async function removeTree(mounter: Mounter, directory: string): Promise<void> {
  for (const name of await mounter.list(directory)) await mounter.removeFile(`${directory}/${name}`);
  await mounter.removeDirectory(directory);
}
