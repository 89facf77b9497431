import type { PodCondition, PodStatus } from '../../../kube/resources/pod.ts';

/** Adds or replaces a condition; the time of transition is kept while its status stays. kubernetes:pkg/api/pod/util.go */
export function withPodCondition(
  status: PodStatus,
  wanted: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): PodStatus {
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === wanted.type);
  const lastTransitionTime = before?.status === wanted.status ? before.lastTransitionTime : now;
  const condition: PodCondition = { ...wanted, lastProbeTime: null, lastTransitionTime };
  const next =
    before === undefined ? [...conditions, condition] : conditions.map((each) => (each === before ? condition : each));
  return { ...status, conditions: next };
}
