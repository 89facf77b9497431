// Names and amounts of resources in containers, pods and quotas.
// kubernetes:pkg/apis/core/validation/validation.go (validateResourceRequirements), pkg/apis/core/helper/helpers.go
import { type FieldError, forbidden, invalid, notFound, required } from '../../kube/field-error.ts';
import { faultsOfQualifiedName } from '../../kube/names.ts';
import { bytesOf, compareQuantities } from '../../kube/quantity.ts';
import type { ResourceRequirements } from '../../kube/resources/container.ts';
import { checkNonNegativeQuantity, checkQualifiedName, checkWholeQuantity } from './field-checks.ts';

type Faults = readonly FieldError[];

const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_COMPUTE = [
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
  'requests.storage',
];
const STANDARD = new Set([...QUOTA_COMPUTE, ...COUNTED, 'storage']);
const STANDARD_IN_QUOTA = new Set([...QUOTA_COMPUTE, ...COUNTED]);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-');
/** Without a domain, or in one of Kubernetes' own. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const isExtended = (name: string): boolean =>
  !isNative(name) && !name.startsWith('requests.') && faultsOfQualifiedName(`requests.${name}`).length === 0;

export const checkResourceAmount = (name: string, amount: string, path: string): Faults => [
  ...checkNonNegativeQuantity(path, amount),
  ...(COUNTED.includes(name) || isExtended(name) ? checkWholeQuantity(path, amount) : []),
];

function checkResourceName(name: string, path: string): Faults {
  const faults = checkQualifiedName(path, name);
  if (faults.length > 0 || name.includes('/') || STANDARD.has(name) || isQuotaHugePages(name)) return faults;
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

export function checkQuotaResourceName(name: string, path: string): Faults {
  const faults = checkResourceName(name, path);
  const isKnown = name.includes('/') || STANDARD_IN_QUOTA.has(name) || isQuotaHugePages(name);
  return isKnown ? faults : [...faults, invalid(path, name, 'must be a standard resource for quota')];
}

export function checkContainerResourceName(name: string, path: string): Faults {
  const faults = checkResourceName(name, path);
  if (!name.includes('/')) {
    return COMPUTE.includes(name) || isHugePages(name)
      ? faults
      : [...faults, invalid(path, name, 'must be a standard resource for containers')];
  }
  return isNative(name) || isExtended(name)
    ? faults
    : [...faults, invalid(path, name, "doesn't follow extended resource name standard")];
}

export interface RequirementRules {
  /** Names that `claims` may use; every name is known to nobody when absent. */
  readonly claimNames?: ReadonlySet<string>;
}

export function checkRequirements(
  requirements: ResourceRequirements,
  path: string,
  rules: RequirementRules = {},
): Faults {
  const { limits = {}, requests = {}, claims = [] } = requirements;
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const needsCompute = names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory');
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => checkAmount(name, amount, `${path}.limits[${name}]`)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...checkAmount(name, amount, `${path}.requests[${name}]`),
      ...checkRequest(name, amount, limits[name], path),
    ]),
    ...(needsCompute ? [forbidden(path, 'HugePages require cpu or memory')] : []),
    ...claims.flatMap((claim, index) =>
      rules.claimNames?.has(claim.name) === true ? [] : [notFound(`${path}.claims[${index}]`, claim.name)],
    ),
  ];
}

function checkAmount(name: string, amount: string, path: string): Faults {
  const pageBytes = isHugePages(name) ? pageBytesOf(name) : undefined;
  const isDivisible = pageBytes === undefined || (pageBytes > 0 && bytesOf(amount) % pageBytes === 0);
  return [
    ...checkContainerResourceName(name, path),
    ...checkResourceAmount(name, amount, path),
    ...(isDivisible ? [] : [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)]),
  ];
}

function pageBytesOf(name: string): number {
  try {
    return bytesOf(name.slice('hugepages-'.length));
  } catch {
    return 0;
  }
}

/** Requests stay within limits; what cannot be overcommitted is asked for exactly. */
function checkRequest(name: string, amount: string, limit: string | undefined, path: string): Faults {
  const isOvercommittable = isNative(name) && !isHugePages(name);
  if (limit === undefined) {
    return isOvercommittable ? [] : [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(amount, limit);
  if (!isOvercommittable && order !== 0) {
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}
