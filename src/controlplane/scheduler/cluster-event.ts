// Changes that may let a waiting pod through. kubernetes:pkg/scheduler/framework/events.go
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { CSIStorageCapacity } from '../../kube/resources/csi-storage-capacity.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { requestsOf } from './pod-resources.ts';

/** Of other pods only those on a node are told; the waiting pod's own updates are. */
export type ClusterEvent =
  | { readonly type: 'pod-added'; readonly pod: Pod }
  | { readonly type: 'pod-updated'; readonly before: Pod; readonly pod: Pod }
  | { readonly type: 'pod-deleted'; readonly pod: Pod }
  | { readonly type: 'node-added'; readonly node: Node }
  | { readonly type: 'node-updated'; readonly before: Node; readonly node: Node }
  | { readonly type: 'node-deleted'; readonly node: Node }
  | { readonly type: 'claim-added' | 'claim-updated'; readonly claim: PersistentVolumeClaim }
  | { readonly type: 'volume-added'; readonly volume: PersistentVolume }
  | { readonly type: 'volume-updated'; readonly before: PersistentVolume; readonly volume: PersistentVolume }
  | { readonly type: 'class-added'; readonly storageClass: StorageClass }
  | { readonly type: 'class-updated'; readonly before: StorageClass; readonly storageClass: StorageClass }
  | { readonly type: 'csinode-added' }
  | { readonly type: 'csinode-updated'; readonly before: CSINode; readonly csiNode: CSINode }
  | { readonly type: 'csidriver-updated'; readonly before: CSIDriver; readonly csiDriver: CSIDriver }
  | { readonly type: 'capacity-added' }
  | { readonly type: 'capacity-updated'; readonly before: CSIStorageCapacity; readonly capacity: CSIStorageCapacity }
  | { readonly type: 'attachment-deleted' };

/** Equal parts are mostly the very same object; otherwise the order of keys may tell them apart, which costs one attempt. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export const haveLabelsChanged = (before: Pod | Node, after: Pod | Node): boolean =>
  !isSame(before.metadata.labels, after.metadata.labels);
/** Lifting a cordon counts as a change of taints. */
export const haveTaintsChanged = (before: Node, after: Node): boolean =>
  !isSame(before.spec.taints, after.spec.taints) ||
  (before.spec.unschedulable === true && after.spec.unschedulable !== true);
export const hasAllocatableChanged = (before: Node, after: Node): boolean =>
  !isSame(before.status.allocatable, after.status.allocatable);
/** Tolerations can only be added. */
export const haveTolerationsChanged = (before: Pod, after: Pod): boolean =>
  (before.spec.tolerations?.length ?? 0) !== (after.spec.tolerations?.length ?? 0);

/** Some request became smaller. */
export function isScaledDown(before: Pod, after: Pod): boolean {
  if (isSame(before.spec.containers, after.spec.containers) && isSame(before.spec.resources, after.spec.resources)) {
    return false;
  }
  const requests = requestsOf(after);
  return [...requestsOf(before)].some(([name, amount]) => amount > (requests.get(name) ?? 0));
}
