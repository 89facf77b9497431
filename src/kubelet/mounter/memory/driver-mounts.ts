// What the node part of a real driver does to the machine it runs on, for drivers that only keep records: staging and
// publishing mount the volume, their undoing unmounts it and removes the target. Faults belong around the result, so that a
// call that fails after its effect leaves the mount behind, as with a real driver.
import type { CsiDriver, VolumeCapability } from '../../../csi/driver.ts';
import { type DriverCall, wrapDriver } from '../../../csi/wrap-driver.ts';
import type { Mounter, MountPoint } from '../mounter.ts';

const TARGET_MODE = 0o750;

export interface DriverMountOptions {
  mounterOf(nodeName: string): Mounter;
  /** Names the storage behind a volume on a node; absent: one and the same for all nodes. */
  sourceOf?(volumeId: string, nodeName: string): string;
  /** The storage behind a volume is no more. */
  deleted?(source: string): void;
}

export function withMounts(driver: CsiDriver, options: DriverMountOptions): CsiDriver {
  return wrapDriver(driver, async (call, proceed) => {
    const answer = await proceed();
    if (call.nodeName !== undefined) await mountOrForget(driver, call, call.nodeName, options);
    if (call.rpc === 'DeleteVolume') options.deleted?.(sourceBehind(call));
    return answer;
  });
}

/** A driver that cannot mount has not done what it was asked: it does not keep a record of it either. */
async function mountOrForget(
  driver: CsiDriver,
  call: DriverCall,
  nodeName: string,
  options: DriverMountOptions,
): Promise<void> {
  try {
    await applyMounts(call, nodeName, options);
  } catch (error) {
    await forget(driver, call, nodeName, options);
    throw error;
  }
}

async function forget(
  driver: CsiDriver,
  call: DriverCall,
  nodeName: string,
  options: DriverMountOptions,
): Promise<void> {
  const { volumeId, stagingTargetPath, targetPath } = requestOf(call);
  const node = driver.nodeService(nodeName);
  const isMounted = async (path: string): Promise<boolean> =>
    (await options.mounterOf(nodeName).stat(path))?.mountPoint === true;
  if (call.rpc === 'NodeStageVolume' && !(await isMounted(stagingTargetPath)))
    await node.nodeUnstageVolume({ volumeId, stagingTargetPath }, call.options);
  if (call.rpc === 'NodePublishVolume' && !(await isMounted(targetPath)))
    await node.nodeUnpublishVolume({ volumeId, targetPath }, call.options);
}

async function applyMounts(call: DriverCall, nodeName: string, options: DriverMountOptions): Promise<void> {
  const mounter = options.mounterOf(nodeName);
  const request = requestOf(call);
  const { signal } = call.options;
  const source = options.sourceOf?.(request.volumeId, nodeName) ?? sourceBehind(call);
  switch (call.rpc) {
    case 'NodeStageVolume':
      // A block volume is staged by attaching its device: nothing is mounted at the staging path.
      if (isBlock(request.volumeCapability)) return;
      return mountOnce(mounter, pointAt(source, request.stagingTargetPath, request), signal);
    case 'NodeUnstageVolume':
      return mounter.unmount(request.stagingTargetPath, signal);
    case 'NodePublishVolume':
      if (isBlock(request.volumeCapability)) await mounter.makeFile(request.targetPath, TARGET_MODE);
      else await mounter.makeDirectory(request.targetPath, TARGET_MODE);
      return mountOnce(mounter, pointAt(source, request.targetPath, request), signal);
    case 'NodeUnpublishVolume':
      await mounter.unmount(request.targetPath, signal);
      return removeTarget(mounter, request.targetPath);
    default:
      return undefined;
  }
}

const sourceBehind = (call: DriverCall): string => `${call.driver}^${requestOf(call).volumeId}`;

interface NodeRequest {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  readonly volumeCapability?: VolumeCapability;
}

/** The fields that the calls of the node service share; what a call does not have is empty. */
function requestOf({ request }: DriverCall): NodeRequest {
  return { volumeId: '', stagingTargetPath: '', targetPath: '', ...request };
}

const isBlock = (capability: VolumeCapability | undefined): boolean => capability?.accessType.case === 'block';

function pointAt(source: string, target: string, { volumeCapability }: NodeRequest): MountPoint {
  const access = volumeCapability?.accessType;
  const mount = access?.case === 'mount' ? access : { fsType: '', mountFlags: [] };
  return { source, target, fsType: mount.fsType, options: mount.mountFlags };
}

async function mountOnce(mounter: Mounter, point: MountPoint, signal: AbortSignal): Promise<void> {
  const stat = await mounter.stat(point.target);
  if (stat?.mountPoint !== true) await mounter.mount(point, signal);
}

async function removeTarget(mounter: Mounter, target: string): Promise<void> {
  const stat = await mounter.stat(target);
  if (stat?.kind === 'directory') await mounter.removeDirectory(target);
  else await mounter.removeFile(target);
}
