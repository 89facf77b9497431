// Who may do what. Every access passes here, in process as over HTTP: an actor is a user, not a key to the store.
import { forbidden } from '../kube/api-error.ts';
import type { ResourceName } from '../kube/object.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface Access {
  readonly verb: Verb;
  readonly resource: ResourceName;
  readonly subresource: string | undefined;
  /** undefined for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string | undefined;
  /** Empty for collections. */
  readonly name: string;
}

export interface Authorizer {
  /** Why not, in a sentence, or undefined when there is nothing to say. */
  decide(user: User, access: Access): { readonly allowed: boolean; readonly because?: string };
}

export const alwaysAllow: Authorizer = { decide: () => ({ allowed: true }) };

/** Throws Forbidden as upstream words it. kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go */
export function authorize(authorizer: Authorizer, user: User, access: Access): void {
  const decision = authorizer.decide(user, access);
  if (decision.allowed) return;
  const { group, plural } = access.resource;
  const path = access.subresource === undefined ? plural : `${plural}/${access.subresource}`;
  const where = access.namespace === undefined ? 'at the cluster scope' : `in the namespace "${access.namespace}"`;
  const why = decision.because === undefined || decision.because === '' ? '' : `: ${decision.because}`;
  const message = `User "${user.name}" cannot ${access.verb} resource "${path}" in API group "${group}" ${where}${why}`;
  throw forbidden({ group, plural }, access.name, message);
}
