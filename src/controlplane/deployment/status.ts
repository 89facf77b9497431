// kubernetes:pkg/controller/deployment/sync.go#calculateStatus
import type { InstantMs } from '../../base/clock.ts';
import type { Deployment, DeploymentStatus } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { AVAILABLE, type Conditions, type Saying, withSaying } from './conditions.ts';
import type { Profile } from './profile.ts';
import { type ReplicaSetsOf, allSets, availableIn, sum } from './replica-sets.ts';
import { maxUnavailableOf, replicasOf } from './rollout-limits.ts';
import { isSemanticallyEqual } from './semantic-equal.ts';

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
] as const;

type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;
export type ComputedStatus = Counts &
  Pick<DeploymentStatus, 'terminatingReplicas' | 'collisionCount'> & { readonly conditions: Conditions };

export function statusOf(deployment: Deployment, of: ReplicaSetsOf, profile: Profile, now: InstantMs): ComputedStatus {
  const sets = allSets(of);
  const availableReplicas = availableIn(sets);
  const { collisionCount, conditions = [] } = deployment.status;
  const terminatingReplicas = profile.countsTerminating ? terminatingIn(sets) : undefined;
  const hasEnough = availableReplicas >= replicasOf(deployment) - maxUnavailableOf(deployment);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(sets, ({ status }) => status.replicas),
    updatedReplicas: of.newSet?.status.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(sets, replicasOf) - availableReplicas),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withSaying(conditions, hasEnough ? ENOUGH : TOO_FEW, now),
  };
}

const ENOUGH: Saying = {
  type: AVAILABLE,
  status: 'True',
  reason: 'MinimumReplicasAvailable',
  message: 'Deployment has minimum availability.',
};
const TOO_FEW: Saying = {
  type: AVAILABLE,
  status: 'False',
  reason: 'MinimumReplicasUnavailable',
  message: 'Deployment does not have minimum availability.',
};

/** Undefined as long as one of the sets was looked at and did not say: half a sum is none. */
function terminatingIn(sets: readonly ReplicaSet[]): number | undefined {
  const isSilent = ({ status }: ReplicaSet): boolean =>
    status.terminatingReplicas === undefined && (status.observedGeneration ?? 0) > 0;
  return sets.some(isSilent) ? undefined : sum(sets, ({ status }) => status.terminatingReplicas);
}

/** All that is wanted is updated and available, and nothing old is left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Whether the Deployment does not say this yet. An unset count is 0. */
export function isNews({ status: before }: Deployment, status: ComputedStatus): boolean {
  return (
    COUNTS.some((count) => status[count] !== (before[count] ?? 0)) ||
    status.terminatingReplicas !== before.terminatingReplicas ||
    status.collisionCount !== before.collisionCount ||
    !isSemanticallyEqual(status.conditions, before.conditions)
  );
}
