import { type ObjectKey, keyFrom } from '../kube/object.ts';
import { isControlledBy } from '../kube/owner-reference.ts';
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type Pod } from '../kube/resources/pod.ts';
import { type Volume } from '../kube/resources/pod-spec.ts';

type PodVolumes = Pick<Pod, 'metadata' | 'spec'>;

/** The claim a volume of a pod stands for; a generic ephemeral volume has one named after pod and volume. */
export function claimNameOf(pod: Pick<Pod, 'metadata'>, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`;
}

/** Index function for pods by claim: each claim once, in the order of the volumes. */
export function claimKeysOf(pod: PodVolumes): readonly ObjectKey[] {
  const keys = new Set<ObjectKey>();
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name !== undefined && name !== '') keys.add(keyFrom(pod.metadata.namespace, name));
  }
  return [...keys];
}

/**
 * A claim of the right name serves a generic ephemeral volume only if it was made for this very pod.
 * kubernetes:staging/src/k8s.io/component-helpers/storage/ephemeral/ephemeral.go
 */
export function isClaimMadeFor(claim: Pick<PersistentVolumeClaim, 'metadata'>, pod: Pick<Pod, 'metadata'>): boolean {
  return claim.metadata.namespace === pod.metadata.namespace && isControlledBy(claim, pod);
}
