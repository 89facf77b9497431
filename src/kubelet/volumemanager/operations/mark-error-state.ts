// What a failed mount leaves in the actual state. kubernetes:pkg/volume/util/operationexecutor/operation_generator.go
// markDeviceErrorState, markVolumeErrorState. A final failure is believed even if the driver did the work: then the mount
// is leaked, as upstream leaks it. Only what was found on disk stays uncertain, because an earlier process mounted it.
import type { VolumeFailure } from '../../csiplugin/volume-failure.ts';
import type { ActualStateOfWorld } from '../actual-state-of-world.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';

export function markDeviceErrorState(
  actual: ActualStateOfWorld,
  volumeName: string,
  devicePath: string,
  { progress }: VolumeFailure,
): void {
  const state = actual.deviceMountState(volumeName);
  if (progress === 'final' && state === 'uncertain' && !actual.isDeviceReconstructed(volumeName)) {
    actual.setDeviceMountState(volumeName, 'not-mounted');
  }
  if (progress === 'uncertain' && state === 'not-mounted') {
    actual.setDeviceMountState(volumeName, 'uncertain', devicePath);
  }
}

export function markVolumeErrorState(
  actual: ActualStateOfWorld,
  { volumeName, podUid, spec }: VolumeToMount,
  { progress }: Pick<VolumeFailure, 'progress'>,
): void {
  const state = actual.podMountState(volumeName, podUid);
  if (progress === 'final' && state === 'uncertain' && !actual.isVolumeReconstructed(volumeName, podUid)) {
    actual.markVolumeAsUnmounted(volumeName, podUid);
  }
  if (progress === 'uncertain' && state === 'not-mounted') {
    actual.markVolumeMountAsUncertain(volumeName, podUid, spec);
  }
}
