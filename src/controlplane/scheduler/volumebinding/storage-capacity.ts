import { labelMatcherOf } from '../../../kube/label-selector.ts';
import { bytesOf } from '../../../kube/quantity.ts';
import type { CSIStorageCapacity } from '../../../kube/resources/csi-storage-capacity.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { StorageClass } from '../../../kube/resources/storage-class.ts';
import type { StorageView } from '../cluster-snapshot.ts';

interface CapacityQuestion {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly labels: Readonly<Record<string, string>>;
  readonly storage: StorageView;
}

/** Asked only of drivers that publish what they have left. Each claim is judged alone: two of one pod are not added up. */
export function hasEnoughCapacity({ claim, storageClass, labels, storage }: CapacityQuestion): boolean {
  const wanted = claim.spec.resources.requests?.['storage'];
  if (wanted === undefined) return true;
  if (storage.csiDrivers.get(storageClass.provisioner)?.spec.storageCapacity !== true) return true;
  const bytes = bytesOf(wanted);
  for (const capacity of storage.capacitiesOfClass(storageClass.metadata.name)) {
    const limit = volumeLimit(capacity);
    if (limit !== undefined && limit >= bytes && isReachable(capacity, labels)) return true;
  }
  return false;
}

/** The largest volume that can be made; undefined says nothing can. */
export function volumeLimit(capacity: CSIStorageCapacity): number | undefined {
  const limit = capacity.maximumVolumeSize ?? capacity.capacity;
  return limit === undefined ? undefined : bytesOf(limit);
}

/** Without topology it is reachable from nowhere, with an empty one from everywhere. */
function isReachable(capacity: CSIStorageCapacity, labels: Readonly<Record<string, string>>): boolean {
  return capacity.nodeTopology !== undefined && labelMatcherOf(capacity.nodeTopology).matches(labels);
}
