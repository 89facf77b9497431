// Who asks. A proof that is wrong is refused, unless another proof is right; no proof at all makes the caller anonymous, which
// only opens what is open to all. kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/request
import { isApiError, unauthorized } from '../../kube/api-error.ts';
import {
  ANONYMOUS_NAME,
  AUTHENTICATED,
  type Authorizer,
  MASTERS,
  UNAUTHENTICATED,
  type User,
} from '../authorization.ts';
import { InvalidToken } from '../serviceaccount/token-claims.ts';
import type { TokenAuthenticator } from '../serviceaccount/token-issuer.ts';
import type { HttpRequest } from './http-exchange.ts';

const ANONYMOUS: User = { name: ANONYMOUS_NAME, groups: [UNAUTHENTICATED] };
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Answers undefined where the request carries no proof of its kind. Throws Unauthorized for a wrong one. */
export type Authenticator = (request: Pick<HttpRequest, 'header' | 'certificate'>) => User | undefined;

/** The certificate's common name is the user, its organizations are the groups. Without a name it says nothing. */
export const byCertificate: Authenticator = ({ certificate }) => {
  if (certificate === undefined) return undefined;
  if (!certificate.isTrusted) throw unauthorized();
  const { commonName, organizations, fingerprint } = certificate;
  if (commonName === '') return undefined;
  return {
    name: commonName,
    groups: withAuthenticated(organizations),
    ...(fingerprint === undefined ? {} : { extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] } }),
  };
};

const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];

/** A bearer token that one of these knows. */
export function byToken(known: readonly TokenAuthenticator[]): Authenticator {
  return (request) => {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    for (const each of known) {
      const found = answerOf(each, token);
      if (found !== undefined) return found;
    }
    throw unauthorized();
  };
}

function answerOf(authenticator: TokenAuthenticator, token: string): User | undefined {
  try {
    return authenticator.authenticate(token, undefined)?.user;
  } catch (error) {
    if (error instanceof InvalidToken) return undefined;
    throw error;
  }
}

function bearerToken(request: Pick<HttpRequest, 'header'>): string | undefined {
  const [scheme = '', token = ''] = request.header('authorization').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** The first who knows the caller decides. A bearer token that nobody knows is a wrong proof. */
export function authenticate(
  authenticators: readonly Authenticator[],
  request: Pick<HttpRequest, 'header' | 'certificate'>,
): User {
  let isWrong = bearerToken(request) !== undefined;
  for (const each of authenticators) {
    try {
      const user = each(request);
      if (user !== undefined) return user;
    } catch (error) {
      if (!isApiError(error, 'Unauthorized')) throw error;
      isWrong = true;
    }
  }
  if (isWrong) throw unauthorized();
  return ANONYMOUS;
}

/** Open to everyone, as `system:public-info-viewer` is. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Without roles: members of system:masters may do everything, others only look whether the server is well. */
export const mastersOnly: Authorizer = {
  decide: ({ groups }, access) => ({
    allowed: groups.includes(MASTERS) || ('path' in access && access.verb === 'get' && OPEN_PATHS.has(access.path)),
  }),
};
