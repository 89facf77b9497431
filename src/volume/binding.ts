// The changes of one object that make up a binding, as pure edits. An edit that changes nothing answers the same object,
// so the writer can skip the write. The four writes of a binding are, in order: the volume's claimRef, the volume's phase,
// the claim's volumeName, the claim's status. The scheduler makes the first of them when it chooses a volume for a pod.
import { annotationOf, withAnnotation, withoutAnnotation } from '../kube/annotations.ts';
import { referenceTo } from '../kube/object-reference.ts';
import { QuantityError, compareQuantities, parseQuantity } from '../kube/quantity.ts';
import {
  type PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
} from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, PRE_RESIZE_CAPACITY, YES } from './annotations.ts';
import { isVolumeBoundToClaim } from './claim-reference.ts';

export type ClaimPhase = 'Pending' | 'Bound' | 'Lost';
export type VolumePhase = 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed';

/** Step 1. A link that a user has begun keeps telling so: only a link made from nothing is marked as a controller's. */
export function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const reference = volume.spec.claimRef;
  const { name, namespace, uid } = claim.metadata;
  const isNamed = reference?.name === name && reference.namespace === namespace && reference.uid === uid;
  const named = isNamed ? volume : { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  if (isVolumeBoundToClaim(volume, claim) || annotationOf(volume, BOUND_BY_CONTROLLER) !== undefined) return named;
  return withAnnotation(named, BOUND_BY_CONTROLLER, YES);
}

/** Step 2, and every other change of phase. The message is only told together with a new phase. */
export function volumeInPhase(volume: PersistentVolume, phase: VolumePhase, message = ''): PersistentVolume {
  if (volume.status.phase === phase) return volume;
  const { message: _before, ...rest } = volume.status;
  return { ...volume, status: { ...rest, phase, ...(message === '' ? {} : { message }) } };
}

/** Step 3. */
export function claimBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const isNamed = claim.spec.volumeName === volume.metadata.name;
  const named = isNamed ? claim : { ...claim, spec: { ...claim.spec, volumeName: volume.metadata.name } };
  const mark = isNamed || annotationOf(named, BOUND_BY_CONTROLLER) !== undefined;
  const marked = mark ? named : withAnnotation(named, BOUND_BY_CONTROLLER, YES);
  return annotationOf(marked, BIND_COMPLETED) === undefined ? withAnnotation(marked, BIND_COMPLETED, YES) : marked;
}

/** Takes the link back: all of it if a controller made it, only the uid if a user did. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  if (annotationOf(volume, BOUND_BY_CONTROLLER) !== undefined) {
    return withoutAnnotation({ ...volume, spec }, BOUND_BY_CONTROLLER);
  }
  const { uid: _cleared, ...name } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: name } };
}

/** A claim without a volume: nothing is known of size, modes and attributes. */
export function claimWithoutVolume(claim: PersistentVolumeClaim, phase: ClaimPhase): PersistentVolumeClaim {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = claim.status;
  const isClear = [accessModes, capacity, currentVolumeAttributesClassName].every((field) => field === undefined);
  return isClear && claim.status.phase === phase ? claim : { ...claim, status: { ...rest, phase } };
}

/**
 * Step 4. The size is only told while the claim enters Bound: afterwards a difference to the volume is the state of an
 * expansion and belongs to those who expand. Throws if the volume has no size.
 */
export function claimWithVolume(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  options: { readonly volumeAttributesClass?: boolean } = {},
): PersistentVolumeClaim {
  const accessModes = volume.spec.accessModes ?? [];
  const before = claim.status;
  if (before.phase === 'Bound') {
    return isSameList(before.accessModes ?? [], accessModes) ? claim : { ...claim, status: { ...before, accessModes } };
  }
  const takesClass = before.phase === 'Pending' && options.volumeAttributesClass !== false;
  const { currentVolumeAttributesClassName, ...rest } = before;
  const attributesClass = takesClass ? volume.spec.volumeAttributesClassName : currentVolumeAttributesClassName;
  const status: PersistentVolumeClaimStatus = {
    ...rest,
    phase: 'Bound',
    accessModes,
    ...capacityOnEntering(claim, volume),
    ...(attributesClass === undefined ? {} : { currentVolumeAttributesClassName: attributesClass }),
  };
  return { ...claim, status };
}

/** A volume whose expansion waits for the node shows the size it had before. */
function capacityOnEntering(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Pick<PersistentVolumeClaimStatus, 'capacity'> {
  const size = volume.spec.capacity?.['storage'];
  if (size === undefined) throw new Error(`PersistentVolume "${volume.metadata.name}" is without a storage capacity`);
  const known = claim.status.capacity;
  const sizeBefore = annotationOf(volume, PRE_RESIZE_CAPACITY);
  if (sizeBefore !== undefined) {
    return { capacity: { ...known, storage: isQuantity(sizeBefore) ? sizeBefore : size } };
  }
  const isKnown = known?.['storage'] !== undefined && compareQuantities(known['storage'], size) === 0;
  return isKnown || volume.spec.capacity === undefined ? {} : { capacity: volume.spec.capacity };
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);
