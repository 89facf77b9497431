// Claims and volumes as this controller knows them: what the watch told and what its own writes answered, whichever is
// newer. Without the second part the controller would act on its own writes as if they had not happened.
// kubernetes:pkg/controller/volume/persistentvolume/pv_controller_base.go
import { type KubeObject, type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { MatchIndex } from '../../volume/match-index.ts';

export class StorageCache {
  readonly #volumes = new MatchIndex();
  readonly #claims = new Map<ObjectKey, PersistentVolumeClaim>();
  /** Keys of the claims in #claims whose volumeName is this; no set is empty. */
  readonly #claimsNaming = new Map<string, Set<ObjectKey>>();
  /** Told after the content changed, also when it went. */
  readonly #changed: { claim(key: ObjectKey): void; volume(name: string): void };

  constructor(changed: { claim(key: ObjectKey): void; volume(name: string): void }) {
    this.#changed = changed;
  }

  get volumes(): Pick<MatchIndex, 'get' | 'find' | 'namingClaim'> {
    return this.#volumes;
  }

  claim(key: ObjectKey): PersistentVolumeClaim | undefined {
    return this.#claims.get(key);
  }

  claimsNaming(volumeName: string): Iterable<ObjectKey> {
    return this.#claimsNaming.get(volumeName) ?? [];
  }

  /** False if a newer one is known, which stays. The same one again is taken: that is how a resync comes. */
  storeVolume(volume: PersistentVolume): boolean {
    const known = this.#volumes.get(volume.metadata.name);
    const order = compareVersions(known, volume);
    if (order < 0) this.#volumes.set(volume);
    if (order < 0) this.#changed.volume(volume.metadata.name);
    return order <= 0;
  }

  dropVolume(name: string): void {
    this.#volumes.delete(name);
    this.#changed.volume(name);
  }

  /** As `storeVolume`. */
  storeClaim(claim: PersistentVolumeClaim): boolean {
    const key = keyOf(claim);
    const order = compareVersions(this.#claims.get(key), claim);
    if (order < 0) this.#putClaim(key, claim);
    return order <= 0;
  }

  dropClaim(key: ObjectKey): void {
    this.#putClaim(key, undefined);
  }

  #putClaim(key: ObjectKey, claim: PersistentVolumeClaim | undefined): void {
    const named = this.#claims.get(key)?.spec.volumeName ?? '';
    const naming = this.#claimsNaming.get(named);
    naming?.delete(key);
    if (naming?.size === 0) this.#claimsNaming.delete(named);
    if (claim === undefined) this.#claims.delete(key);
    else this.#claims.set(key, claim);
    const names = claim?.spec.volumeName ?? '';
    if (names !== '') this.#claimsNaming.set(names, (this.#claimsNaming.get(names) ?? new Set()).add(key));
    this.#changed.claim(key);
  }
}

/** Below zero if the second is newer. Versions are compared as integers, as upstream does. */
function compareVersions(known: KubeObject | undefined, object: KubeObject): number {
  if (known === undefined) return -1;
  if (known.metadata.resourceVersion === object.metadata.resourceVersion) return 0;
  return BigInt(known.metadata.resourceVersion) < BigInt(object.metadata.resourceVersion) ? -1 : 1;
}
