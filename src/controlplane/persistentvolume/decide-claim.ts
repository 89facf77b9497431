// What to do with a claim, from its state alone. Row ids are those of the decision tables U (not yet bound) and B (bound
// once) of the behaviour specification; they appear in tests and in the trace.
// kubernetes:pkg/controller/volume/persistentvolume/pv_controller.go
import { annotationOf } from '../../kube/annotations.ts';
import { keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type StorageClass } from '../../kube/resources/storage-class.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from '../../volume/annotations.ts';
import { claimClass, claimHasClass, hasSelectedNode, isDelayBinding } from '../../volume/claim-class.ts';
import { volumeMismatch } from '../../volume/claim-matching.ts';
import { claimKeyOfReference, isVolumeBoundToClaim } from '../../volume/claim-reference.ts';
import { type Profile } from './profile.ts';
import {
  CLAIM_LOST,
  CLAIM_MISBOUND,
  FAILED_BINDING,
  type Saying,
  VOLUME_MISMATCH,
  WAIT_FOR_FIRST_CONSUMER,
  WAIT_FOR_POD_SCHEDULED,
  normal,
  warning,
} from './reasons.ts';

/** All a decision about a claim may read besides the claim. */
export interface ClaimView {
  volumeNamed(name: string): PersistentVolume | undefined;
  /** The best match among all known volumes. Throws if the claim cannot be matched. */
  matchOf(claim: PersistentVolumeClaim, delayBinding: boolean): PersistentVolume | undefined;
  classNamed(name: string): StorageClass | undefined;
  defaultClass(): StorageClass | undefined;
  /** Names of the pods that use the claim, have no node and have not ended; sorted. */
  unscheduledPodsOf(claim: PersistentVolumeClaim): readonly string[];
}

export type ClaimDecision =
  | { readonly row: 'U1' | 'U8' | 'U10' | 'B3' | 'B4'; readonly type: 'bind'; readonly volume: PersistentVolume }
  | { readonly row: 'U2'; readonly type: 'assign-class'; readonly className: string }
  | { readonly row: 'U4'; readonly type: 'provision'; readonly className: string }
  /** The claim becomes or stays Pending (U6). */
  | {
      readonly row: 'U3' | 'U5' | 'U7' | 'U9' | 'U11';
      readonly type: 'pend';
      readonly event?: Saying;
      readonly waitingFor: string;
    }
  | { readonly row: 'U12'; readonly type: 'refuse'; readonly event: Saying; readonly error: string }
  /** The claim becomes Lost; the event is told only then. */
  | { readonly row: 'B1' | 'B2' | 'B5'; readonly type: 'lose'; readonly event: Saying };

/** Whether the claim is being deleted is not asked: a claim that goes can still be bound. */
export function decideClaim(claim: PersistentVolumeClaim, view: ClaimView, profile: Profile): ClaimDecision {
  const { volumeName = '' } = claim.spec;
  if (annotationOf(claim, BIND_COMPLETED) !== undefined) return decideBound(claim, view);
  return volumeName === ''
    ? decideOpen(claim, view, profile)
    : decideNamed(claim, view.volumeNamed(volumeName), profile);
}

/** Any volume will do. */
function decideOpen(claim: PersistentVolumeClaim, view: ClaimView, profile: Profile): ClaimDecision {
  const delayBinding = isDelayBinding(claim, (name) => view.classNamed(name));
  const volume = view.matchOf(claim, delayBinding);
  if (volume !== undefined) return { row: 'U1', type: 'bind', volume };
  const later = profile.retroactiveDefaultClass && !claimHasClass(claim) ? view.defaultClass() : undefined;
  if (later !== undefined) return { row: 'U2', type: 'assign-class', className: later.metadata.name };
  if (delayBinding && !hasSelectedNode(claim)) return waitForPods(view.unscheduledPodsOf(claim));
  const className = claimClass(claim);
  if (className !== '') return { row: 'U4', type: 'provision', className };
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return {
    row: 'U5',
    type: 'pend',
    event: normal(FAILED_BINDING, message),
    waitingFor: 'a volume without class that fits',
  };
}

function waitForPods(pods: readonly string[]): ClaimDecision {
  if (pods.length === 0) {
    const event = normal(WAIT_FOR_FIRST_CONSUMER, 'waiting for first consumer to be created before binding');
    return { row: 'U3', type: 'pend', event, waitingFor: 'first consumer to be created' };
  }
  const subject = `${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  const event = normal(WAIT_FOR_POD_SCHEDULED, `waiting for ${subject}`);
  return { row: 'U3', type: 'pend', event, waitingFor: subject };
}

/** The user asked for one volume. */
function decideNamed(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  profile: Profile,
): ClaimDecision {
  if (volume === undefined) {
    return { row: 'U7', type: 'pend', waitingFor: `volume ${claim.spec.volumeName ?? ''} to be created` };
  }
  const { name } = volume.metadata;
  if (volume.spec.claimRef === undefined) {
    const mismatch = volumeMismatch(volume, claim, profile);
    if (mismatch === undefined) return { row: 'U8', type: 'bind', volume };
    const event = warning(VOLUME_MISMATCH, `Cannot bind to requested volume "${name}": ${mismatch}`);
    return { row: 'U9', type: 'pend', event, waitingFor: `volume ${name} to fit: ${mismatch}` };
  }
  // Nothing else is checked: who links both sides by hand means it.
  if (isVolumeBoundToClaim(volume, claim)) return { row: 'U10', type: 'bind', volume };
  const event = warning(FAILED_BINDING, `volume "${name}" already bound to a different claim.`);
  if (annotationOf(claim, BOUND_BY_CONTROLLER) === undefined) {
    return { row: 'U11', type: 'pend', event, waitingFor: `volume ${name} to be free` };
  }
  const other = claimKeyOfReference(volume.spec.claimRef);
  const error = `invalid binding of claim "${keyOf(claim)}" to volume "${name}": volume already claimed by "${other}"`;
  return { row: 'U12', type: 'refuse', event, error };
}

/** The claim was bound once. Its volume either still is its own, or the claim is lost. */
function decideBound(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '') {
    const message = 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!';
    return { row: 'B1', type: 'lose', event: warning(CLAIM_LOST, message) };
  }
  const volume = view.volumeNamed(volumeName);
  if (volume === undefined) {
    const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
    return { row: 'B2', type: 'lose', event: warning(CLAIM_LOST, message) };
  }
  if (volume.spec.claimRef === undefined) return { row: 'B3', type: 'bind', volume };
  if (volume.spec.claimRef.uid === claim.metadata.uid) return { row: 'B4', type: 'bind', volume };
  const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
  return { row: 'B5', type: 'lose', event: warning(CLAIM_MISBOUND, message) };
}
