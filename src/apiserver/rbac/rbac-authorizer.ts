// Role-based access as upstream evaluates it: rules only ever add, so the first that allows decides.
// kubernetes:plugin/pkg/auth/authorizer/rbac/rbac.go
import { goQuote } from '../../kube/go-text.ts';
import { type AccessDecision, type AnyAccess, type Authorizer, MASTERS, type User } from '../authorization.ts';
import { ruleAllows } from './policy-rule.ts';
import type { PolicyRule } from '../../kube/resources/cluster-role.ts';
import type { Subject } from './rbac-objects.ts';
import type { Grant, RoleIndex } from './role-index.ts';

export interface RulesOfUser {
  readonly rules: readonly PolicyRule[];
  /** What kept some rules from being found, in one sentence. */
  readonly fault: string | undefined;
}

export class RbacAuthorizer implements Authorizer {
  readonly #index: RoleIndex;

  constructor(index: RoleIndex) {
    this.#index = index;
  }

  decide(user: User, access: AnyAccess): AccessDecision {
    const faults: string[] = [];
    for (const granted of this.#index.rulesFor(user, 'path' in access ? undefined : access.namespace)) {
      if ('fault' in granted) faults.push(granted.fault);
      else if (granted.rules.some((rule) => ruleAllows(rule, access)))
        return { allowed: true, because: `RBAC: allowed by ${grantText(granted.grant)}` };
    }
    return faults.length === 0 ? { allowed: false } : { allowed: false, because: `RBAC: ${aggregate(faults)}` };
  }

  /** All rules that apply to a user. */
  rulesFor(user: User, namespace: string | undefined): RulesOfUser {
    const faults: string[] = [];
    const rules: PolicyRule[] = [];
    for (const granted of this.#index.rulesFor(user, namespace)) {
      if ('fault' in granted) faults.push(granted.fault);
      else rules.push(...granted.rules);
    }
    return { rules, fault: faults.length === 0 ? undefined : aggregate(faults) };
  }
}

/** What members of system:masters may do, as rules. */
export const MASTER_RULES: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const isMaster = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes(MASTERS);

function aggregate(faults: readonly string[]): string {
  const told = [...new Set(faults)];
  return told.length === 1 ? told.join('') : `[${told.join(', ')}]`;
}

function grantText({ binding, subject }: Grant): string {
  const { kind, metadata, roleRef } = binding;
  const { namespace, name } = metadata;
  const named = namespace === undefined ? name : `${name}/${namespace}`;
  const to = subjectText(subject, namespace ?? '');
  return `${kind} ${goQuote(named)} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${to}`;
}

function subjectText({ kind, name, namespace = '' }: Subject, bindingNamespace: string): string {
  if (kind !== 'ServiceAccount') return `${kind} ${goQuote(name)}`;
  return `${kind} ${goQuote(`${name}/${namespace === '' ? bindingNamespace : namespace}`)}`;
}
