// Giving a pod a block volume: staging, publishing, then a link in the pod's directory and a bind of the device that is
// held open, so that the device cannot be taken away and replaced under its name.
// kubernetes:pkg/volume/util/operationexecutor/operation_generator.go GenerateMapVolumeFunc
import { type BlockVolume, mapPodDevice, prepareBlockVolume, setUpDevice } from '../../csiplugin/block-device.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { VOLUME_DIRECTORY_MODE } from '../../csiplugin/kubelet-paths.ts';
import { VolumeFailure } from '../../csiplugin/volume-failure.ts';
import { persistentCsiId } from '../../csiplugin/volume-spec.ts';
import { waitForAttach } from '../../csiplugin/wait-for-attach.ts';
import { FAILED_MAP_VOLUME, FAILED_MOUNT, SUCCESSFUL_MOUNT_VOLUME } from '../../reasons.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import { expandDuringMount } from './expand-volume.ts';
import { markDeviceErrorState, markVolumeErrorState } from './mark-error-state.ts';
import { checkNodeAffinity, checkSinglePod } from './mount-checks.ts';
import { step, StepFailure, volumeMessage } from './operation-message.ts';

/** Throws a StepFailure, which is an event of the pod. */
export async function mapVolume(services: VolumeServices, volume: VolumeToMount, turn: OperationTurn): Promise<void> {
  const recorder = services.recorder.via(turn.cluster);
  const { name } = volume.spec;
  try {
    await step({ prefix: 'MapVolume.NodeAffinity check failed', specName: name }, () =>
      checkNodeAffinity(services, volume),
    );
  } catch (error) {
    if (error instanceof StepFailure) recorder.event(volume.pod, 'Warning', FAILED_MOUNT, error.message);
    throw error;
  }
  try {
    await map(services, volume, turn);
  } catch (error) {
    if (error instanceof StepFailure) recorder.event(volume.pod, 'Warning', FAILED_MAP_VOLUME, error.message);
    throw error;
  }
}

async function map(services: VolumeServices, volume: VolumeToMount, turn: OperationTurn): Promise<void> {
  const { actual } = services;
  const { spec, volumeName, podUid, pod } = volume;
  const block = blockVolumeOf(volume);
  const at = (prefix: string) => ({ prefix, specName: spec.name });
  await step(at('MapVolume.NewBlockVolumeMapper initialization failed'), () => prepareBlockVolume(services, block));
  await step(at('MapVolume.SetUpDevice failed'), () => checkSinglePod(services, volume));
  const attachedPath = volume.traits.attachable
    ? await step(at('MapVolume.WaitForAttach failed'), () => waitForAttach(services, block.id, turn))
    : '';
  if (actual.deviceMountState(volumeName) !== 'mounted') {
    await step(
      at('MapVolume.SetUpDevice failed'),
      () => setUpDevice(services, block, turn),
      (failure) => markDeviceErrorState(actual, volumeName, attachedPath, failure),
    );
  }
  actual.setDeviceMountState(volumeName, 'mounted', attachedPath);
  const devicePath = await step(
    at('MapVolume.MapPodDevice failed'),
    () => mapPodDevice(services, block, pod, turn),
    (failure) => markVolumeErrorState(actual, volume, failure),
  );
  const uncertain = (): void => markVolumeErrorState(actual, volume, { progress: 'uncertain' });
  actual.setDeviceMountState(volumeName, 'mounted', devicePath);
  await step(at('MapVolume.MapBlockVolume failed'), () => linkDevice(services, volume, devicePath, turn), uncertain);
  tellMapped(services, volume, turn);
  await step(
    at('MapVolume.MarkVolumeAsMounted failed while expanding volume'),
    () => expandDuringMount(services, volume, turn),
    () => actual.markVolumeMountAsUncertain(volumeName, podUid, spec),
  );
  actual.markVolumeAsMounted(volumeName, podUid, spec);
}

function blockVolumeOf({ spec }: VolumeToMount): BlockVolume {
  const id = persistentCsiId(spec);
  if (spec.type !== 'persistent' || id === undefined) {
    throw new StepFailure(
      'MapVolume.FindMapperPluginBySpec failed',
      spec.name,
      new VolumeFailure('no block volume plugin matched', 'final'),
    );
  }
  return { id, name: spec.name, spec: spec.spec, readOnly: spec.readOnly };
}

async function linkDevice(
  { mounter, paths }: VolumeServices,
  { spec, podUid }: VolumeToMount,
  devicePath: string,
  turn: OperationTurn,
): Promise<void> {
  const globalPath = `${paths.globalMapPath(spec.name)}/${podUid}`;
  await mounter.makeDirectory(paths.globalMapPath(spec.name), VOLUME_DIRECTORY_MODE);
  // A bind that an earlier process made is kept.
  if ((await mounter.stat(globalPath))?.kind !== 'block') {
    await mounter.makeFile(globalPath, VOLUME_DIRECTORY_MODE);
    await mounter.mount({ source: devicePath, target: globalPath, fsType: '', options: ['bind'] }, turn.signal);
  }
  const podDirectory = paths.podDeviceMapDirectory(podUid);
  await mounter.makeDirectory(podDirectory, VOLUME_DIRECTORY_MODE);
  await mounter.makeLink(`${podDirectory}/${spec.name}`, devicePath);
  await mounter.pinDevice(globalPath);
}

function tellMapped(services: VolumeServices, { spec, pod, podUid }: VolumeToMount, turn: OperationTurn): void {
  const { paths } = services;
  const places = [
    `globalMapPath "${paths.globalMapPath(spec.name)}"`,
    `volumeMapPath "${paths.podDeviceMapDirectory(podUid)}"`,
  ];
  for (const place of places) {
    const text = volumeMessage('MapVolume.MapPodDevice succeeded', spec.name, place);
    services.recorder.via(turn.cluster).event(pod, 'Normal', SUCCESSFUL_MOUNT_VOLUME, text);
  }
}
