// kubernetes:pkg/registry/apps/replicaset/strategy.go, pkg/apis/apps/validation/validation.go
import type { FieldError } from '../../kube/field-error.ts';
import { type ReplicaSet, ReplicaSets } from '../../kube/resources/replica-set.ts';
import { checkImmutable, checkNonNegative } from './field-checks.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { keepsGeneration, warnOfPodTemplate } from './pod-warnings.ts';
import type { Strategy } from './strategy.ts';
import { checkCounts, checkParts, checkRunningTemplate, checkSelector, warnOfPodNames } from './workload-checks.ts';

type Faults = readonly FieldError[];

export const replicaSetStrategy: Strategy<ReplicaSet> = {
  resource: ReplicaSets,
  hasGeneration: true,
  hasStatus: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'subdomain',
  applyDefaults: (set) => ({
    ...set,
    spec: { ...set.spec, replicas: set.spec.replicas ?? 1, template: defaultPodTemplate(set.spec.template) },
  }),
  validate: checkSet,
  validateUpdate: (set, before) => [
    ...checkSet(set),
    ...checkImmutable('spec.selector', set.spec.selector, before.spec.selector),
  ],
  validateStatusUpdate: checkStatus,
  warnings: (set, before) => [
    ...(before === undefined ? warnOfPodNames(set.metadata.name) : []),
    ...(keepsGeneration(set, before) ? [] : warnOfPodTemplate(set.spec.template, 'spec.template')),
  ],
};

function checkSet(set: ReplicaSet): Faults {
  return [
    ...checkNonNegative('spec.replicas', set.spec.replicas),
    ...checkNonNegative('spec.minReadySeconds', set.spec.minReadySeconds),
    ...checkSelector(set.spec.selector, 'deployment'),
    ...checkRunningTemplate(set.spec),
  ];
}

function checkStatus({ status }: ReplicaSet): Faults {
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration } = status;
  return [
    ...checkCounts({ replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration }, 'status'),
    ...checkParts(
      { fullyLabeledReplicas, readyReplicas, availableReplicas },
      replicas,
      'cannot be greater than status.replicas',
    ),
    ...checkParts({ availableReplicas }, readyReplicas, 'cannot be greater than readyReplicas'),
  ];
}
