import type { Draft } from '../../kube/cluster.ts';
import { type ObjectKey, keyFrom, keyOf } from '../../kube/object.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';

type ClaimTemplate = NonNullable<NonNullable<Volume['ephemeral']>['volumeClaimTemplate']>;

/** A generic ephemeral volume and the claim that stands for it. */
export interface EphemeralVolume {
  readonly name: string;
  readonly claim: ObjectKey;
  readonly template: ClaimTemplate;
}

export function ephemeralVolumesOf(pod: Pod): readonly EphemeralVolume[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    if (template === undefined) return [];
    return [{ name: volume.name, claim: keyFrom(pod.metadata.namespace, claimNameOf(pod, volume) ?? ''), template }];
  });
}

export type VolumeDecision =
  | { readonly type: 'made' }
  | { readonly type: 'create'; readonly draft: Draft<PersistentVolumeClaim> }
  /** A claim of that name is there and is someone else's: it is never used. */
  | { readonly type: 'refuse'; readonly message: string };

export function decideVolume(
  pod: Pod,
  volume: EphemeralVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumeDecision {
  if (claim === undefined) return { type: 'create', draft: claimFor(pod, volume) };
  if (isClaimMadeFor(claim, pod)) return { type: 'made' };
  const message = `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`;
  return { type: 'refuse', message };
}

function claimFor(pod: Pod, { name, template }: EphemeralVolume): Draft<PersistentVolumeClaim> {
  const { namespace, name: podName } = pod.metadata;
  const { labels, annotations } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${podName}-${name}`,
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [ownerReferenceTo(pod, { controller: true, blockOwnerDeletion: true })],
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: template.spec,
  };
}
