// Nobody may grant what they do not hold: who writes a role must hold its rules or may `escalate`, who writes a binding must
// hold the rules of its role or may `bind` it. kubernetes:pkg/registry/rbac/{escalation_check,*/policybased/storage}.go
import { forbidden, notFound, unclassified } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import type { Authorizer, User } from '../authorization.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import { compactRules, quotedList, ruleText, uncoveredRules } from './policy-rule.ts';
import { MASTER_RULES, type RbacAuthorizer, isMaster } from './rbac-authorizer.ts';
import { type ClusterRole, ClusterRoles, type PolicyRule } from '../../kube/resources/cluster-role.ts';
import {
  type Binding,
  ClusterRoleBindings,
  RBAC_GROUP,
  type Role,
  RoleBindings,
  type RoleRef,
  Roles,
} from './rbac-objects.ts';
import type { RoleIndex } from './role-index.ts';

export interface EscalationServices {
  /** All authorizers together: who may bind or escalate is asked of the same as everything else. */
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly index: RoleIndex;
}

const ROLE_KINDS = [ClusterRoles, Roles];
const NEEDS_ADMIN = 'must have cluster-admin privileges to use the aggregationRule';

export function roleEscalation(services: EscalationServices): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    admit(request) {
      const { resource, object, before, operation } = request;
      if (resource.group !== RBAC_GROUP || operation === 'DELETE' || object === undefined) return undefined;
      const asker = { name: request.user, groups: request.groups };
      if (isMaster(asker) || (before !== undefined && changesOnlyOwners(object, before))) return undefined;
      switch (resource.plural) {
        case Roles.plural:
        case ClusterRoles.plural:
          requireHeldRole(services, asker, request, object);
          return undefined;
        case RoleBindings.plural:
        case ClusterRoleBindings.plural:
          requireHeldBinding(services, asker, request, object as Binding);
          return undefined;
        default:
          return undefined;
      }
    },
  };
}

function requireHeldRole(services: EscalationServices, asker: User, request: AdmissionRequest, role: Role): void {
  const { resource, namespace, name, before, operation } = request;
  const mayEscalate = services.authorizer.decide(asker, {
    verb: 'escalate',
    resource,
    subresource: undefined,
    namespace,
    // The path of a creation names nobody.
    name: operation === 'CREATE' ? '' : name,
  });
  if (mayEscalate.allowed) return;
  requireHeld(services, asker, request, role.rules ?? []);
  const isAggregated = hasAggregation(role) || (before !== undefined && hasAggregation(before));
  if (!isAggregated) return;
  if (missing(services, asker, undefined, MASTER_RULES).length > 0) throw forbidden(resource, name, NEEDS_ADMIN);
}

const hasAggregation = (role: KubeObject): boolean =>
  ((role as ClusterRole).aggregationRule?.clusterRoleSelectors ?? []).length > 0;

function requireHeldBinding(
  services: EscalationServices,
  asker: User,
  request: AdmissionRequest,
  { roleRef }: Binding,
): void {
  const { namespace } = request;
  if (mayBind(services, asker, roleRef, namespace)) return;
  const rules = services.index.rulesOf(roleRef, namespace ?? '');
  if ('fault' in rules) {
    // A role that is not there is told as if the binding were: upstream asks for it under the binding's path.
    const isKnownKind = ROLE_KINDS.some(({ kind }) => kind === roleRef.kind);
    throw isKnownKind ? notFound(request.resource, roleRef.name) : unclassified(rules.fault);
  }
  requireHeld(services, asker, request, rules);
}

function mayBind(
  { authorizer }: EscalationServices,
  asker: User,
  roleRef: RoleRef,
  namespace: string | undefined,
): boolean {
  const kind = ROLE_KINDS.find((each) => each.kind === roleRef.kind);
  if (kind === undefined) return false;
  const resource = { group: roleRef.apiGroup, plural: kind.plural };
  return authorizer.decide(asker, { verb: 'bind', resource, subresource: undefined, namespace, name: roleRef.name })
    .allowed;
}

function requireHeld(
  services: EscalationServices,
  asker: User,
  { resource, name, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
): void {
  const lacking = missing(services, asker, namespace, wanted);
  if (lacking.length === 0) return;
  const told = [...new Set(compactRules(lacking).map(ruleText))].toSorted();
  const { fault } = services.rbac.rulesFor(asker, namespace);
  const beyond = fault === undefined ? '' : `; resolution errors: [${fault}]`;
  throw forbidden(
    resource,
    name,
    `user ${goQuote(asker.name)} (groups=${quotedList(asker.groups)}) is attempting to grant RBAC permissions not currently held:\n${told.join('\n')}${beyond}`,
  );
}

const missing = (
  { rbac }: EscalationServices,
  asker: User,
  namespace: string | undefined,
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] => uncoveredRules(rbac.rulesFor(asker, namespace).rules, wanted);

/** What a garbage collector does to an object: that grants nothing. */
function changesOnlyOwners(object: KubeObject, before: KubeObject): boolean {
  const { ownerReferences, finalizers, managedFields } = before.metadata;
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields };
  return sameValue(
    { ...object, metadata },
    { ...before, metadata: { ...before.metadata, ownerReferences, finalizers, managedFields } },
  );
}
