// How large each ReplicaSet is to be, as steps to take one after the other. Two questions: a rollout moves pods from old
// sets to the new one within the limits; a change of the Deployment's own size is spread over the sets by their shares.
// kubernetes:pkg/controller/deployment/rolling.go, sync.go
import type { Deployment } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { type ReplicaSetsOf, activeSets, allSets, availableIn, compareAge, oldestFirst, sum } from './replica-sets.ts';
import { isRolling, maxSurgeOf, maxUnavailableOf, replicasOf } from './rollout-limits.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, countIn } from './set-annotations.ts';

export interface Resize {
  readonly name: string;
  readonly replicas: number;
  /** The annotations of the set are written even if its size stays. */
  readonly marks?: boolean;
}

/** The size of the new set in a rollout: as many more as fit, and never more than are wanted. */
export function decideNewSize(deployment: Deployment, others: readonly ReplicaSet[], newSize: number): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment) || newSize >= wanted) return wanted;
  const room = wanted + maxSurgeOf(deployment) - sum(others, replicasOf) - newSize;
  return room <= 0 ? newSize : newSize + Math.min(room, wanted - newSize);
}

/**
 * What a rolling update takes from the old sets: pods that are not available first, since nobody misses them, then
 * available ones as long as enough are left. Pods of the new set that are not available yet hold everything back.
 */
export function decideOldSizes(
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): readonly Resize[] {
  const old = oldestFirst(activeSets(oldSets));
  const availableMin = replicasOf(deployment) - maxUnavailableOf(deployment);
  const notYetAvailable = replicasOf(newSet) - (newSet.status.availableReplicas ?? 0);
  const spare = sum([...oldSets, newSet], replicasOf) - availableMin - notYetAvailable;
  if (old.length === 0 || spare <= 0) return [];
  const sizes = new Map(old.map((set) => [set.metadata.name, replicasOf(set)]));
  const unhealthy = takeFrom(sizes, spare, (name) => {
    const set = old.find(({ metadata }) => metadata.name === name);
    return (sizes.get(name) ?? 0) - (set?.status.availableReplicas ?? 0);
  });
  const available = takeFrom(sizes, availableIn([...old, newSet]) - availableMin, (name) => sizes.get(name) ?? 0);
  return [...unhealthy, ...available];
}

/** Takes up to `count` in all, from each as much as `most` allows, in order; `sizes` is what is left. */
function takeFrom(sizes: Map<string, number>, count: number, most: (name: string) => number): readonly Resize[] {
  const resizes: Resize[] = [];
  let left = count;
  for (const [name, size] of sizes) {
    const taken = Math.min(left, most(name), size);
    if (taken <= 0) continue;
    left -= taken;
    sizes.set(name, size - taken);
    resizes.push({ name, replicas: size - taken });
  }
  return resizes;
}

/** Whether the Deployment was resized since its sets were last sized for it. */
export const isScalingEvent = (deployment: Deployment, sets: readonly ReplicaSet[]): boolean =>
  activeSets(sets).some((set) => {
    const desired = countIn(set, DESIRED_REPLICAS);
    return desired !== undefined && desired !== replicasOf(deployment);
  });

/** What a change of the Deployment's size, or a pause, does to its sets. */
export function decideScale(deployment: Deployment, sets: ReplicaSetsOf): readonly Resize[] {
  const { newSet, oldSets } = sets;
  const active = activeSets(allSets(sets));
  const wanted = replicasOf(deployment);
  if (active.length <= 1) {
    const only = active[0] ?? newSet ?? oldSets.toSorted(compareAge).at(-1);
    if (only === undefined || replicasOf(only) === wanted) return [];
    return [{ name: only.metadata.name, replicas: wanted }];
  }
  if (newSet !== undefined && isSaturated(deployment, newSet)) {
    return activeSets(oldSets).map(({ metadata }) => ({ name: metadata.name, replicas: 0 }));
  }
  return isRolling(deployment) ? proportionally(deployment, active) : [];
}

/** The new set holds all that is wanted, was meant to, and all of it is available. */
function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  const counts = [replicasOf(set), countIn(set, DESIRED_REPLICAS), set.status.availableReplicas ?? 0];
  return counts.every((count) => count === wanted);
}

/** The larger a set, the more it gets or gives; what rounding leaves over is the largest one's. */
function proportionally(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sum(active, replicasOf);
  // Among equals the newer grows and the older shrinks.
  const age = toAdd > 0 ? -1 : 1;
  const bySize = active.toSorted(
    (left, right) => replicasOf(right) - replicasOf(left) || age * compareAge(left, right),
  );
  let added = 0;
  const sizes = bySize.map((set) => {
    const part = shareOf(deployment, set, { toAdd, added });
    added += part;
    return replicasOf(set) + part;
  });
  return bySize.map(({ metadata }, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    return { name: metadata.name, replicas: Math.max(0, (sizes[index] ?? 0) + leftover), marks: true };
  });
}

function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

/** By how much the set changes if it keeps its share of all that the Deployment may have. */
function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = replicasOf(set);
  const wanted = replicasOf(deployment);
  if (wanted === 0) return -size;
  const noted = countIn(set, MAX_REPLICAS);
  const before = noted === undefined || noted === 0 ? (deployment.status.replicas ?? 0) : noted;
  if (before === 0) return 0;
  return Math.floor((size * (wanted + maxSurgeOf(deployment))) / before + 0.5) - size;
}
