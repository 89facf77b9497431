// Which class an object asks for or belongs to. The beta annotation wins over the field, and its mere presence counts:
// an empty class is a choice (never filled in, never provisioned), an unset one is not.
import { annotationOf } from '../kube/annotations.ts';
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { type StorageClass } from '../kube/resources/storage-class.ts';
import { BETA_STORAGE_CLASS, SELECTED_NODE } from './annotations.ts';

type ClassOfClaim = Pick<PersistentVolumeClaim, 'metadata' | 'spec'>;

/** Empty if the claim asks for none. */
export function claimClass(claim: ClassOfClaim): string {
  return annotationOf(claim, BETA_STORAGE_CLASS) ?? claim.spec.storageClassName ?? '';
}

/** True for an empty class too. */
export function claimHasClass(claim: ClassOfClaim): boolean {
  return annotationOf(claim, BETA_STORAGE_CLASS) !== undefined || claim.spec.storageClassName !== undefined;
}

export function volumeClass(volume: Pick<PersistentVolume, 'metadata' | 'spec'>): string {
  return annotationOf(volume, BETA_STORAGE_CLASS) ?? volume.spec.storageClassName ?? '';
}

/**
 * Whether the volume is chosen together with the node of the first pod. A class that does not exist counts as Immediate.
 * Throws if the class has no binding mode, which a server that fills in defaults never stores.
 */
export function isDelayBinding(
  claim: ClassOfClaim,
  classNamed: (name: string) => Pick<StorageClass, 'volumeBindingMode'> | undefined,
): boolean {
  const name = claimClass(claim);
  const storageClass = name === '' ? undefined : classNamed(name);
  if (storageClass === undefined) return false;
  if (storageClass.volumeBindingMode === undefined) {
    throw new Error(`VolumeBindingMode not set for StorageClass "${name}"`);
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}

/** The scheduler has chosen a node and asks for a volume there. */
export function hasSelectedNode(claim: Pick<PersistentVolumeClaim, 'metadata'>): boolean {
  return annotationOf(claim, SELECTED_NODE) !== undefined;
}
