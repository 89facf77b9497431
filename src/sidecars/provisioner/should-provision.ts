import { annotationOf } from '../../kube/annotations.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { BETA_STORAGE_PROVISIONER, MIGRATED_TO, SELECTED_NODE, STORAGE_PROVISIONER } from '../../volume/annotations.ts';
import { claimClass } from '../../volume/claim-class.ts';
import { migratedDriverOf } from '../../volume/migration.ts';

export type ClaimDecision =
  | { readonly type: 'provision'; readonly storageClass: StorageClass; readonly selectedNode: string }
  | { readonly type: 'leave' }
  /** Retried: the class may come. */
  | { readonly type: 'fail'; readonly message: string };

/** A driver answers to its own name and to that of the in-tree plugin it replaced. */
export const isKnownProvisioner = (name: string | undefined, driverName: string): boolean =>
  name !== undefined && (name === driverName || migratedDriverOf(name) === driverName);

/**
 * Whether the claim is ours to serve now. The annotation of the PV controller decides that, never the class: without it
 * nothing happens, although the class may name our driver.
 */
export function decideClaim(
  claim: PersistentVolumeClaim,
  driverName: string,
  classNamed: (name: string) => StorageClass | undefined,
): ClaimDecision {
  if ((claim.spec.volumeName ?? '') !== '' || !isOurs(claim, driverName)) return { type: 'leave' };
  const className = claimClass(claim);
  const storageClass = classNamed(className);
  if (storageClass === undefined) return { type: 'fail', message: `storageClass "${className}" not found` };
  const selectedNode = annotationOf(claim, SELECTED_NODE) ?? '';
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && selectedNode === '') return { type: 'leave' };
  // The class may have been made anew with another provisioner since the claim was given to us.
  if (!isKnownProvisioner(storageClass.provisioner, driverName)) return { type: 'leave' };
  return { type: 'provision', storageClass, selectedNode };
}

function isOurs(claim: PersistentVolumeClaim, driverName: string): boolean {
  const provisioner = annotationOf(claim, STORAGE_PROVISIONER) ?? annotationOf(claim, BETA_STORAGE_PROVISIONER);
  const isGivenToUs = provisioner === driverName || annotationOf(claim, MIGRATED_TO) === driverName;
  return isGivenToUs && isKnownProvisioner(provisioner, driverName);
}
