// How many pods a rolling update may have too many and too few. kubernetes:pkg/controller/deployment/util/deployment_util.go
import type { Deployment } from '../../kube/resources/deployment.ts';

export const replicasOf = ({ spec }: { readonly spec: { readonly replicas?: number } }): number => spec.replicas ?? 1;

export const isRolling = ({ spec }: Deployment): boolean => spec.strategy.type === 'RollingUpdate';

/** A share of the replicas, or a number as it is. */
function share(value: number | string | undefined, total: number, round: (count: number) => number): number {
  if (value === undefined) return 0;
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) * total) / 100);
}

export function maxSurgeOf(deployment: Deployment): number {
  if (!isRolling(deployment)) return 0;
  return share(deployment.spec.strategy.rollingUpdate?.maxSurge, replicasOf(deployment), Math.ceil);
}

/** Rounded down; if nothing is allowed in either direction, one pod may be missing, or nothing would ever move. */
export function maxUnavailableOf(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  const allowed = share(deployment.spec.strategy.rollingUpdate?.maxUnavailable, replicas, Math.floor);
  const needed = allowed === 0 && maxSurgeOf(deployment) === 0 ? 1 : allowed;
  return Math.min(needed, replicas);
}
