// kubernetes:pkg/registry/apps/deployment/strategy.go, pkg/apis/apps/{v1/defaults.go,validation/validation.go}
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { type Deployment, type DeploymentStrategy, Deployments } from '../../kube/resources/deployment.ts';
import { checkImmutable, checkNonNegative } from './field-checks.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { keepsGeneration, warnOfPodTemplate } from './pod-warnings.ts';
import type { Strategy } from './strategy.ts';
import {
  checkAtMostAll,
  checkCounts,
  checkIntOrPercent,
  checkParts,
  checkRunningTemplate,
  checkSelector,
  intOrPercent,
  warnOfPodNames,
} from './workload-checks.ts';

type Faults = readonly FieldError[];

export const deploymentStrategy: Strategy<Deployment> = {
  resource: Deployments,
  hasGeneration: true,
  countsAnnotations: true,
  hasStatus: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'subdomain',
  applyDefaults: (deployment) => ({
    ...deployment,
    spec: {
      ...deployment.spec,
      replicas: deployment.spec.replicas ?? 1,
      template: defaultPodTemplate(deployment.spec.template),
      strategy: defaultRollout(deployment.spec.strategy),
      revisionHistoryLimit: deployment.spec.revisionHistoryLimit ?? 10,
      progressDeadlineSeconds: deployment.spec.progressDeadlineSeconds ?? 600,
    },
  }),
  prepareForStatusUpdate: (deployment, before) => ({ ...deployment, metadata: labelledAs(deployment, before) }),
  validate: checkDeployment,
  validateUpdate: (deployment, before) => [
    ...checkDeployment(deployment),
    ...checkImmutable('spec.selector', deployment.spec.selector, before.spec.selector),
  ],
  validateStatusUpdate: checkStatus,
  warnings: (deployment, before) => [
    ...(before === undefined ? warnOfPodNames(deployment.metadata.name) : []),
    ...(keepsGeneration(deployment, before) ? [] : warnOfPodTemplate(deployment.spec.template, 'spec.template')),
  ],
};

/** A write of the status leaves the labels as they are. */
function labelledAs({ metadata }: Deployment, before: Deployment): Deployment['metadata'] {
  const { labels: _sent, ...others } = metadata;
  const { labels } = before.metadata;
  return labels === undefined ? others : { ...others, labels };
}

function defaultRollout(strategy: DeploymentStrategy): DeploymentStrategy {
  const type = strategy.type ?? 'RollingUpdate';
  if (type !== 'RollingUpdate') return strategy;
  return { ...strategy, type, rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...strategy.rollingUpdate } };
}

function checkDeployment(deployment: Deployment): Faults {
  const { spec } = deployment;
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  return [
    ...checkNonNegative('spec.replicas', spec.replicas),
    ...checkSelector(spec.selector, 'deployment'),
    ...checkRunningTemplate(spec),
    ...checkRollout(spec.strategy, 'spec.strategy'),
    ...checkNonNegative('spec.minReadySeconds', minReadySeconds),
    ...checkNonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...checkNonNegative('spec.progressDeadlineSeconds', deadline),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function checkRollout(strategy: DeploymentStrategy, path: string): Faults {
  const { type = '', rollingUpdate } = strategy;
  const at = `${path}.rollingUpdate`;
  if (type === 'Recreate') {
    return rollingUpdate === undefined
      ? []
      : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') return [notSupported(path, printed(strategy), ['Recreate', 'RollingUpdate'])];
  if (rollingUpdate === undefined) return [required(at, 'this should be defaulted and never be nil')];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const isStuck = intOrPercent(maxUnavailable) === 0 && intOrPercent(maxSurge) === 0;
  return [
    ...checkIntOrPercent(maxUnavailable, `${at}.maxUnavailable`),
    ...checkIntOrPercent(maxSurge, `${at}.maxSurge`),
    ...(isStuck ? [invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...checkAtMostAll(maxUnavailable, `${at}.maxUnavailable`),
  ];
}

const printed = ({ type, rollingUpdate }: DeploymentStrategy): unknown => ({
  Type: type ?? '',
  RollingUpdate:
    rollingUpdate === undefined
      ? null
      : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 },
});

function checkStatus({ status }: Deployment, before: Deployment): Faults {
  const { observedGeneration, replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas } =
    status;
  const { collisionCount } = status;
  const isDecremented = (collisionCount ?? 0) < (before.status.collisionCount ?? 0);
  return [
    ...checkCounts(
      {
        observedGeneration,
        replicas,
        updatedReplicas,
        readyReplicas,
        availableReplicas,
        unavailableReplicas,
        collisionCount,
      },
      'status',
    ),
    ...checkParts(
      { updatedReplicas, readyReplicas, availableReplicas },
      replicas,
      'cannot be greater than status.replicas',
    ),
    ...checkParts({ availableReplicas }, readyReplicas, 'cannot be greater than readyReplicas'),
    ...(isDecremented ? [invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented')] : []),
  ];
}
