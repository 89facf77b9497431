// Conditions of a Deployment. A condition keeps the time of its last change of status, and a word that says the same with
// the same reason changes nothing. kubernetes:pkg/controller/deployment/util/deployment_util.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { DeploymentCondition } from '../../kube/resources/deployment.ts';

export type Conditions = readonly DeploymentCondition[];

export const PROGRESSING = 'Progressing';
export const AVAILABLE = 'Available';
export const REPLICA_FAILURE = 'ReplicaFailure';

export interface Saying {
  readonly type: typeof PROGRESSING | typeof AVAILABLE;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const conditionOf = (conditions: Conditions | undefined, type: string): DeploymentCondition | undefined =>
  conditions?.find((each) => each.type === type);

export const withoutCondition = (conditions: Conditions, type: string): Conditions =>
  conditions.filter((each) => each.type !== type);

export function withCondition(conditions: Conditions, condition: DeploymentCondition): Conditions {
  const before = conditionOf(conditions, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return conditions;
  const kept = before?.status === condition.status ? { lastTransitionTime: before.lastTransitionTime } : {};
  return [...withoutCondition(conditions, condition.type), { ...condition, ...kept }];
}

export function said({ type, status, reason, message }: Saying, now: InstantMs): DeploymentCondition {
  const at = timestamp(now);
  return { type, status, lastUpdateTime: at, lastTransitionTime: at, reason, message };
}

export const withSaying = (conditions: Conditions, saying: Saying, now: InstantMs): Conditions =>
  withCondition(conditions, said(saying, now));
