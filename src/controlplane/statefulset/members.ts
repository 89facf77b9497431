// The pods of a set by ordinal: one replica for each ordinal in range, made or still to be made, and the condemned,
// whose ordinals are out of range. kubernetes:pkg/controller/statefulset/stateful_set_control.go
import type { InstantMs } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { isPodAvailable } from '../../kube/pod-readiness.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';
import { type PodRevision, isInRange, newPod, ordinalOf, podNameOf, replicasOf, startOf } from './pod-identity.ts';
import type { Profile } from './profile.ts';

export type Replica =
  | { readonly made: true; readonly ordinal: number; readonly name: string; readonly pod: Pod }
  | { readonly made: false; readonly ordinal: number; readonly name: string; readonly draft: Draft<Pod> };

export interface Revisions {
  /** What the pods have that are not to be updated. */
  readonly current: PodRevision;
  /** What the set asks for. */
  readonly update: PodRevision;
}

export interface Members {
  /** By ordinal, without gaps. */
  readonly replicas: readonly Replica[];
  /** From the highest ordinal down. */
  readonly condemned: readonly Pod[];
}

/** A pod whose name ends in no ordinal is nobody's member and is left alone. */
export function membersOf(set: StatefulSet, pods: readonly Pod[], revisions: Revisions, profile: Profile): Members {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod.metadata.name), pod]));
  const replicas = Array.from({ length: replicasOf(set) }, (_, index): Replica => {
    const ordinal = startOf(set) + index;
    const name = podNameOf(set, ordinal);
    const pod = byOrdinal.get(ordinal);
    if (pod !== undefined) return { made: true, ordinal, name, pod };
    const revision = isAtCurrent(set, ordinal) ? revisions.current : revisions.update;
    return { made: false, ordinal, name, draft: newPod(set, ordinal, revision, profile) };
  });
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= 0 && !isInRange(set, ordinal))
    .toSorted(([left], [right]) => right - left)
    .map(([, pod]) => pod);
  return { replicas, condemned };
}

/** A new pod below the partition, or below those updated so far, comes back as it was. */
function isAtCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (rollingUpdate !== undefined) return ordinal < startOf(set) + (rollingUpdate.partition ?? 0);
  return type === 'RollingUpdate' && ordinal < startOf(set) + (set.status.currentReplicas ?? 0);
}

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Not to be counted on: not available, or about to go. */
export const isUnavailable = (set: StatefulSet, pod: Pod, now: InstantMs): boolean =>
  isTerminating(pod) || !isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now);

/** The name of the first member that cannot be counted on, by ordinal; the condemned come after the replicas. */
export function firstUnavailable(
  set: StatefulSet,
  { replicas, condemned }: Members,
  now: InstantMs,
): string | undefined {
  const replica = replicas.find((each) => !each.made || isUnavailable(set, each.pod, now));
  if (replica !== undefined) return replica.name;
  return condemned.findLast((pod) => isUnavailable(set, pod, now))?.metadata.name;
}
