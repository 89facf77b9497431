import type { InstantMs } from '../../base/clock.ts';
import { isPodAvailable } from '../../kube/pod-readiness.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { StatefulSet, StatefulSetStatus } from '../../kube/resources/stateful-set.ts';
import { isRunningAndReady } from './decide-member.ts';
import { isTerminating } from './members.ts';
import { replicasOf, revisionOf } from './pod-identity.ts';

export interface StatusFacts {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly collisionCount: number;
  readonly now: InstantMs;
}

type Counts = Required<
  Pick<StatefulSetStatus, 'replicas' | 'readyReplicas' | 'availableReplicas' | 'currentReplicas' | 'updatedReplicas'>
>;
export type ComputedStatus = Counts &
  Required<Pick<StatefulSetStatus, 'observedGeneration' | 'currentRevision' | 'updateRevision' | 'collisionCount'>>;

export function statusOf(facts: StatusFacts): ComputedStatus {
  const { set, pods, currentRevision, updateRevision, collisionCount, now } = facts;
  const ready = pods.filter(isRunningAndReady);
  const staying = pods.filter((pod) => !isTerminating(pod));
  const at = (revision: string): number => staying.filter((pod) => revisionOf(pod) === revision).length;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length,
    currentReplicas: at(currentRevision),
    updatedReplicas: at(updateRevision),
    currentRevision,
    updateRevision,
    collisionCount,
  };
}

/** A rolling update is over when all replicas are updated and ready: what was wanted becomes what is current. */
export function completed(set: StatefulSet, status: ComputedStatus): ComputedStatus {
  const { updatedReplicas, readyReplicas, replicas, updateRevision } = status;
  const isComplete =
    set.spec.updateStrategy.type === 'RollingUpdate' &&
    [updatedReplicas, readyReplicas, replicas].every((count) => count === replicasOf(set));
  return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;
}

/** Whether the set does not say this yet. */
export function isNews({ status: before }: StatefulSet, status: ComputedStatus): boolean {
  return (
    status.observedGeneration > (before.observedGeneration ?? 0) ||
    status.replicas !== before.replicas ||
    status.currentReplicas !== (before.currentReplicas ?? 0) ||
    status.readyReplicas !== (before.readyReplicas ?? 0) ||
    status.updatedReplicas !== (before.updatedReplicas ?? 0) ||
    status.availableReplicas !== before.availableReplicas ||
    status.currentRevision !== (before.currentRevision ?? '') ||
    status.updateRevision !== (before.updateRevision ?? '')
  );
}
