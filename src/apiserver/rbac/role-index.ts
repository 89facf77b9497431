// Bindings by whom they are for, kept from changes, so that a decision touches only the bindings of the user who asks.
// Holds what the store has told: a grant works from the moment watchers can see it.
import type { Disposable } from '../../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyFrom } from '../../kube/object.ts';
import type { User } from '../authorization.ts';
import type { Change } from '../objectstore/change-history.ts';
import { accountUserName } from '../serviceaccount/account-user.ts';
import { ClusterRoles, type PolicyRule } from '../../kube/resources/cluster-role.ts';
import { type Binding, ClusterRoleBindings, type Role, RoleBindings, Roles, type Subject } from './rbac-objects.ts';

/** What the index reads: the store, or anything that tells of changes as it does. */
export interface RoleSource {
  get(resource: Resource<KubeObject>, key: ObjectKey): KubeObject | undefined;
  all(resource: Resource<KubeObject>, namespace?: string): readonly KubeObject[];
  subscribe(resource: Resource<KubeObject>, listener: (change: Change) => void): Disposable;
}

/** One subject of one binding. */
export interface Grant {
  readonly binding: Binding;
  readonly subject: Subject;
}

/** The rules of a grant, or what is wrong with its role. */
export type GrantedRules = { readonly grant: Grant } & (
  | { readonly rules: readonly PolicyRule[] }
  | { readonly fault: string }
);

const NO_RULES: readonly PolicyRule[] = [];

export class RoleIndex {
  readonly #source: RoleSource;
  /** By namespace (empty for the cluster), then by subject as `User:name` or `Group:name`, then by the binding's name. */
  readonly #grants = new Map<string, Map<string, Map<string, Grant>>>();
  #isBuilt = false;

  constructor(source: RoleSource) {
    this.#source = source;
    for (const resource of [RoleBindings, ClusterRoleBindings]) {
      source.subscribe(resource, ({ before, after }) => {
        if (!this.#isBuilt) return;
        if (before !== undefined) this.#remove(before as Binding);
        if (after !== undefined) this.#add(after as Binding);
      });
    }
  }

  /** The rules that apply to a user: those of the cluster first, then those of the namespace, if one is named. */
  *rulesFor(user: User, namespace: string | undefined): Generator<GrantedRules> {
    this.#build();
    yield* this.#rulesIn('', user);
    if (namespace !== undefined && namespace !== '') yield* this.#rulesIn(namespace, user);
  }

  /** The rules of the role that a binding names. */
  rulesOf({ kind, name }: Binding['roleRef'], namespace: string): readonly PolicyRule[] | { readonly fault: string } {
    const isCluster = kind === 'ClusterRole';
    if (!isCluster && kind !== 'Role') return { fault: `unsupported role reference kind: ${JSON.stringify(kind)}` };
    const resource: Resource<KubeObject> = isCluster ? ClusterRoles : Roles;
    const role: Role | undefined = this.#source.get(resource, isCluster ? name : keyFrom(namespace, name));
    if (role !== undefined) return role.rules ?? NO_RULES;
    return {
      fault: `${isCluster ? 'clusterrole' : 'role'}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`,
    };
  }

  *#rulesIn(namespace: string, { name, groups }: User): Generator<GrantedRules> {
    const bySubject = this.#grants.get(namespace);
    if (bySubject === undefined) return;
    const seen = new Set<Binding>();
    for (const subject of [`User:${name}`, ...groups.map((group) => `Group:${group}`)]) {
      for (const grant of bySubject.get(subject)?.values() ?? []) {
        if (seen.has(grant.binding)) continue;
        seen.add(grant.binding);
        const rules = this.rulesOf(grant.binding.roleRef, namespace);
        yield 'fault' in rules ? { grant, fault: rules.fault } : { grant, rules };
      }
    }
  }

  /** Lazily: a store is filled from disk without a word to those who listen. */
  #build(): void {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    for (const resource of [ClusterRoleBindings, RoleBindings])
      for (const binding of this.#source.all(resource)) this.#add(binding as Binding);
  }

  #add(binding: Binding): void {
    const { namespace = '', name } = binding.metadata;
    const bySubject = this.#grants.get(namespace) ?? new Map<string, Map<string, Grant>>();
    this.#grants.set(namespace, bySubject);
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const grants = bySubject.get(key) ?? new Map<string, Grant>();
      bySubject.set(key, grants);
      grants.set(name, { binding, subject });
    }
  }

  #remove(binding: Binding): void {
    const { namespace = '', name } = binding.metadata;
    const bySubject = this.#grants.get(namespace);
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, namespace) ?? '';
      const grants = bySubject?.get(key);
      grants?.delete(name);
      if (grants?.size === 0) bySubject?.delete(key);
    }
    if (bySubject?.size === 0) this.#grants.delete(namespace);
  }
}

/** An account without a namespace is of the binding's own; in a binding of the cluster it is nobody. */
function subjectKey({ kind, name, namespace = '' }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return `${kind}:${name}`;
  const home = namespace === '' ? bindingNamespace : namespace;
  return kind === 'ServiceAccount' && home !== '' ? `User:${accountUserName(home, name)}` : undefined;
}
