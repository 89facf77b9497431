// Whether the volumes of a pod can be had on one node, and which they would be: volumes to bind and claims to provision.
// kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go
import { annotationOf } from '../../../kube/annotations.ts';
import { matchesTopologySelectorTerms } from '../../../kube/node-selector.ts';
import { keyOf } from '../../../kube/object.ts';
import { compareQuantities } from '../../../kube/quantity.ts';
import type { Node } from '../../../kube/resources/node.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import { NO_PROVISIONER, SELECTED_NODE } from '../../../volume/annotations.ts';
import { claimClass } from '../../../volume/claim-class.ts';
import { claimRequest, findMatchingVolume } from '../../../volume/claim-matching.ts';
import { nodeAffinityAdmits } from '../../../volume/node-affinity.ts';
import type { StorageView } from '../cluster-snapshot.ts';
import { type Failure, type Rejection, failure, unresolvable } from '../status.ts';
import { CandidateVolumes } from './candidate-volumes.ts';
import { sortClaims } from './pod-claims.ts';
import { hasEnoughCapacity } from './storage-capacity.ts';

export interface StaticBinding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}
/** What must be written for the pod to get its volumes on the node. */
export interface PodVolumes {
  readonly bindings: readonly StaticBinding[];
  readonly provisions: readonly PersistentVolumeClaim[];
}
export const NO_VOLUMES: PodVolumes = { bindings: [], provisions: [] };

export type VolumesOnNode = { readonly type: 'found'; readonly volumes: PodVolumes } | Rejection | Failure;

/** The texts of R1 to R4 of the specification; they are told in this order. */
export const NO_VOLUME_TO_BIND = "node(s) didn't find available persistent volumes to bind";
export const NOT_ENOUGH_STORAGE = 'node(s) did not have enough free storage';
const VOLUME_MISSING = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** The claims of a pod, prepared for looking at many nodes. */
export interface PreparedClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  readonly delayed: readonly DelayedClaim[];
}
interface DelayedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly candidates: CandidateVolumes;
}

/** Throws if a class has no binding mode, or a claim a selector that does not parse. */
export function prepareClaims(pod: Pod, storage: StorageView): PreparedClaims {
  const { bound, delayed } = sortClaims(pod, storage);
  const withCandidates = (claim: PersistentVolumeClaim): DelayedClaim => ({
    claim,
    candidates: new CandidateVolumes(claim, storage.assumedVolumesOfClass(claimClass(claim))),
  });
  return { bound, delayed: delayed.map(withCandidates) };
}

interface Question {
  readonly claims: PreparedClaims;
  readonly node: Node;
  readonly storage: StorageView;
  /** The text of R1, which differs between versions. */
  readonly affinityConflict: string;
}

export function findPodVolumes(question: Question): VolumesOnNode {
  const { claims, node, storage } = question;
  const bound = checkBound(claims.bound, node, storage);
  const unbound = checkDelayed(claims.delayed, node, storage);
  if (unbound.type === 'error') return unbound;
  const reasons = [
    ...(bound === 'conflict' ? [question.affinityConflict] : []),
    ...(unbound.type === 'no-volume' ? [NO_VOLUME_TO_BIND] : []),
    ...(unbound.type === 'no-storage' ? [NOT_ENOUGH_STORAGE] : []),
    ...(bound === 'missing' ? [VOLUME_MISSING] : []),
  ];
  if (reasons.length > 0) return unresolvable(...reasons);
  return { type: 'found', volumes: unbound.type === 'found' ? unbound.volumes : NO_VOLUMES };
}

/** The first claim that does not fit decides. */
function checkBound(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  storage: StorageView,
): 'fits' | 'conflict' | 'missing' {
  for (const claim of claims) {
    const volume = storage.assumedVolumes.get(claim.spec.volumeName ?? '');
    if (volume === undefined) return 'missing';
    if (!nodeAffinityAdmits(volume, node)) return 'conflict';
  }
  return 'fits';
}

type Unbound =
  | { readonly type: 'found'; readonly volumes: PodVolumes }
  | { readonly type: 'no-volume' | 'no-storage' }
  | Failure;

/** A claim without a fitting volume is no obstacle if its volume can be made for this node. */
function checkDelayed(claims: readonly DelayedClaim[], node: Node, storage: StorageView): Unbound {
  const toMatch: DelayedClaim[] = [];
  const toProvision: PersistentVolumeClaim[] = [];
  for (const delayed of claims) {
    const selected = annotationOf(delayed.claim, SELECTED_NODE);
    if (selected === undefined) toMatch.push(delayed);
    else if (selected === node.metadata.name) toProvision.push(delayed.claim);
    else return { type: 'no-volume' };
  }
  const bindings: StaticBinding[] = [];
  for (const { claim, candidates } of toMatch.toSorted(compareRequests)) {
    const excluded = new Set(bindings.map(({ volume }) => volume.metadata.name));
    const reachable = candidates.on(node);
    const volume =
      reachable.length === 0 ? undefined : findMatchingVolume(claim, reachable, { node, excluded, delayBinding: true });
    if (volume === undefined) toProvision.push(claim);
    else bindings.push({ claim, volume });
  }
  for (const claim of toProvision) {
    const verdict = checkProvision(claim, node, storage);
    if (verdict !== 'fits') return typeof verdict === 'string' ? { type: verdict } : verdict;
  }
  return { type: 'found', volumes: { bindings, provisions: toProvision } };
}

function checkProvision(
  claim: PersistentVolumeClaim,
  node: Node,
  storage: StorageView,
): 'fits' | 'no-volume' | 'no-storage' | Failure {
  const className = claimClass(claim);
  if (className === '') return failure(`no class for claim "${keyOf(claim)}"`);
  const storageClass = storage.classes.get(className);
  if (storageClass === undefined) return failure(`failed to find storage class "${className}"`);
  if (storageClass.provisioner === '' || storageClass.provisioner === NO_PROVISIONER) return 'no-volume';
  const labels = node.metadata.labels ?? {};
  if (!matchesTopologySelectorTerms(storageClass.allowedTopologies, labels)) return 'no-volume';
  return hasEnoughCapacity({ claim, storageClass, labels, storage }) ? 'fits' : 'no-storage';
}

/** Smallest first, so that small claims do not take large volumes from large ones. Equals keep the order of the pod. */
const compareRequests = (one: DelayedClaim, other: DelayedClaim): number =>
  compareQuantities(claimRequest(one.claim), claimRequest(other.claim));
