// kubernetes:pkg/registry/core/resourcequota/strategy.go, pkg/apis/core/validation/validation.go, pkg/apis/core/helper/helpers.go
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import {
  type ResourceQuota,
  type ResourceQuotaSpec,
  ResourceQuotas,
  type ScopedResourceSelectorRequirement,
} from '../../kube/resources/resource-quota.ts';
import { checkQuotaResourceName, checkResourceAmount } from './resource-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
/** The standard resources that each scope can be laid over. */
const RESOURCES_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  Terminating: ['pods', ...COMPUTE],
  NotTerminating: ['pods', ...COMPUTE],
  NotBestEffort: ['pods', ...COMPUTE],
  PriorityClass: ['pods', ...COMPUTE],
  CrossNamespacePodAffinity: ['pods', ...COMPUTE],
  BestEffort: ['pods'],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
const CONFLICTING = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const WITHOUT_VALUES = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  resource: ResourceQuotas,
  hasGeneration: false,
  hasStatus: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'subdomain',
  applyDefaults: (quota) => quota,
  validate: ({ spec }) => checkSpec(spec),
  validateUpdate: ({ spec }, before) => [
    ...checkSpec(spec),
    ...(sameValue(scopesOf(spec), scopesOf(before.spec))
      ? []
      : [invalid('spec.scopes', spec.scopes ?? null, 'field is immutable')]),
  ],
  validateStatusUpdate: ({ status }) => [
    ...checkAmounts(status.hard, 'status.hard'),
    ...checkAmounts(status.used, 'status.used'),
  ],
};

const scopesOf = (spec: ResourceQuotaSpec): readonly string[] => [...new Set(spec.scopes ?? [])].toSorted();

function checkSpec(spec: ResourceQuotaSpec): Faults {
  return [...checkAmounts(spec.hard, 'spec.hard'), ...checkScopes(spec), ...checkScopeSelector(spec)];
}

function checkAmounts(amounts: Readonly<Record<string, string>> | undefined, path: string): Faults {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => [
    ...checkQuotaResourceName(name, `${path}[${name}]`),
    ...checkResourceAmount(name, amount, `${path}[${name}]`),
  ]);
}

/** How many of the limited resources a scope cannot be laid over. Resources that no scope knows may go with any. */
function misfitsOf(scope: string, spec: ResourceQuotaSpec): readonly string[] {
  const fitting = RESOURCES_OF_SCOPE[scope];
  if (fitting === undefined) return [];
  const standard = new Set(['pods', ...COMPUTE, 'persistentvolumeclaims', 'requests.storage', ...OTHERS]);
  return Object.keys(spec.hard ?? {}).filter((name) => standard.has(name) && !fitting.includes(name));
}

/** Standard resources of a quota that belong to no scope. */
const OTHERS = [
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

function checkScopes(spec: ResourceQuotaSpec): Faults {
  const path = 'spec.scopes';
  const scopes = spec.scopes ?? [];
  return [
    ...scopes.flatMap((scope) => [
      ...(scope in RESOURCES_OF_SCOPE ? [] : [invalid(path, scopes, 'unsupported scope')]),
      ...misfitsOf(scope, spec).map(() => invalid(path, scopes, 'unsupported scope applied to resource')),
    ]),
    ...conflictsOf(scopes).map(() => invalid(path, scopes, 'conflicting scopes')),
  ];
}

const conflictsOf = (scopes: readonly string[]): readonly unknown[] =>
  CONFLICTING.filter((pair) => pair.every((scope) => scopes.includes(scope)));

function checkScopeSelector(spec: ResourceQuotaSpec): Faults {
  if (spec.scopeSelector === undefined) return [];
  const path = 'spec.scopeSelector.matchExpressions';
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  return [
    ...requirements.flatMap((requirement) => [
      ...(requirement.scopeName in RESOURCES_OF_SCOPE
        ? []
        : [invalid(`${path}.scopeName`, requirement.scopeName, 'unsupported scope')]),
      ...misfitsOf(requirement.scopeName, spec).map(() =>
        invalid(path, spec.scopeSelector, 'unsupported scope applied to resource'),
      ),
      ...checkRequirement(requirement, path),
    ]),
    ...conflictsOf(requirements.map(({ scopeName }) => scopeName)).map(() =>
      invalid(path, spec.scopes ?? null, 'conflicting scopes'),
    ),
  ];
}

const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function checkRequirement(requirement: ScopedResourceSelectorRequirement, path: string): Faults {
  const { scopeName, operator, values = [] } = requirement;
  const mustExist = WITHOUT_VALUES.includes(scopeName) && operator !== 'Exists';
  return [
    ...(mustExist ? [invalid(`${path}.operator`, operator, MUST_EXIST)] : []),
    ...checkOperator(operator, values, path),
  ];
}

function checkOperator(operator: string, values: readonly string[], path: string): Faults {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [
            required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            invalid(
              `${path}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
