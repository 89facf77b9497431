// external-resizer:pkg/modifycontroller/modify_volume.go
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';

export type AttributesDecision =
  | { readonly type: 'nothing' }
  /** The user gave up a class that never came to be. */
  | { readonly type: 'cancel' }
  /** The driver may be at it: the same class again, whatever the user wants by now. */
  | { readonly type: 'continue'; readonly className: string }
  | { readonly type: 'start'; readonly className: string };

/** `isUncertain`: the last call left it open what the driver does. */
export function decideAttributes({ spec, status }: PersistentVolumeClaim, isUncertain: boolean): AttributesDecision {
  const wanted = spec.volumeAttributesClassName ?? '';
  const modify = status.modifyVolumeStatus;
  if (modify === undefined && wanted === (status.currentVolumeAttributesClassName ?? '')) return { type: 'nothing' };
  const inProgress = modify?.status === 'InProgress';
  if (inProgress && (isUncertain || wanted === '')) {
    return { type: 'continue', className: modify.targetVolumeAttributesClassName ?? '' };
  }
  return wanted === '' ? { type: 'cancel' } : { type: 'start', className: wanted };
}
