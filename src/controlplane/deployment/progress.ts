// Whether a rollout gets on. Progress is any count that moved the right way since the status was last written; a rollout
// that shows none for progressDeadlineSeconds is called failed, and goes on all the same.
// kubernetes:pkg/controller/deployment/progress.go
import { type DurationMs, type InstantMs, SECOND_MS } from '../../base/clock.ts';
import type { Deployment, DeploymentCondition } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import {
  type Conditions,
  PROGRESSING,
  REPLICA_FAILURE,
  type Saying,
  conditionOf,
  said,
  withCondition,
  withSaying,
  withoutCondition,
} from './conditions.ts';
import { type ReplicaSetsOf, allSets } from './replica-sets.ts';
import { type ComputedStatus, isComplete } from './status.ts';

const PAUSED = 'DeploymentPaused';
const RESUMED = 'DeploymentResumed';
const TIMED_OUT = 'ProgressDeadlineExceeded';
const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';
/** A deadline that is none. */
const NO_DEADLINE = 2 ** 31 - 1;

/** Undefined if lack of progress is not to be told. */
export function progressDeadlineMs({ spec }: Deployment): DurationMs | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * SECOND_MS;
}

const progressing = (status: Saying['status'], reason: string, message: string): Saying => ({
  type: PROGRESSING,
  status,
  reason,
  message,
});

export const newSetCreated = (name: string): Saying =>
  progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
export const newSetFound = (name: string): Saying =>
  progressing('True', 'FoundNewReplicaSet', `Found new replica set "${name}"`);
export const newSetFailed = (message: string): Saying => progressing('False', 'ReplicaSetCreateError', message);

/** What pausing and resuming says; undefined if it is said already. A rollout that timed out stays so. */
export function pauseSaying(deployment: Deployment): Saying | undefined {
  const reason = conditionOf(deployment.status.conditions, PROGRESSING)?.reason;
  if (progressDeadlineMs(deployment) === undefined || reason === TIMED_OUT) return undefined;
  const isPaused = deployment.spec.paused === true;
  if (isPaused && reason !== PAUSED) return progressing('Unknown', PAUSED, 'Deployment is paused');
  if (!isPaused && reason === PAUSED) return progressing('Unknown', RESUMED, 'Deployment is resumed');
  return undefined;
}

/** The status with its word on progress and on pods that cannot be made. */
export function withProgress(
  deployment: Deployment,
  status: ComputedStatus,
  sets: ReplicaSetsOf,
  now: InstantMs,
): ComputedStatus {
  const conditions = withFailures(progressed(deployment, status, sets.newSet, now), sets);
  return { ...status, conditions };
}

function progressed(
  deployment: Deployment,
  status: ComputedStatus,
  newSet: ReplicaSet | undefined,
  now: InstantMs,
): Conditions {
  const { conditions } = status;
  if (progressDeadlineMs(deployment) === undefined) return withoutCondition(conditions, PROGRESSING);
  const before = conditionOf(deployment.status.conditions, PROGRESSING);
  // A Deployment that was complete and is only looked at again makes no progress and needs none.
  if (status.replicas === status.updatedReplicas && before?.reason === NEW_SET_AVAILABLE) return conditions;
  const who =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (isComplete(deployment, status)) {
    return withSaying(conditions, progressing('True', NEW_SET_AVAILABLE, `${who} has successfully progressed.`), now);
  }
  if (getsOn(deployment, status)) {
    return renewed(conditions, before, said(progressing('True', 'ReplicaSetUpdated', `${who} is progressing.`), now));
  }
  if (!hasTimedOut(deployment, conditionOf(conditions, PROGRESSING), now)) return conditions;
  return withSaying(conditions, progressing('False', TIMED_OUT, `${who} has timed out progressing.`), now);
}

/** Every progress is noted anew, though the reason is the same: the deadline runs from the last one. */
function renewed(
  conditions: Conditions,
  before: DeploymentCondition | undefined,
  condition: DeploymentCondition,
): Conditions {
  const kept = before?.status === 'True' ? { lastTransitionTime: before.lastTransitionTime } : {};
  return [...withoutCondition(conditions, PROGRESSING), { ...condition, ...kept }];
}

function getsOn({ status: before }: Deployment, status: ComputedStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before;
  return (
    status.updatedReplicas > updatedReplicas ||
    status.replicas - status.updatedReplicas < replicas - updatedReplicas ||
    status.readyReplicas > readyReplicas ||
    status.availableReplicas > availableReplicas
  );
}

function hasTimedOut(deployment: Deployment, condition: DeploymentCondition | undefined, now: InstantMs): boolean {
  const deadline = progressDeadlineMs(deployment);
  if (deadline === undefined || condition === undefined || condition.reason === NEW_SET_AVAILABLE) return false;
  return condition.reason === TIMED_OUT || lastUpdateOf(condition) + deadline < now;
}

const lastUpdateOf = ({ lastUpdateTime }: DeploymentCondition): InstantMs =>
  lastUpdateTime === null ? 0 : Date.parse(lastUpdateTime);

/** A failure of the new set, or else of any other. */
function withFailures(conditions: Conditions, sets: ReplicaSetsOf): Conditions {
  const failures = [...(sets.newSet === undefined ? [] : [sets.newSet]), ...allSets(sets)].flatMap(({ status }) =>
    (status.conditions ?? []).filter(({ type }) => type === REPLICA_FAILURE),
  );
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, REPLICA_FAILURE);
  return withCondition(conditions, { ...failure, lastUpdateTime: failure.lastTransitionTime });
}

/** When to look again whether the rollout has timed out; undefined if it needs no look. */
export function nextProgressCheckAfter(
  deployment: Deployment,
  status: ComputedStatus,
  now: InstantMs,
): DurationMs | undefined {
  const condition = conditionOf(deployment.status.conditions, PROGRESSING);
  const deadline = progressDeadlineMs(deployment);
  if (deadline === undefined || condition === undefined) return undefined;
  // Upstream looks ten times a second at a Deployment that was complete and waits for old pods to go; no look changes it.
  const isJudged = condition.reason === TIMED_OUT || condition.reason === NEW_SET_AVAILABLE;
  if (isComplete(deployment, status) || isJudged) return undefined;
  const after = lastUpdateOf(condition) + deadline - now;
  // Times are written to the second: one more makes sure that the deadline is past.
  return after < SECOND_MS ? Math.max(0, after) + 1 : after + SECOND_MS;
}
