// Reserve: what the chosen node means for the pod's volumes, first in memory only, so that the next pod does not take them.
import { withAnnotation } from '../../../kube/annotations.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../../kube/resources/persistent-volume.ts';
import { SELECTED_NODE } from '../../../volume/annotations.ts';
import { volumeBoundTo } from '../../../volume/binding.ts';
import type { AssumeCache } from './assume-cache.ts';
import type { PodVolumes, StaticBinding } from './pod-volumes.ts';

export interface AssumeCaches {
  readonly claims: AssumeCache<PersistentVolumeClaim>;
  readonly volumes: AssumeCache<PersistentVolume>;
}

/** The objects to write. Everything in it is assumed until released or seen from the server. */
export type Reservation =
  | { readonly type: 'reserved'; readonly volumes: PodVolumes }
  | { readonly type: 'error'; readonly message: string };

export function reserveVolumes(chosen: PodVolumes, node: string, caches: AssumeCaches): Reservation {
  const bindings: StaticBinding[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  const undo = (message: string): Reservation => {
    releaseVolumes({ bindings, provisions }, caches);
    return { type: 'error', message };
  };
  for (const { claim, volume } of chosen.bindings) {
    const prebound = volumeBoundTo(volume, claim);
    const refusal = prebound === volume ? undefined : caches.volumes.assume(prebound);
    if (refusal !== undefined) return undo(refusal);
    bindings.push({ claim, volume: prebound });
  }
  for (const claim of chosen.provisions) {
    const selected = withAnnotation(claim, SELECTED_NODE, node);
    const refusal = caches.claims.assume(selected);
    if (refusal !== undefined) return undo(refusal);
    provisions.push(selected);
  }
  return { type: 'reserved', volumes: { bindings, provisions } };
}

export function releaseVolumes({ bindings, provisions }: PodVolumes, caches: AssumeCaches): void {
  for (const { volume } of bindings) caches.volumes.restore(volume);
  for (const claim of provisions) caches.claims.restore(claim);
}
