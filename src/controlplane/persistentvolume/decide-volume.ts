// What to do with a volume, from its state and that of the claim it names. Row ids are those of decision table V.
// kubernetes:pkg/controller/volume/persistentvolume/pv_controller.go
import { annotationOf } from '../../kube/annotations.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from '../../volume/annotations.ts';
import { volumeModeOf } from '../../volume/claim-matching.ts';
import { type Saying, VOLUME_MISMATCH, warning } from './reasons.ts';

export type VolumeDecision =
  | { readonly row: 'V1' | 'V2'; readonly type: 'phase'; readonly phase: 'Available' }
  | { readonly row: 'V5'; readonly type: 'phase'; readonly phase: 'Bound' }
  | { readonly row: 'V3'; readonly type: 'mismatch'; readonly onVolume: Saying; readonly onClaim: Saying }
  /** The sync of the claim finishes the binding. */
  | { readonly row: 'V4'; readonly type: 'hand-over'; readonly claim: ObjectKey }
  | { readonly row: 'V6' | 'V9'; readonly type: 'release' }
  | { readonly row: 'V7' | 'V8'; readonly type: 'unbind' };

/** The claim with the uid that the volume names, undefined if there is none any more. */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeDecision {
  const reference = volume.spec.claimRef;
  if (reference === undefined) return { row: 'V1', type: 'phase', phase: 'Available' };
  if (reference.uid === undefined || reference.uid === '') return { row: 'V2', type: 'phase', phase: 'Available' };
  if (claim === undefined) return { row: 'V9', type: 'release' };
  const { volumeName = '' } = claim.spec;
  if (volumeName === volume.metadata.name) return { row: 'V5', type: 'phase', phase: 'Bound' };
  return volumeName === '' ? decideHalfBound(volume, claim) : decideSurplus(volume);
}

function decideHalfBound(volume: PersistentVolume, claim: PersistentVolumeClaim): VolumeDecision {
  if (volumeModeOf(volume) === volumeModeOf(claim)) return { row: 'V4', type: 'hand-over', claim: keyOf(claim) };
  const why = 'due to incompatible volumeMode.';
  return {
    row: 'V3',
    type: 'mismatch',
    onVolume: warning(
      VOLUME_MISMATCH,
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`,
    ),
    onClaim: warning(
      VOLUME_MISMATCH,
      `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`,
    ),
  };
}

/** The claim is bound elsewhere: a volume that was made for it goes, any other becomes free again. */
function decideSurplus(volume: PersistentVolume): VolumeDecision {
  const isProvisioned = annotationOf(volume, PROVISIONED_BY) !== undefined;
  if (isProvisioned && volume.spec.persistentVolumeReclaimPolicy === 'Delete') return { row: 'V6', type: 'release' };
  return { row: annotationOf(volume, BOUND_BY_CONTROLLER) === undefined ? 'V8' : 'V7', type: 'unbind' };
}

/** Released for good, whatever came of it: such a volume is not looked up again before it is reclaimed. */
export function isReleased(volume: PersistentVolume): boolean {
  return volume.status.phase === 'Released' || volume.status.phase === 'Failed';
}
