// kubernetes:pkg/controller/replicaset/replica_set_utils.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import { isPodAvailable, isPodReady } from '../../kube/pod-readiness.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '../../kube/resources/replica-set.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

export interface StatusFacts {
  readonly set: ReplicaSet;
  readonly active: readonly Pod[];
  /** Undefined where the version does not count them. */
  readonly terminating: readonly Pod[] | undefined;
  /** Why pods could not be made or deleted. */
  readonly failure: string | undefined;
  readonly now: InstantMs;
}

export function statusOf({ set, active, terminating, failure, now }: StatusFacts): ReplicaSetStatus {
  const { minReadySeconds = 0, template } = set.spec;
  const wantedLabels = Object.entries(template.metadata.labels ?? {});
  const isFullyLabeled = ({ metadata }: Pod): boolean =>
    wantedLabels.every(([key, value]) => metadata.labels?.[key] === value);
  const conditions = conditionsOf(set, active.length, failure, now);
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(isFullyLabeled).length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length,
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
    observedGeneration: set.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** The first failure is kept as it was until a pass succeeds. */
function conditionsOf(
  { spec, status }: ReplicaSet,
  count: number,
  failure: string | undefined,
  now: InstantMs,
): readonly ReplicaSetCondition[] {
  const conditions = status.conditions ?? [];
  if (failure === undefined) return conditions.filter(({ type }) => type !== REPLICA_FAILURE);
  if (conditions.some(({ type }) => type === REPLICA_FAILURE)) return conditions;
  const difference = count - (spec.replicas ?? 1);
  const reason = difference < 0 ? 'FailedCreate' : difference > 0 ? 'FailedDelete' : '';
  const condition = {
    type: REPLICA_FAILURE,
    status: 'True',
    lastTransitionTime: timestamp(now),
    ...(reason === '' ? {} : { reason }),
    message: failure,
  };
  return [...conditions, condition];
}

/** Whether the set does not say this yet. Conditions are replaced as a whole or kept as they are. */
export function isNews({ status: before }: ReplicaSet, status: ReplicaSetStatus): boolean {
  return (
    status.replicas !== before.replicas ||
    status.fullyLabeledReplicas !== (before.fullyLabeledReplicas ?? 0) ||
    status.readyReplicas !== (before.readyReplicas ?? 0) ||
    status.availableReplicas !== (before.availableReplicas ?? 0) ||
    status.terminatingReplicas !== before.terminatingReplicas ||
    status.observedGeneration !== (before.observedGeneration ?? 0) ||
    typesOf(status) !== typesOf(before)
  );
}

const typesOf = ({ conditions = [] }: ReplicaSetStatus): string => conditions.map(({ type }) => type).join(' ');
