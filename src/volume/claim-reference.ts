import { type ObjectKey, keyFrom } from '../kube/object.ts';
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { type ObjectReference } from '../kube/resources/references.ts';

export function claimKeyOfReference(reference: ObjectReference): ObjectKey {
  return keyFrom(reference.namespace, reference.name ?? '');
}

/** The volume names this claim; by name alone (pre-bound by a user), or by name and uid. */
export function isVolumeBoundToClaim(
  volume: Pick<PersistentVolume, 'spec'>,
  claim: Pick<PersistentVolumeClaim, 'metadata'>,
): boolean {
  const reference = volume.spec.claimRef;
  if (reference === undefined) return false;
  if (reference.name !== claim.metadata.name || reference.namespace !== claim.metadata.namespace) return false;
  return reference.uid === undefined || reference.uid === '' || reference.uid === claim.metadata.uid;
}
