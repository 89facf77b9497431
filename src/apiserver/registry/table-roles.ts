// Roles and bindings: what is filled in, and what is wrong with them.
// kubernetes:pkg/apis/rbac/{v1/defaults,validation/validation}.go, pkg/registry/rbac/*/strategy.go
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { faultsOfName } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { ClusterRole, PolicyRule } from '../../kube/resources/cluster-role.ts';
import { type Binding, RBAC_GROUP, type Role, type RoleRef, type Subject } from '../rbac/rbac-objects.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Rules = Partial<Pick<Strategy, 'applyDefaults' | 'validate' | 'validateUpdate'>>;

export const ROLE_RULES: Rules = {
  applyDefaults: withRules,
  validate: (role) => ruleFaults(role, { isNamespaced: true }),
};

export const CLUSTER_ROLE_RULES: Rules = {
  applyDefaults: withRules,
  validate: (role) => [...ruleFaults(role, { isNamespaced: false }), ...aggregationFaults(role)],
};

export const ROLE_BINDING_RULES = bindingRules(['Role', 'ClusterRole'], { isNamespaced: true });
export const CLUSTER_ROLE_BINDING_RULES = bindingRules(['ClusterRole'], { isNamespaced: false });

interface Scope {
  readonly isNamespaced: boolean;
}

/** A role always shows its rules, none as null. */
function withRules(object: KubeObject): KubeObject {
  const { rules } = object as Role;
  return { ...object, rules: rules === undefined || rules === null || rules.length === 0 ? null : rules } as KubeObject;
}

function ruleFaults({ rules }: Role, scope: Scope): readonly FieldError[] {
  return (rules ?? []).flatMap((rule, index) => faultsOfRule(rule, `rules[${index}]`, scope));
}

function faultsOfRule(rule: PolicyRule, path: string, { isNamespaced }: Scope): readonly FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const faults: FieldError[] = [];
  if ((verbs ?? []).length === 0) faults.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const wrong = (why: string): FieldError => invalid(`${path}.nonResourceURLs`, nonResourceURLs, why);
    if (isNamespaced) faults.push(wrong('namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      faults.push(wrong('rules cannot apply to both regular resources and non-resource URLs'));
    return faults;
  }
  if (apiGroups.length === 0)
    faults.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    faults.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return faults;
}

function aggregationFaults({ aggregationRule }: ClusterRole): readonly FieldError[] {
  if (aggregationRule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const faults = validateLabelSelector(selector, `${path}[${index}]`);
    return faults.length === 0 ? [] : [...faults, invalid(`${path}[${index}]`, undefined, 'invalid label selector.')];
  });
}

function bindingRules(kinds: readonly string[], scope: Scope): Rules {
  const validate = (object: KubeObject): readonly FieldError[] => {
    const { roleRef, subjects = [] } = object as Binding;
    return [
      ...roleRefFaults(roleRef, kinds),
      ...subjects.flatMap((subject, index) => subjectFaults(subject, `subjects[${index}]`, scope)),
    ];
  };
  return {
    applyDefaults: withGroups,
    validate,
    validateUpdate: (object, before) => {
      const [{ roleRef }, { roleRef: known }] = [object as unknown as Binding, before as unknown as Binding];
      return [
        ...validate(object),
        ...(sameValue(roleRef, known) ? [] : [invalid('roleRef', shown(roleRef), 'cannot change roleRef')]),
      ];
    },
  };
}

/** As Go prints it. */
const shown = ({ apiGroup, kind, name }: RoleRef): object => ({ APIGroup: apiGroup, Kind: kind, Name: name });

/** Users and groups are of the group of roles, accounts of none. */
function withGroups(object: KubeObject): KubeObject {
  const { roleRef, subjects } = object as Binding;
  const isOfRoles = ({ kind }: Subject): boolean => kind === 'User' || kind === 'Group';
  const withGroup = (subject: Subject): Subject =>
    (subject.apiGroup ?? '') === '' && isOfRoles(subject) ? { ...subject, apiGroup: RBAC_GROUP } : subject;
  const named = (roleRef?.apiGroup ?? '') === '' ? { ...roleRef, apiGroup: RBAC_GROUP } : roleRef;
  return {
    ...object,
    roleRef: named,
    ...(subjects === undefined ? {} : { subjects: subjects.map(withGroup) }),
  } as KubeObject;
}

function roleRefFaults({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): readonly FieldError[] {
  return [
    ...(apiGroup === RBAC_GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [RBAC_GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : []),
    ...(name === '' ? [] : faultsOfName('path-segment', name).map((why) => invalid('roleRef.name', name, why))),
  ];
}

function subjectFaults(
  { kind, name, namespace = '', apiGroup = '' }: Subject,
  path: string,
  { isNamespaced }: Scope,
): readonly FieldError[] {
  const unnamed = name === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...unnamed,
        ...(name === '' ? [] : faultsOfName('subdomain', name).map((why) => invalid(`${path}.name`, name, why))),
        ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
        ...(isNamespaced || namespace !== '' ? [] : [required(`${path}.namespace`)]),
      ];
    case 'User':
    case 'Group':
      return [
        ...unnamed,
        ...(apiGroup === RBAC_GROUP ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP])]),
      ];
    default:
      return [...unnamed, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
