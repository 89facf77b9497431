// Which volume a claim gets. The persistent volume controller asks for one access-mode bucket after the other, the
// scheduler for all volumes of a class on one node; both mean the same rules (numbers of spec: Matching).
// The answer never depends on the order of the volumes: equals are told apart by name.
// kubernetes:staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go
import { SelectorError } from '../kube/label-requirement.ts';
import { labelMatcherOf } from '../kube/label-selector.ts';
import { type NodeIdentity } from '../kube/node-selector.ts';
import { keyOf } from '../kube/object.ts';
import { type Quantity, bytesOf, compareQuantities, parseQuantity } from '../kube/quantity.ts';
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';
import { accessModesText, offersAccessModes } from './access-modes.ts';
import { claimClass, volumeClass } from './claim-class.ts';
import { isVolumeBoundToClaim } from './claim-reference.ts';
import { nodeAffinityAdmits } from './node-affinity.ts';

export interface MatchOptions {
  /** Set by the scheduler: volumes that this node cannot reach are no match. */
  readonly node?: NodeIdentity;
  /** Names of volumes already given to other claims of the same pod. */
  readonly excluded?: ReadonlySet<string>;
  /** Without a node: free volumes are left to the scheduler, volumes pre-bound to the claim are still taken. */
  readonly delayBinding: boolean;
  /** Gate VolumeAttributesClass, on unless told otherwise. */
  readonly volumeAttributesClass?: boolean;
}

/** What a claim asks for, read once. */
export interface Wanted {
  readonly claim: PersistentVolumeClaim;
  readonly size: Quantity;
  readonly className: string;
  readonly volumeMode: string;
  readonly attributesClass: string;
  readonly matchesSelector: (volume: PersistentVolume) => boolean;
}

const ZERO = parseQuantity('0');

export function volumeCapacity(volume: Pick<PersistentVolume, 'spec'>): Quantity {
  const capacity = volume.spec.capacity?.['storage'];
  return capacity === undefined ? ZERO : parseQuantity(capacity);
}

export function claimRequest(claim: Pick<PersistentVolumeClaim, 'spec'>): Quantity {
  const request = claim.spec.resources.requests?.['storage'];
  return request === undefined ? ZERO : parseQuantity(request);
}

export function volumeModeOf(object: { readonly spec: { readonly volumeMode?: string } }): string {
  return object.spec.volumeMode ?? 'Filesystem';
}

export function attributesClassOf(object: { readonly spec: { readonly volumeAttributesClassName?: string } }): string {
  return object.spec.volumeAttributesClassName ?? '';
}

/** Throws what makes the claim unmatchable: a selector that does not parse, an attributes class while the gate is off. */
export function wantedBy(claim: PersistentVolumeClaim, options: MatchOptions): Wanted {
  const attributesClass = attributesClassOf(claim);
  if (options.volumeAttributesClass === false && attributesClass !== '') {
    throw new Error(
      `unsupported volumeAttributesClassName is set on claim ${keyOf(claim)} when the feature-gate VolumeAttributesClass is disabled`,
    );
  }
  return {
    claim,
    size: claimRequest(claim),
    className: claimClass(claim),
    volumeMode: volumeModeOf(claim),
    attributesClass,
    matchesSelector: selectorOf(claim),
  };
}

