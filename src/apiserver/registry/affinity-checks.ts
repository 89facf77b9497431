// Where a pod may and would rather run. kubernetes:pkg/apis/core/validation/validation.go (validateAffinity,
// ValidateTolerations, validateTopologySpreadConstraints)
import { type FieldError, duplicate, invalid, notSupported, required } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { faultsOfLabelValue, faultsOfSubdomain } from '../../kube/names.ts';
import type { Toleration } from '../../kube/resources/node-selector.ts';
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../kube/resources/pod-spec.ts';
import { checkLabel, checkOneOf, checkQualifiedName } from './field-checks.ts';
import { checkAddress } from './internet-address.ts';
import { checkLabelKeys } from './pod-label-keys.ts';
import { checkNodeSelector, checkNodeSelectorTerm } from './selector-checks.ts';

type Faults = readonly FieldError[];

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const WEIGHT_RANGE = 'must be in the range 1-100';
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
const UNSATISFIABLE_ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'] as const;
const INCLUSION_POLICIES = ['Honor', 'Ignore'] as const;

export function checkAffinity(affinity: Affinity, path: string): Faults {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity === undefined ? [] : checkNodeAffinity(nodeAffinity, `${path}.nodeAffinity`)),
    ...(podAffinity === undefined ? [] : checkPodAffinity(podAffinity, `${path}.podAffinity`)),
    ...(podAntiAffinity === undefined ? [] : checkPodAffinity(podAntiAffinity, `${path}.podAntiAffinity`)),
  ];
}

function checkNodeAffinity(affinity: NodeAffinity, path: string): Faults {
  const selector = affinity[REQUIRED];
  return [
    ...(selector === undefined ? [] : checkNodeSelector(selector, `${path}.${REQUIRED}`)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, preference }, index) => {
      const at = `${path}.${PREFERRED}[${index}]`;
      return [...checkWeight(weight, at), ...checkNodeSelectorTerm(preference, `${at}.preference`)];
    }),
  ];
}

const checkWeight = (weight: number, path: string): Faults =>
  weight > 0 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, WEIGHT_RANGE)];

function checkPodAffinity(affinity: PodAffinity, path: string): Faults {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, index) => checkTerm(term, `${path}.${REQUIRED}[${index}]`)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, index) => {
      const at = `${path}.${PREFERRED}[${index}]`;
      return [...checkWeight(weight, at), ...checkTerm(podAffinityTerm, `${at}.podAffinityTerm`)];
    }),
  ];
}

function checkTerm(term: PodAffinityTerm, path: string): Faults {
  const { labelSelector, namespaceSelector, topologyKey } = term;
  return [
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...(term.namespaces ?? []).flatMap((name) => checkLabel(`${path}.namespace`, name)),
    ...checkLabelKeys(term, path),
    ...(topologyKey === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...checkQualifiedName(`${path}.topologyKey`, topologyKey),
  ];
}

export function checkTolerations(tolerations: readonly Toleration[], path: string): Faults {
  return tolerations.flatMap((toleration, index) => checkToleration(toleration, `${path}[${index}]`));
}

const KEYLESS = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

function checkToleration(toleration: Toleration, path: string): Faults {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  return [
    ...(key === '' ? [] : checkQualifiedName(`${path}.key`, key)),
    ...(key === '' && operator !== 'Exists' ? [invalid(`${path}.operator`, operator, KEYLESS)] : []),
    ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...checkOperator(operator, toleration.value ?? '', `${path}.operator`),
    ...(effect === '' ? [] : checkOneOf(`${path}.effect`, effect, TAINT_EFFECTS)),
  ];
}

function checkOperator(operator: string, value: string, path: string): Faults {
  if (operator === 'Exists') {
    return value === '' ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
  }
  // Numbers are compared behind a gate that is off.
  if (operator === 'Lt' || operator === 'Gt') return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
  if (operator !== '' && operator !== 'Equal') return checkOneOf(path, operator, ['Equal', 'Exists']);
  const faults = faultsOfLabelValue(value);
  return faults.length === 0 ? [] : [invalid(path, value, faults.join(';'))];
}

export function checkSpread(constraints: readonly TopologySpreadConstraint[], path: string): Faults {
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable: action, labelSelector, minDomains } = constraint;
    const isRepeated = constraints
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === action);
    return [
      ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
      ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
      ...checkOneOf(`${at}.whenUnsatisfiable`, action, UNSATISFIABLE_ACTIONS),
      ...(isRepeated ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`)] : []),
      ...checkMinDomains(minDomains, action, `${at}.minDomains`),
      ...checkInclusion(constraint.nodeAffinityPolicy, `${at}.nodeAffinityPolicy`),
      ...checkInclusion(constraint.nodeTaintsPolicy, `${at}.nodeTaintsPolicy`),
      ...checkLabelKeys(constraint, at),
      ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
    ];
  });
}

const checkInclusion = (policy: string | undefined, path: string): Faults =>
  policy === undefined ? [] : checkOneOf(path, policy, INCLUSION_POLICIES);

function checkMinDomains(minDomains: number | undefined, action: string, path: string): Faults {
  if (minDomains === undefined) return [];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(minDomains > 0 ? [] : [invalid(path, minDomains, 'must be greater than zero')]),
    ...(action === 'DoNotSchedule' ? [] : [invalid(path, minDomains, detail)]),
  ];
}

export const checkHostAliases = (
  aliases: readonly { readonly ip: string; readonly hostnames?: readonly string[] }[],
  path: string,
): Faults =>
  aliases.flatMap(({ ip, hostnames = [] }, index) => [
    ...checkAddress(`${path}[${index}].ip`, ip),
    ...hostnames.flatMap((name, nameIndex) =>
      faultsOfSubdomain(name).map((fault) => invalid(`${path}[${index}].hostnames[${nameIndex}]`, name, fault)),
    ),
  ]);
