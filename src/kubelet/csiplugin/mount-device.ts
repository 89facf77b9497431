// Staging: once per volume and node, before any pod gets it. kubernetes:pkg/volume/csi/csi_attacher.go MountDevice
import type { MountAccess, StringMap } from '../../csi/driver.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import { readCredentials } from './credentials.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { VOLUME_DIRECTORY_MODE } from './kubelet-paths.ts';
import { removeMountDirectory } from './mount-directory.ts';
import { NodeClient } from './node-client.ts';
import { csiLog, failureOf, mountFailure, VolumeFailure, wrapFailure } from './volume-failure.ts';
import { publishContextOf } from './wait-for-attach.ts';

export interface DeviceToMount {
  readonly id: CsiVolumeId;
  readonly spec: PersistentVolumeSpec;
  readonly fsGroup: number | undefined;
}

/** Throws a VolumeFailure. A driver that does not stage is left with an empty staging directory. */
export async function mountDevice(services: CsiServices, device: DeviceToMount, turn: OperationTurn): Promise<void> {
  const { mounter, paths } = services;
  const { id, spec } = device;
  const client = clientFor(id.driver, services, turn, 'attacher.MountDevice failed to create newCsiDriverClient');
  const stages = await client.supports('STAGE_UNSTAGE_VOLUME');
  const publishContext = await transiently(() => publishContextOf(services, id, turn));
  const secrets = stages ? await stageSecrets(spec, turn) : {};
  const stagingPath = paths.stagingPath(id);
  await mounter.makeDirectory(stagingPath, VOLUME_DIRECTORY_MODE);
  if (!stages) return;
  const takesGroup = await supportsMountGroup(client, 'attacher.MountDevice');
  await mounter.writeVolumeData(paths.stagingDirectory(id), { volumeHandle: id.handle, driverName: id.driver });
  const group = takesGroup ? device.fsGroup : undefined;
  try {
    await stage(client, { device, publishContext, secrets, stagingPath, group });
  } catch (error) {
    const failure = mountFailure(error);
    if (failure.progress === 'final') await removeMountDirectory(mounter, stagingPath);
    throw failure;
  }
}

/** A client of a driver that must be registered; that it is not yet says nothing about the volume. */
export function clientFor(driver: string, services: CsiServices, turn: OperationTurn, trying: string): NodeClient {
  try {
    return new NodeClient(driver, services, turn);
  } catch (error) {
    throw wrapFailure(csiLog(trying), error, 'transient');
  }
}

/** Something read before the first call: its failure leaves the volume as it was. */
export async function transiently<T>(read: () => Promise<T>, prefix?: string): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { message } = failureOf(error);
    throw new VolumeFailure(prefix === undefined ? message : `${prefix}: ${message}`, 'transient');
  }
}

export async function supportsMountGroup(client: NodeClient, trying: string): Promise<boolean> {
  const prefix = `${trying} failed to determine if the node service has VOLUME_MOUNT_GROUP capability`;
  return transiently(() => client.supports('VOLUME_MOUNT_GROUP'), csiLog(prefix));
}

async function stageSecrets({ csi }: PersistentVolumeSpec, turn: OperationTurn): Promise<StringMap> {
  const reference = csi?.nodeStageSecretRef;
  try {
    return await readCredentials(turn.cluster, reference);
  } catch (error) {
    failureOf(error);
    const name = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
    throw new VolumeFailure(`fetching NodeStageSecretRef ${name} failed: ${messageOf(error)}`, 'transient');
  }
}

interface StageRequest {
  readonly device: DeviceToMount;
  readonly publishContext: StringMap;
  readonly secrets: StringMap;
  readonly stagingPath: string;
  readonly group: number | undefined;
}

async function stage(client: NodeClient, { device, group, stagingPath, ...request }: StageRequest): Promise<void> {
  const { id, spec } = device;
  const accessMode = await asFinal(() => client.accessModeOf(spec.accessModes));
  await client.call((node) => node.nodeStageVolume, {
    ...request,
    volumeId: id.handle,
    stagingTargetPath: stagingPath,
    volumeContext: spec.csi?.volumeAttributes ?? {},
    volumeCapability: { accessType: mountAccess(spec, group), accessMode },
  });
}

/** What was asked before the call itself counts as final, whatever its code. */
export async function asFinal<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw failureOf(error);
  }
}

export function mountAccess(
  spec: { readonly csi?: { readonly fsType?: string }; readonly mountOptions?: readonly string[] },
  group: number | undefined,
): MountAccess {
  return {
    case: 'mount',
    fsType: spec.csi?.fsType ?? '',
    mountFlags: spec.mountOptions ?? [],
    ...(group === undefined ? {} : { volumeMountGroup: String(group) }),
  };
}
