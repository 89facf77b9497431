// "Who am I?", "what may I do?" and "whose token is this?": SelfSubjectReview, SelfSubjectRulesReview, TokenReview.
// kubernetes:pkg/registry/{authentication,authorization}
import { type Clock, timestamp } from '../../base/clock.ts';
import { badRequest } from '../../kube/api-error.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { User } from '../authorization.ts';
import { type PostedKind, builtInKind } from '../posted-kind.ts';
import type { RulesOfUser } from '../rbac/rbac-authorizer.ts';
import type { PolicyRule } from '../../kube/resources/cluster-role.ts';
import { InvalidToken } from '../serviceaccount/token-claims.ts';
import type { KnownToken, TokenAuthenticator } from '../serviceaccount/token-issuer.ts';
import { AUTHORIZATION_GROUP } from './access-review.ts';

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const UNKNOWN_TOKEN = 'invalid bearer token';

/** Rules that apply to a user, and whether there may be more. */
export interface UserRules extends RulesOfUser {
  readonly isIncomplete: boolean;
}

export interface IdentityReviewServices {
  readonly clock: Clock;
  readonly tokens: TokenAuthenticator;
  readonly audiences: readonly string[];
  readonly rulesFor: (user: User, namespace: string) => UserRules;
}

const kind = (group: string, plural: string, name: string): Resource<KubeObject> => {
  const resource = { group, version: 'v1', plural, kind: name, namespaced: false };
  return builtInKind(resource);
};

export function identityReviews(services: IdentityReviewServices): readonly PostedKind[] {
  const { clock, rulesFor } = services;
  const selves = kind(AUTHENTICATION_GROUP, 'selfsubjectreviews', 'SelfSubjectReview');
  const rules = kind(AUTHORIZATION_GROUP, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview');
  const tokens = kind(AUTHENTICATION_GROUP, 'tokenreviews', 'TokenReview');
  return [
    {
      resource: selves,
      answer: (_posted, { user }) =>
        made(selves, { metadata: { creationTimestamp: timestamp(clock.now()) }, status: { userInfo: userInfo(user) } }),
    },
    {
      resource: rules,
      answer: ({ object }, { user }) => {
        const { namespace = '' } = (object as { readonly spec?: { readonly namespace?: string } }).spec ?? {};
        if (namespace === '') throw badRequest('no namespace on request');
        return made(rules, { metadata: {}, spec: {}, status: rulesStatus(rulesFor(user, namespace)) });
      },
    },
    {
      resource: tokens,
      answer: ({ object }) => {
        const { spec = {} } = object as { readonly spec?: TokenReviewSpec };
        return made(tokens, { metadata: object.metadata, spec, status: tokenStatus(services, spec) });
      },
    },
  ];
}

const made = (resource: Resource<KubeObject>, parts: object): KubeObject =>
  ({ kind: resource.kind, apiVersion: apiVersionOf(resource), ...parts }) as unknown as KubeObject;

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

function rulesStatus({ rules, fault, isIncomplete }: UserRules): object {
  const resourceRules = rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule);
  const nonResourceRules = rules
    .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  return {
    resourceRules,
    nonResourceRules,
    incomplete: isIncomplete,
    ...(fault === undefined ? {} : { evaluationError: fault }),
  };
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object => ({
  verbs,
  ...(apiGroups === undefined ? {} : { apiGroups }),
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

interface TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

function tokenStatus(
  { tokens, audiences }: IdentityReviewServices,
  { token = '', audiences: asked = [] }: TokenReviewSpec,
): object {
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  try {
    const known = tokens.authenticate(token, asked.length === 0 ? undefined : asked);
    return known === undefined ? unknown(UNKNOWN_TOKEN) : knownStatus(known, asked.length === 0 ? audiences : asked);
  } catch (error) {
    if (!(error instanceof InvalidToken)) throw error;
    return unknown(`[${UNKNOWN_TOKEN}, ${error.message}]`);
  }
}

const unknown = (error: string): object => ({ user: {}, error });

const knownStatus = ({ user, audiences }: KnownToken, asked: readonly string[]): object => ({
  authenticated: true,
  user: userInfo(user),
  audiences: audiences.filter((audience) => asked.includes(audience)),
});
