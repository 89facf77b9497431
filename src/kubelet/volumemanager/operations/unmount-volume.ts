// Taking a volume from one pod. Everything needed lies on disk: the objects may be gone. A failure is only logged, and the
// mount is uncertain from then on.
// kubernetes:pkg/volume/util/operationexecutor/operation_generator.go GenerateUnmountVolumeFunc, GenerateUnmapVolumeFunc
import { unmapPodDevice } from '../../csiplugin/block-device.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { tearDown } from '../../csiplugin/set-up.ts';
import { csiLog, VolumeFailure } from '../../csiplugin/volume-failure.ts';
import { CSI_PLUGIN, volumeModeOf } from '../../csiplugin/volume-spec.ts';
import type { CsiVolumeId } from '../../../volume/volume-name.ts';
import type { MountedVolume } from '../actual-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import { step } from './operation-message.ts';
import { tearDownPlain } from './plain-volume.ts';
import { removeSubPaths } from '../sub-paths.ts';

/** Throws a StepFailure. */
export async function unmountVolume(
  services: VolumeServices,
  volume: MountedVolume,
  turn: OperationTurn,
): Promise<void> {
  const { actual } = services;
  const { volumeName, podUid, spec } = volume;
  const at = (prefix: string) => ({ prefix, specName: volumeName });
  const id = await step(at('UnmountVolume.NewUnmounter failed'), () => idOnDisk(services, volume));
  await step(at('error cleaning subPath mounts'), () => removeSubPaths(services, podUid, spec.name, turn.signal));
  await step(
    at('UnmountVolume.TearDown failed'),
    () => tearDownForPod(services, volume, id, turn),
    () => actual.markVolumeMountAsUncertain(volumeName, podUid, spec),
  );
  actual.markVolumeAsUnmounted(volumeName, podUid);
}

async function tearDownForPod(
  services: VolumeServices,
  { podUid, plugin, spec }: MountedVolume,
  id: CsiVolumeId | undefined,
  turn: OperationTurn,
): Promise<void> {
  if (id === undefined) return tearDownPlain(services, { podUid, plugin, specName: spec.name });
  return tearDown(services, { podUid, specName: spec.name, id }, turn);
}

/** What the volume's directory says it is; undefined for volumes without a driver. */
async function idOnDisk(
  { mounter, paths }: VolumeServices,
  { plugin, podUid, spec }: MountedVolume,
): Promise<CsiVolumeId | undefined> {
  if (plugin !== CSI_PLUGIN) return undefined;
  const isBlock = volumeModeOf(spec) === 'Block';
  const directory = isBlock ? paths.blockDataDirectory(spec.name) : paths.csiVolumeDirectory(podUid, spec.name);
  const data = await mounter.readVolumeData(directory);
  if (data !== undefined) return { driver: data.driverName, handle: data.volumeHandle };
  const what = isBlock ? 'unmapper' : 'unmounter';
  throw new VolumeFailure(csiLog(`${what} failed to load volume data file [${directory}]`), 'final');
}

/** Throws a StepFailure. */
export async function unmapVolume(services: VolumeServices, volume: MountedVolume, turn: OperationTurn): Promise<void> {
  const { actual } = services;
  const { volumeName, podUid, spec } = volume;
  const at = (prefix: string) => ({ prefix, specName: volumeName });
  const id = await step(at('UnmapVolume.NewUnmapper failed'), () => idOnDisk(services, volume));
  // From here on a part of it may be gone.
  actual.markVolumeMountAsUncertain(volumeName, podUid, spec);
  await step(at('UnmapVolume.UnmapBlockVolume failed'), () => unlinkDevice(services, volume, turn));
  if (id !== undefined) {
    const device = { id, name: spec.name, podUid };
    await step(at('UnmapVolume.UnmapPodDevice failed'), () => unmapPodDevice(services, device, turn));
  }
  actual.markVolumeAsUnmounted(volumeName, podUid);
}

async function unlinkDevice(
  { mounter, paths }: VolumeServices,
  { spec, podUid }: MountedVolume,
  turn: OperationTurn,
): Promise<void> {
  const globalPath = `${paths.globalMapPath(spec.name)}/${podUid}`;
  await mounter.unpinDevice(globalPath);
  await mounter.removeFile(`${paths.podDeviceMapDirectory(podUid)}/${spec.name}`);
  await mounter.unmount(globalPath, turn.signal);
  await mounter.removeFile(globalPath);
}
