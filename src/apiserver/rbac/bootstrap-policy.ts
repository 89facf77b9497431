// The roles and bindings that every cluster has, and how those that are there already are brought up to date: what is missing
// is added, what was added by others stays, and what says it wants to be left alone is. Done at every start.
// kubernetes:pkg/registry/rbac/rest/storage_rbac.go, component-helpers:auth/rbac/reconciliation
import { type KubeObject, type ObjectKey, type Resource, apiVersionOf, keyFrom, splitKey } from '../../kube/object.ts';
import type { ExpectedObject, ExpectedStep } from '../expected-objects.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import {
  AGGREGATED_ROLES,
  AGGREGATES,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  ROLES,
  ROLE_BINDINGS,
} from './bootstrap-roles.ts';
import { CONTROLLER_ROLES } from './controller-roles.ts';
import { uncoveredRules } from './policy-rule.ts';
import { ruleOf, subjectOf } from './policy-text.ts';
import { type ClusterRole, ClusterRoles } from '../../kube/resources/cluster-role.ts';
import { type Binding, ClusterRoleBindings, RBAC_GROUP, RoleBindings, Roles } from './rbac-objects.ts';

const LABEL = 'kubernetes.io/bootstrapping';
const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** In the order in which upstream makes them. */
export function bootstrapPolicy(): readonly ExpectedObject[] {
  return [
    ...Object.entries(CLUSTER_ROLES).map(([name, rules]) => clusterRole(name, rules)),
    ...Object.entries(CONTROLLER_ROLES).map(([name, rules]) => clusterRole(controllerRole(name), rules)),
    ...Object.entries(CLUSTER_ROLE_BINDINGS).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
    ...Object.keys(CONTROLLER_ROLES).map((name) =>
      clusterRoleBinding(controllerRole(name), [`ServiceAccount kube-system/${name}`]),
    ),
    ...Object.entries(ROLES).map(([key, rules]) => policyObject(Roles, key, { rules: rules.map(ruleOf) })),
    ...Object.entries(ROLE_BINDINGS).map(([key, { role, subjects }]) =>
      policyObject(RoleBindings, key, {
        subjects: subjects.map(subjectOf),
        roleRef: { apiGroup: RBAC_GROUP, kind: Roles.kind, name: role },
      }),
    ),
  ];
}

const controllerRole = (name: string): string => `system:controller:${name}`;

export function clusterRole(name: string, rules: readonly string[]): ExpectedObject {
  if (!AGGREGATED_ROLES.has(name)) return policyObject(ClusterRoles, name, { rules: rules.map(ruleOf) });
  const clusterRoleSelectors = [{ matchLabels: { [aggregationLabel(name)]: 'true' } }];
  return policyObject(ClusterRoles, name, { aggregationRule: { clusterRoleSelectors }, rules: null });
}

/** Binds the cluster role of the same name. */
export const clusterRoleBinding = (name: string, subjects: readonly string[]): ExpectedObject =>
  policyObject(ClusterRoleBindings, name, {
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
    roleRef: { apiGroup: RBAC_GROUP, kind: ClusterRoles.kind, name },
  });

const aggregationLabel = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;

function policyObject(resource: Resource<KubeObject>, key: ObjectKey, fields: object): ExpectedObject {
  const { namespace, name } = splitKey(key);
  const gatheredBy = resource === ClusterRoles ? AGGREGATES[name] : undefined;
  const object = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [LABEL]: 'rbac-defaults',
        ...(gatheredBy === undefined ? {} : { [aggregationLabel(gatheredBy)]: 'true' }),
      },
      annotations: { [AUTO_UPDATE]: 'true' },
    },
    ...fields,
  } as unknown as KubeObject;
  return { resource, key: keyFrom(namespace, name), object };
}

/** What is to be done about one object, given what is stored. */
export function decidePolicyStep(expected: KubeObject, existing: KubeObject | undefined): ExpectedStep {
  if (existing === undefined) return { type: 'create', object: expected };
  if (existing.metadata.annotations?.[AUTO_UPDATE] === 'false') return { type: 'none' };
  const isBinding = 'roleRef' in expected;
  if (isBinding && !sameValue((expected as Binding).roleRef, (existing as Binding).roleRef))
    return { type: 'recreate', object: expected };
  const object = isBinding
    ? withSubjects(withMarks(expected, existing) as Binding, expected as Binding)
    : withRules(withMarks(expected, existing), expected);
  return sameValue(object, existing) ? { type: 'none' } : { type: 'update', object };
}

/** Labels and annotations of others stay as they are. */
function withMarks({ metadata: { labels, annotations } }: KubeObject, existing: KubeObject): KubeObject {
  const { metadata } = existing;
  return {
    ...existing,
    metadata: {
      ...metadata,
      labels: { ...labels, ...metadata.labels },
      annotations: { ...annotations, ...metadata.annotations },
    },
  };
}

function withRules(existing: ClusterRole, expected: ClusterRole): ClusterRole {
  const { aggregationRule } = expected;
  // The rules of an aggregated role are its controller's.
  if (aggregationRule !== undefined)
    return { ...existing, aggregationRule: existing.aggregationRule ?? aggregationRule };
  const missing = uncoveredRules(existing.rules ?? [], expected.rules ?? []);
  return missing.length === 0 ? existing : { ...existing, rules: [...(existing.rules ?? []), ...missing] };
}

function withSubjects(existing: Binding, expected: Binding): Binding {
  const present = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((subject) => !present.some((each) => sameValue(each, subject)));
  return missing.length === 0 ? existing : { ...existing, subjects: [...present, ...missing] };
}
