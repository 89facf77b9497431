// Who asks. A proof that is wrong is refused; no proof at all makes the caller anonymous, which only opens what is open to all.
import { forbidden, unauthorized } from '../../kube/api-error.ts';
import type { Authorizer, User } from '../authorization.ts';
import type { HttpRequest } from './http-exchange.ts';

const MASTERS = 'system:masters';
const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Answers undefined where the request carries no proof of its kind. Throws Unauthorized for a wrong one. */
export type Authenticator = (request: Pick<HttpRequest, 'header' | 'certificate'>) => User | undefined;

/** The certificate's common name is the user, its organizations are the groups. */
export const byCertificate: Authenticator = ({ certificate }) => {
  if (certificate === undefined) return undefined;
  if (!certificate.isTrusted) throw unauthorized();
  return { name: certificate.commonName, groups: [...certificate.organizations, AUTHENTICATED] };
};

const IMPERSONATION = ['impersonate-user', 'impersonate-group', 'impersonate-uid'];

/** The first who knows the caller decides. A bearer token that nobody knows is a wrong proof. */
export function authenticate(authenticators: readonly Authenticator[], request: HttpRequest): User {
  // Who asks to be taken for someone else must never be answered as themselves.
  if (IMPERSONATION.some((header) => request.header(header) !== ''))
    throw forbidden(undefined, '', 'impersonation is not served');
  for (const each of authenticators) {
    const user = each(request);
    if (user !== undefined) return user;
  }
  if (/^bearer /i.test(request.header('authorization'))) throw unauthorized();
  return ANONYMOUS;
}

/** Until there are roles: members of system:masters may do everything, others nothing. */
export const mastersOnly: Authorizer = {
  decide: ({ groups }) => ({ allowed: groups.includes(MASTERS) }),
};

/** Open to everyone, as `system:public-info-viewer` is upstream. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'version']);

/** Whether a path that is no resource may be asked for. Throws Forbidden. */
export function requirePath({ name, groups }: User, method: string, path: string): void {
  const [first = ''] = path.split('/').filter((word) => word !== '');
  if (groups.includes(MASTERS) || OPEN_PATHS.has(first)) return;
  throw forbidden(
    undefined,
    '',
    `User ${JSON.stringify(name)} cannot ${method.toLowerCase()} path ${JSON.stringify(path)}`,
  );
}
