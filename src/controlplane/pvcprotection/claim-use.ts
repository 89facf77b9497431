import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';

/**
 * A pod on a node uses its claims until its object is gone, even if it has ended: the node may still have the volume
 * mounted. A pod without a node never will, because a node does not start a pod whose claim is being deleted.
 * kubernetes:pkg/controller/volume/pvcprotection/pvc_protection_controller.go
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.persistentVolumeClaim !== undefined || (!isShutDown(pod) && isClaimMadeFor(claim, pod));
  });
}

/** The node is done with the pod, or it was deleted by force. A finalizer may hold its object; it holds no volume. */
function isShutDown(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionGracePeriodSeconds === 0;
}
