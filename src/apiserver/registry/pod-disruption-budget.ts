// kubernetes:pkg/registry/policy/poddisruptionbudget/strategy.go, pkg/apis/policy/validation/validation.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { type PodDisruptionBudget, PodDisruptionBudgets } from '../../kube/resources/pod-disruption-budget.ts';
import { checkOneOf, sorted } from './field-checks.ts';
import type { Strategy } from './strategy.ts';
import { checkAtMostAll, checkCounts, checkIntOrPercent } from './workload-checks.ts';

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'] as const;

export const podDisruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  resource: PodDisruptionBudgets,
  hasGeneration: true,
  hasStatus: true,
  requiresResourceVersion: true,
  metadataChecks: { update: [], status: [] },
  /** Upstream never checks the names of budgets beyond what every name needs. */
  nameRule: 'path-segment',
  applyDefaults: (budget) => budget,
  validate: checkBudget,
  validateStatusUpdate: ({ status }) => {
    const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
    return checkCounts({ disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods }, 'status');
  },
};

/** With the names of upstream's type, but for the selector, which is of a type that has names of its own. */
const shownSpec = ({
  minAvailable,
  selector,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: PodDisruptionBudget['spec']) => ({
  MinAvailable: minAvailable,
  Selector: selector === undefined ? null : sorted(selector),
  MaxUnavailable: maxUnavailable,
  UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
});

function checkBudget({ spec }: PodDisruptionBudget): readonly FieldError[] {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const isTwofold = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(isTwofold ? [invalid('spec', shownSpec(spec), 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...checkLimit(minAvailable, 'spec.minAvailable'),
    ...checkLimit(maxUnavailable, 'spec.maxUnavailable'),
    ...validateLabelSelector(spec.selector, 'spec.selector'),
    ...(policy === undefined ? [] : checkOneOf('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES)),
  ];
}

const checkLimit = (limit: number | string | undefined, path: string): readonly FieldError[] =>
  limit === undefined ? [] : [...checkIntOrPercent(limit, path), ...checkAtMostAll(limit, path)];
