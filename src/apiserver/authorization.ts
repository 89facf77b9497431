// Who may do what. Every access passes here, in process as over HTTP: an actor is a user, not a key to the store.
import { forbidden } from '../kube/api-error.ts';
import { goQuote } from '../kube/go-text.ts';
import type { ResourceName } from '../kube/object.ts';

/** Whatever they may ask for, members are never refused. kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/user/user.go */
export const MASTERS = 'system:masters';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ANONYMOUS_NAME = 'system:anonymous';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Any verb on a resource: those of requests, and others that only rules know (`impersonate`, `bind`, `escalate`, `use`). */
export interface ResourceAccess {
  readonly verb: string;
  readonly resource: ResourceName;
  readonly subresource: string | undefined;
  /** undefined for cluster-scoped kinds and for lists over all namespaces. */
  readonly namespace: string | undefined;
  /** Empty for collections, unless a selector asks for one name only. */
  readonly name: string;
  /** Of a list, a watch or a deletion of many, as sent. */
  readonly fieldSelector?: string;
}

/** A path that is no resource. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

export type AnyAccess = ResourceAccess | PathAccess;

/** What a request does. */
export interface Access extends ResourceAccess {
  readonly verb: Verb;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** Why, or why not, in a sentence; undefined or empty when there is nothing to say. */
  readonly because?: string;
}

export interface Authorizer {
  decide(user: User, access: AnyAccess): AccessDecision;
}

export const alwaysAllow: Authorizer = { decide: () => ({ allowed: true }) };

/** kubernetes:staging/src/k8s.io/apiserver/pkg/authorization/authorizerfactory/builtin.go */
export const mastersMay: Authorizer = { decide: ({ groups }) => ({ allowed: groups.includes(MASTERS) }) };

/**
 * The first who allows decides; nobody can forbid what another allows. What those say who do not allow is put together.
 * kubernetes:staging/src/k8s.io/apiserver/pkg/authorization/union/union.go
 */
export function firstOf(authorizers: readonly Authorizer[]): Authorizer {
  return {
    decide(user, access) {
      const reasons: string[] = [];
      for (const each of authorizers) {
        const decision = each.decide(user, access);
        if (decision.allowed) return decision;
        if (decision.because !== undefined && decision.because !== '') reasons.push(decision.because);
      }
      return { allowed: false, because: reasons.join('\n') };
    },
  };
}

/** Throws Forbidden as upstream words it. kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go */
export function authorize(authorizer: Authorizer, user: User, access: AnyAccess): void {
  const { allowed, because = '' } = authorizer.decide(user, access);
  if (!allowed) throw refused(user, access, because);
}

/** Texts of clients are shown to people, who may read them in a browser. */
const sanitized = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The Forbidden for an access that is not allowed. */
export function refused(user: User, access: AnyAccess, because: string): Error {
  const why = because === '' ? '' : `: ${because}`;
  if ('path' in access) {
    const message = `User ${goQuote(user.name)} cannot ${access.verb} path ${goQuote(access.path)}`;
    return forbidden(undefined, '', `${sanitized(message)}${why}`);
  }
  const { group, plural } = access.resource;
  const path = access.subresource === undefined ? plural : `${plural}/${access.subresource}`;
  const isEverywhere = access.namespace === undefined || access.namespace === '';
  const where = isEverywhere ? 'at the cluster scope' : `in the namespace ${goQuote(access.namespace ?? '')}`;
  const message = `User ${goQuote(user.name)} cannot ${access.verb} resource ${goQuote(path)} in API group ${goQuote(group)} ${where}`;
  return forbidden({ group, plural }, access.name, `${sanitized(message)}${why}`);
}
