// What the claims of a pod allow before any node is looked at.
// kubernetes:pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go
import { annotationOf } from '../../../kube/annotations.ts';
import { keyFrom, keyOf } from '../../../kube/object.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import { BIND_COMPLETED } from '../../../volume/annotations.ts';
import { isDelayBinding } from '../../../volume/claim-class.ts';
import { claimKeysOf, claimNameOf, isClaimMadeFor } from '../../../volume/claim-of-pod.ts';
import type { StorageView } from '../cluster-snapshot.ts';
import { lookupError } from '../lookup.ts';

/** Claims of one pod, each in exactly one list, in the order of the pod's volumes. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Their volume is chosen together with the node. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** Should be bound by now, and are not. */
  readonly immediate: readonly PersistentVolumeClaim[];
}

/** Why the pod cannot be placed anywhere, undefined if its claims are in order. Throws what sorting them throws. */
export function refuseClaims(pod: Pod, storage: StorageView): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = storage.claims.get(keyFrom(pod.metadata.namespace, name));
    if (claim === undefined) {
      return volume.ephemeral === undefined
        ? lookupError('persistentvolumeclaim', name)
        : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
    }
    if (claim.status.phase === 'Lost') {
      const volumeName = claim.spec.volumeName ?? '';
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`;
    }
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    if (volume.ephemeral !== undefined && !isClaimMadeFor(claim, pod)) return notOwnerMessage(claim, pod);
  }
  const isUnready = sortClaims(pod, storage).immediate.length > 0;
  return isUnready ? 'pod has unbound immediate PersistentVolumeClaims' : undefined;
}

export const notOwnerMessage = (claim: PersistentVolumeClaim, pod: Pod): string =>
  `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`;

/** Throws if a class has no binding mode. */
export function sortClaims(pod: Pod, storage: StorageView): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  const immediate: PersistentVolumeClaim[] = [];
  for (const key of claimKeysOf(pod)) {
    const claim = storage.assumedClaims.get(key);
    if (claim === undefined) continue;
    if (isFullyBound(claim)) bound.push(claim);
    else if (isDelayBinding(claim, (name) => storage.classes.get(name)) && isUnnamed(claim)) delayed.push(claim);
    else immediate.push(claim);
  }
  return { bound, delayed, immediate };
}

/** Both halves of the bind are done. */
export const isFullyBound = (claim: PersistentVolumeClaim): boolean =>
  !isUnnamed(claim) && annotationOf(claim, BIND_COMPLETED) !== undefined;

const isUnnamed = (claim: PersistentVolumeClaim): boolean => (claim.spec.volumeName ?? '') === '';
