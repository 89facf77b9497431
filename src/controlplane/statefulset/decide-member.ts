// What to do about one member in one pass. A set that is not Parallel stops at the first member that is not as it should
// be; a Parallel one goes on to the others. In both a pod object that is being deleted keeps its ordinal: until it is
// gone no other pod of that name is made, because nobody could tell whether the old one still writes to its volumes.
// kubernetes:pkg/controller/statefulset/stateful_set_control.go
import type { InstantMs } from '../../base/clock.ts';
import { hasPodEnded, isPodAvailable, isPodReady } from '../../kube/pod-readiness.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';
import { type Members, type Replica, isTerminating, isUnavailable } from './members.ts';
import { replicasOf, revisionOf } from './pod-identity.ts';
import type { Profile } from './profile.ts';

export const isParallel = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy === 'Parallel';

export interface MemberFacts {
  readonly set: StatefulSet;
  readonly now: InstantMs;
  readonly profile: Profile;
  /** Of the first member in order that cannot be counted on. */
  readonly firstUnavailable: string | undefined;
}

export type ReplicaDecision =
  /** The pod ended and will not come back by itself: it is deleted, and made again once it is gone. */
  | { readonly type: 'delete'; readonly pod: Pod }
  | { readonly type: 'create' }
  | { readonly type: 'wait'; readonly for: string; readonly ensuresClaims: boolean }
  /** The pod is fine: its identity, volumes and the owners of its claims are kept right. */
  | { readonly type: 'maintain'; readonly pod: Pod; readonly ensuresClaims: boolean };

export function decideReplica(replica: Replica, { set, now, profile }: MemberFacts): ReplicaDecision {
  if (!replica.made) return { type: 'create' };
  const { pod } = replica;
  const isReplaced = pod.status.phase === 'Failed' || (hasPodEnded(pod) && profile.replacesSucceeded);
  if (isReplaced) return isTerminating(pod) ? wait('gone', pod) : { type: 'delete', pod };
  // A pod that waits for its volumes may wait for a claim that somebody deleted.
  const ensuresClaims = pod.status.phase === 'Pending';
  if (isTerminating(pod) && isParallel(set)) return { type: 'maintain', pod, ensuresClaims };
  if (isTerminating(pod)) return wait('gone', pod, ensuresClaims);
  if (isParallel(set)) return { type: 'maintain', pod, ensuresClaims };
  if (!isRunningAndReady(pod)) return wait('Running and Ready', pod, ensuresClaims);
  if (!isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)) return wait('available', pod, ensuresClaims);
  return { type: 'maintain', pod, ensuresClaims };
}

const wait = (what: string, pod: Pod, ensuresClaims = false) =>
  ({ type: 'wait', for: waitText(what, pod), ensuresClaims }) as const;

const waitText = (what: string, { metadata }: Pod): string => `pod ${metadata.name} to be ${what}`;

export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === 'Running' && isPodReady(pod);

export type CondemnedDecision =
  | { readonly type: 'delete' }
  | { readonly type: 'wait'; readonly for: string }
  | { readonly type: 'pass' };

/** A set in order takes one pod away at a time, and only while all before it are fine; the one that is not may go itself. */
export function decideCondemned(pod: Pod, { set, now, firstUnavailable }: MemberFacts): CondemnedDecision {
  if (isTerminating(pod)) return isParallel(set) ? { type: 'pass' } : { type: 'wait', for: waitText('gone', pod) };
  if (isParallel(set) || pod.metadata.name === firstUnavailable) return { type: 'delete' };
  if (!isRunningAndReady(pod)) return { type: 'wait', for: waitText('Running and Ready', pod) };
  const isAvailable = isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  return isAvailable ? { type: 'delete' } : { type: 'wait', for: waitText('available', pod) };
}

export interface UpdateFacts {
  readonly set: StatefulSet;
  readonly now: InstantMs;
  /** Name of the revision that the pods are to have. */
  readonly updateRevision: string;
  /** How many members may be away at once; 1 unless the gate MaxUnavailableStatefulSet is on. */
  readonly unavailableMax: number;
}

export interface UpdateDecision {
  /** To be deleted, in order. */
  readonly pods: readonly Pod[];
  readonly waitingFor?: string;
}

/**
 * Which pods make room for the update: from the highest ordinal down to the partition, one after the other, each only
 * when those above it are back.
 */
export function decideUpdate({ replicas }: Members, facts: UpdateFacts): UpdateDecision {
  const { set, now } = facts;
  if (set.spec.updateStrategy.type === 'OnDelete') return { pods: [] };
  if (facts.unavailableMax > 1) return decideBudgetedUpdate(replicas, facts);
  for (const replica of candidates(replicas, set)) {
    if (replica.made && isOutdated(replica.pod, facts)) return { pods: [replica.pod] };
    const isAway = !replica.made || isUnavailable(set, replica.pod, now);
    if (isAway) return { pods: [], waitingFor: `pod ${replica.name} to be updated and available` };
  }
  return { pods: [] };
}

function decideBudgetedUpdate(replicas: readonly Replica[], facts: UpdateFacts): UpdateDecision {
  const { set, now, unavailableMax } = facts;
  const away = replicas.filter((each) => !each.made || isUnavailable(set, each.pod, now)).length;
  const pods = candidates(replicas, set).flatMap((each) => (each.made ? [each.pod] : []));
  const outdated = pods.filter((pod) => isOutdated(pod, facts));
  return { pods: outdated.slice(0, Math.max(0, unavailableMax - away)) };
}

/** The partition counts positions, not ordinals. */
function candidates(replicas: readonly Replica[], set: StatefulSet): readonly Replica[] {
  return replicas.slice(set.spec.updateStrategy.rollingUpdate?.partition ?? 0).toReversed();
}

const isOutdated = (pod: Pod, { updateRevision }: UpdateFacts): boolean =>
  revisionOf(pod) !== updateRevision && !isTerminating(pod);

/** A share is rounded down, but one may always be away. kubernetes:pkg/controller/statefulset/stateful_set_utils.go */
export function unavailableMaxOf(set: StatefulSet): number {
  const value = set.spec.updateStrategy.rollingUpdate?.maxUnavailable ?? 1;
  const count = typeof value === 'number' ? value : Math.floor((Number.parseInt(value, 10) * replicasOf(set)) / 100);
  return Math.max(1, Number.isNaN(count) ? 1 : count);
}
