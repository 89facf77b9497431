import type { Commit } from '../apiserver/apiserver.ts';
import type { Disposable } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, isOf, keyFrom, keyOf } from '../kube/object.ts';
import { PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../kube/resources/persistent-volume.ts';
import type { ClaimChanges } from '../kubelet/volumemanager/populator.ts';

/** Tells whoever has an interest in a claim of every committed write to it or to a volume that names it. */
export class WrittenClaims implements ClaimChanges {
  /** By key of the claim; no set is empty. */
  readonly #interested = new Map<ObjectKey, Set<{ readonly onChange: () => void }>>();

  subscribe(claim: ObjectKey, onChange: () => void): Disposable {
    const interest = { onChange };
    const all = this.#interested.get(claim) ?? new Set();
    this.#interested.set(claim, all.add(interest));
    return {
      dispose: () => {
        all.delete(interest);
        if (all.size === 0) this.#interested.delete(claim);
      },
    };
  }

  committed({ before, after }: Pick<Commit, 'before' | 'after'>): void {
    if (this.#interested.size === 0) return;
    for (const claim of new Set([claimOf(before), claimOf(after)])) {
      if (claim === undefined) continue;
      for (const { onChange } of this.#interested.get(claim) ?? []) onChange();
    }
  }
}

function claimOf(object: KubeObject | undefined): ObjectKey | undefined {
  if (object === undefined) return undefined;
  if (isOf(PersistentVolumeClaims, object)) return keyOf(object);
  if (!isOf(PersistentVolumes, object)) return undefined;
  const reference = object.spec.claimRef;
  return reference === undefined ? undefined : keyFrom(reference.namespace, reference.name ?? '');
}
