// The volumes of a cluster, arranged so that the best match of a claim is found by halving instead of reading them all.
// It always answers what `findBestMatch` answers over the same volumes; a claim with a selector reads on from the first
// volume that is large enough until the labels match.
import { type ObjectKey, keyOf } from '../kube/object.ts';
import { type Quantity, compareQuantities } from '../kube/quantity.ts';
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { accessModesText } from './access-modes.ts';
import { volumeClass } from './claim-class.ts';
import {
  type MatchOptions,
  type Wanted,
  attributesClassOf,
  bucketServes,
  compareAccessModes,
  isEligible,
  volumeCapacity,
  volumeModeOf,
  wantedBy,
} from './claim-matching.ts';
import { claimKeyOfReference, isVolumeBoundToClaim } from './claim-reference.ts';
import { OrderedList } from './ordered-list.ts';

interface FreeVolume {
  readonly name: string;
  readonly capacity: Quantity;
}

type Shelf = OrderedList<FreeVolume>;

export class MatchIndex {
  readonly #volumes = new Map<string, PersistentVolume>();
  /**
   * Free volumes by access modes (fewest first), then by what a claim must equal: class, volume mode, attributes class.
   * A volume is free if it is Available, names no claim and is not being deleted.
   */
  readonly #buckets = new Map<string, Map<string, Shelf>>();
  /** Names of the volumes that name this claim, by whatever uid. */
  readonly #volumesOfClaim = new Map<ObjectKey, Set<string>>();

  get size(): number {
    return this.#volumes.size;
  }

  get(name: string): PersistentVolume | undefined {
    return this.#volumes.get(name);
  }

  all(): IterableIterator<PersistentVolume> {
    return this.#volumes.values();
  }

  set(volume: PersistentVolume): void {
    this.delete(volume.metadata.name);
    this.#volumes.set(volume.metadata.name, volume);
    const reference = volume.spec.claimRef;
    if (reference !== undefined) this.#namesOf(claimKeyOfReference(reference)).add(volume.metadata.name);
    else if (isFree(volume)) this.#shelfOf(volume).add(entryOf(volume));
  }

  delete(name: string): void {
    const volume = this.#volumes.get(name);
    if (volume === undefined) return;
    this.#volumes.delete(name);
    const reference = volume.spec.claimRef;
    if (reference !== undefined) {
      const key = claimKeyOfReference(reference);
      const names = this.#namesOf(key);
      names.delete(name);
      if (names.size === 0) this.#volumesOfClaim.delete(key);
    } else if (isFree(volume)) this.#shelfOf(volume).delete(entryOf(volume));
  }

  /** The volumes whose claimRef names this claim, by name. */
  namingClaim(key: ObjectKey): readonly PersistentVolume[] {
    const names = [...(this.#volumesOfClaim.get(key) ?? [])].toSorted();
    return names.flatMap((name) => this.#volumes.get(name) ?? []);
  }

  /** Throws what `wantedBy` throws. */
  find(
    claim: PersistentVolumeClaim,
    options: Pick<MatchOptions, 'delayBinding' | 'volumeAttributesClass'>,
  ): PersistentVolume | undefined {
    const wanted = wantedBy(claim, options);
    const wantedModes = accessModesText(claim.spec.accessModes);
    const preBound = new Map<string, PersistentVolume>();
    for (const volume of this.namingClaim(keyOf(claim)).toReversed()) {
      const isMatch = isVolumeBoundToClaim(volume, claim) && isEligible(volume, wanted);
      if (isMatch) preBound.set(accessModesText(volume.spec.accessModes), volume);
    }
    for (const modes of this.#bucketsWith(preBound.keys())) {
      if (!bucketServes(modes, wantedModes)) continue;
      const match = preBound.get(modes) ?? (options.delayBinding ? undefined : this.#smallestFree(modes, wanted));
      if (match !== undefined) return match;
    }
    return undefined;
  }

  #smallestFree(modes: string, wanted: Wanted): PersistentVolume | undefined {
    const shelf = this.#buckets.get(modes)?.get(shelfKey(wanted.className, wanted.volumeMode, wanted.attributesClass));
    if (shelf === undefined) return undefined;
    for (const { name } of shelf.from({ name: '', capacity: wanted.size })) {
      const volume = this.#volumes.get(name);
      if (volume !== undefined && wanted.matchesSelector(volume)) return volume;
    }
    return undefined;
  }

  /** At most one bucket per set of modes, so this stays a handful. */
  #bucketsWith(others: Iterable<string>): readonly string[] {
    return [...new Set([...this.#buckets.keys(), ...others])].toSorted(compareAccessModes);
  }

  #namesOf(key: ObjectKey): Set<string> {
    return entryIn(this.#volumesOfClaim, key, () => new Set<string>());
  }

  #shelfOf(volume: PersistentVolume): Shelf {
    const shelves = entryIn(this.#buckets, accessModesText(volume.spec.accessModes), () => new Map<string, Shelf>());
    const key = shelfKey(volumeClass(volume), volumeModeOf(volume), attributesClassOf(volume));
    return entryIn(shelves, key, () => new OrderedList<FreeVolume>(compareEntries));
  }
}

function isFree(volume: PersistentVolume): boolean {
  return volume.status.phase === 'Available' && volume.metadata.deletionTimestamp === undefined;
}

const entryOf = (volume: PersistentVolume): FreeVolume => ({
  name: volume.metadata.name,
  capacity: volumeCapacity(volume),
});

/** The order of `compareFreeVolumes`, on parsed sizes. */
function compareEntries(a: FreeVolume, b: FreeVolume): number {
  const bySize = compareQuantities(a.capacity, b.capacity);
  if (bySize !== 0) return bySize;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Names hold no line break. */
const shelfKey = (className: string, volumeMode: string, attributesClass: string): string =>
  `${className}\n${volumeMode}\n${attributesClass}`;

function entryIn<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
