import type { Deployment } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { compareAge } from './replica-sets.ts';
import { replicasOf } from './rollout-limits.ts';
import { revisionOf } from './set-annotations.ts';

/** A limit that is none. */
const NO_LIMIT = 2 ** 31 - 1;

/** The oldest of the old sets beyond as many as are kept for going back; one that still has pods stays.
 * kubernetes:pkg/controller/deployment/sync.go#cleanupDeployment */
export function decideCleanup({ spec }: Deployment, oldSets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const { revisionHistoryLimit: limit = NO_LIMIT } = spec;
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (limit === NO_LIMIT || alive.length <= limit) return [];
  return alive
    .toSorted(compareRevision)
    .slice(0, alive.length - limit)
    .filter(isEmpty);
}

function compareRevision(left: ReplicaSet, right: ReplicaSet): number {
  const [a, b] = [revisionOf(left), revisionOf(right)];
  if (a === undefined || b === undefined) return compareAge(left, right);
  if (a === b) return compareAge(left, right);
  return a < b ? -1 : 1;
}

const isEmpty = (set: ReplicaSet): boolean =>
  set.status.replicas === 0 &&
  replicasOf(set) === 0 &&
  (set.metadata.generation ?? 0) <= (set.status.observedGeneration ?? 0);
