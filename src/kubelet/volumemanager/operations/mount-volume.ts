// Mounting a file system volume for one pod: checks, the attachment, staging unless it is staged, publishing, growing.
// kubernetes:pkg/volume/util/operationexecutor/operation_generator.go GenerateMountVolumeFunc
import { csiIdOf, persistentCsiId } from '../../csiplugin/volume-spec.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { mountDevice } from '../../csiplugin/mount-device.ts';
import { setUp } from '../../csiplugin/set-up.ts';
import { waitForAttach } from '../../csiplugin/wait-for-attach.ts';
import { FAILED_MOUNT } from '../../reasons.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import { expandDuringMount } from './expand-volume.ts';
import { markDeviceErrorState, markVolumeErrorState } from './mark-error-state.ts';
import { checkNodeAffinity, checkSinglePod } from './mount-checks.ts';
import { step, StepFailure } from './operation-message.ts';
import { setUpPlain } from './plain-volume.ts';

/** Throws a StepFailure, which is an event of the pod. */
export async function mountVolume(
  services: VolumeServices,
  volume: VolumeToMount & { readonly isRemount: boolean },
  turn: OperationTurn,
): Promise<void> {
  try {
    await mount(services, volume, turn);
  } catch (error) {
    if (error instanceof StepFailure) {
      services.recorder.via(turn.cluster).event(volume.pod, 'Warning', FAILED_MOUNT, error.message);
    }
    throw error;
  }
}

async function mount(
  services: VolumeServices,
  volume: VolumeToMount & { readonly isRemount: boolean },
  turn: OperationTurn,
): Promise<void> {
  const { actual } = services;
  const { spec, volumeName, podUid } = volume;
  const at = (prefix: string) => ({ prefix, specName: spec.name });
  await step(at('MountVolume.NodeAffinity check failed'), () => checkNodeAffinity(services, volume));
  await step(at('MountVolume.SetUp failed'), () => checkSinglePod(services, volume));
  await stageForPod(services, volume, turn);
  await step(
    at('MountVolume.SetUp failed'),
    () => setUpForPod(services, volume, turn),
    (failure) => markVolumeErrorState(actual, volume, failure),
  );
  await step(
    at('MountVolume.Setup failed while expanding volume'),
    () => expandDuringMount(services, volume, turn),
    () => actual.markVolumeMountAsUncertain(volumeName, podUid, spec),
  );
  actual.markVolumeAsMounted(volumeName, podUid, spec);
}

/** One look at the attachment, and NodeStageVolume unless the device is certainly staged. */
async function stageForPod(services: VolumeServices, volume: VolumeToMount, turn: OperationTurn): Promise<void> {
  const { actual } = services;
  const { spec, volumeName, traits, pod } = volume;
  const id = persistentCsiId(spec);
  if (spec.type !== 'persistent' || id === undefined) return;
  const at = (prefix: string) => ({ prefix, specName: spec.name });
  const devicePath = traits.attachable
    ? await step(at('MountVolume.WaitForAttach failed'), () => waitForAttach(services, id, turn))
    : '';
  if (actual.deviceMountState(volumeName) === 'mounted') return;
  const device = { id, spec: spec.spec, fsGroup: pod.spec.securityContext?.fsGroup };
  await step(
    at('MountVolume.MountDevice failed'),
    () => mountDevice(services, device, turn),
    (failure) => markDeviceErrorState(actual, volumeName, devicePath, failure),
  );
  actual.setDeviceMountState(volumeName, 'mounted', devicePath);
}

async function setUpForPod(
  services: VolumeServices,
  volume: VolumeToMount & { readonly isRemount: boolean },
  turn: OperationTurn,
): Promise<void> {
  const { spec, pod, podUid, volumeName, isRemount } = volume;
  const id = csiIdOf(spec, podUid);
  if (spec.type === 'plain' || id === undefined) return setUpPlain(services, volume, turn);
  const mayBeMounted = isRemount || services.actual.isVolumeReconstructed(volumeName, podUid);
  return setUp(services, { id, spec, pod, mayBeMounted }, turn);
}
