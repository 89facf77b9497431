// Which keys the periodic resync must visit. Upstream visits all of them; a visit shows only if the decision reads
// something whose change does not bring the key back by itself. Those keys are kept here, so that a resync costs what
// waits and not what exists, and what can be seen through the API stays the same:
// - claims that are not bound: classes, default class, pods and volumes can change without a word to them, and what they
//   wait for is told again at each resync;
// - bound claims whose volume changed since they were looked at, and volumes whose claim did;
// - volumes that wait for their claim's sync, or whose reclaim is tried again and again;
// - whatever failed: upstream's resync does not wait for the end of a back-off.
import { type ObjectKey } from '../../kube/object.ts';
import { type StorageCache } from './storage-cache.ts';

export class ResyncPlan {
  readonly #claims = new Set<ObjectKey>();
  readonly #volumes = new Set<string>();

  /** In the order of keys, so that leaving some out does not change the order of the others. */
  claims(): readonly ObjectKey[] {
    return [...this.#claims].toSorted();
  }

  volumes(): readonly string[] {
    return [...this.#volumes].toSorted();
  }

  visitClaim(key: ObjectKey): void {
    this.#claims.add(key);
  }

  visitVolume(name: string): void {
    this.#volumes.add(name);
  }

  /** A sync of it begins: what happens from now on counts for the next visit. */
  claimTaken(key: ObjectKey): void {
    this.#claims.delete(key);
  }

  volumeTaken(name: string): void {
    this.#volumes.delete(name);
  }

  claimChanged(key: ObjectKey, cache: StorageCache): void {
    for (const volume of cache.volumes.namingClaim(key)) this.visitVolume(volume.metadata.name);
  }

  volumeChanged(name: string, cache: StorageCache): void {
    for (const key of cache.claimsNaming(name)) this.visitClaim(key);
  }
}