function selectorOf(claim: PersistentVolumeClaim): Wanted['matchesSelector'] {
  if (claim.spec.selector === undefined) return () => true;
  try {
    const matcher = labelMatcherOf(claim.spec.selector);
    return (volume) => matcher.matches(volume.metadata.labels);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new Error(`error creating internal label selector for claim: ${keyOf(claim)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Rules 2 to 6: what a pre-bound volume must satisfy too. */
export function isEligible(volume: PersistentVolume, wanted: Wanted): boolean {
  if (volume.spec.claimRef !== undefined && !isVolumeBoundToClaim(volume, wanted.claim)) return false;
  if (compareQuantities(volumeCapacity(volume), wanted.size) < 0) return false;
  if (volumeModeOf(volume) !== wanted.volumeMode) return false;
  if (attributesClassOf(volume) !== wanted.attributesClass) return false;
  return volume.metadata.deletionTimestamp === undefined;
}

/** Rule 9 without the node. */
function isFree(volume: PersistentVolume, wanted: Wanted): boolean {
  if (volume.status.phase !== 'Available') return false;
  if (!wanted.matchesSelector(volume)) return false;
  return volumeClass(volume) === wanted.className;
}

/** The order in which free volumes are taken: the smallest first, equals by name. */
function compareFreeVolumes(a: PersistentVolume, b: PersistentVolume): number {
  const bySize = compareQuantities(volumeCapacity(a), volumeCapacity(b));
  return bySize === 0 ? compareNames(a, b) : bySize;
}

const compareNames = (a: PersistentVolume, b: PersistentVolume): number =>
  a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0;

/** The volume to bind, or undefined: none fits, or the one pre-bound to the claim cannot be reached from the node. */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  options: MatchOptions,
): PersistentVolume | undefined {
  const wanted = wantedBy(claim, options);
  const takesFree = options.node !== undefined || !options.delayBinding;
  let preBound: PersistentVolume | undefined;
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (options.excluded?.has(volume.metadata.name) === true || !isEligible(volume, wanted)) continue;
    if (isVolumeBoundToClaim(volume, claim)) {
      if (preBound === undefined || compareNames(volume, preBound) < 0) preBound = volume;
    } else if (takesFree && isFree(volume, wanted) && isReachable(volume, claim, options.node)) {
      if (smallest === undefined || compareFreeVolumes(volume, smallest) < 0) smallest = volume;
    }
  }
  if (preBound === undefined) return smallest;
  return options.node === undefined || nodeAffinityAdmits(preBound, options.node) ? preBound : undefined;
}

/** The scheduler's part of rule 9. Without a node the buckets have settled the access modes already. */
function isReachable(volume: PersistentVolume, claim: PersistentVolumeClaim, node: NodeIdentity | undefined): boolean {
  if (node === undefined) return true;
  return offersAccessModes(volume.spec.accessModes, claim.spec.accessModes) && nodeAffinityAdmits(volume, node);
}

/** Buckets by access modes that can serve a claim: those with the fewest modes first, equals by their text. */
export function compareAccessModes(a: string, b: string): number {
  const byCount = countModes(a) - countModes(b);
  if (byCount !== 0) return byCount;
  return a < b ? -1 : a > b ? 1 : 0;
}

const countModes = (text: string): number => (text === '' ? 0 : text.split(',').length);

/** True if the modes of a bucket (`RWO,ROX`) hold all modes of another text. */
export function bucketServes(bucket: string, wanted: string): boolean {
  const offered = bucket.split(',');
  return wanted === '' || wanted.split(',').every((mode) => offered.includes(mode));
}

/**
 * The search of the persistent volume controller over all volumes: the first bucket that has a match decides, however
 * large the volume. MatchIndex answers the same without reading every volume.
 */
export function findBestMatch(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  options: MatchOptions,
): PersistentVolume | undefined {
  const wantedModes = accessModesText(claim.spec.accessModes);
  const buckets = new Map<string, PersistentVolume[]>();
  for (const volume of volumes) {
    const modes = accessModesText(volume.spec.accessModes);
    const bucket = buckets.get(modes);
    if (bucket === undefined) buckets.set(modes, [volume]);
    else bucket.push(volume);
  }
  for (const [modes, bucket] of [...buckets].toSorted(([a], [b]) => compareAccessModes(a, b))) {
    if (!bucketServes(modes, wantedModes)) continue;
    const match = findMatchingVolume(claim, bucket, options);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Why the volume a claim names cannot be bound to it, undefined if it can. Selector, phase and node are not asked. */
export function volumeMismatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  options: { readonly volumeAttributesClass?: boolean } = {},
): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  }
  if (bytesOf(volumeCapacity(volume)) < bytesOf(claimRequest(claim))) return 'requested PV is too small';
  if (volumeClass(volume) !== claimClass(claim)) return 'storageClassName does not match';
  const classes = [attributesClassOf(volume), attributesClassOf(claim)];
  if (options.volumeAttributesClass === false) {
    if (classes.some((name) => name !== '')) {
      return 'volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled';
    }
  } else if (classes[0] !== classes[1]) return 'volumeAttributesClassName does not match';
  if (volumeModeOf(volume) !== volumeModeOf(claim)) return 'incompatible volumeMode';
  if (!offersAccessModes(volume.spec.accessModes, claim.spec.accessModes)) return 'incompatible accessMode';
  return undefined;
}
