// Taking someone else's place, by the Impersonate headers. Each part of the wanted user is a right of its own. Besides the old
// way, one right for each part, there are constrained ways, which also ask whether the request itself may be made in someone's
// name; they are tried first, and what the first of them says is the refusal.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/filters/impersonation
import { badRequest, isApiError } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import { faultsOfSubdomain } from '../../kube/names.ts';
import {
  ANONYMOUS_NAME,
  AUTHENTICATED,
  type AnyAccess,
  type Authorizer,
  MASTERS,
  UNAUTHENTICATED,
  type User,
  authorize,
  refused,
} from '../authorization.ts';
import { accountGroups, accountOfUser } from '../serviceaccount/account-user.ts';
import type { HttpRequest } from './http-exchange.ts';

const GROUP = 'authentication.k8s.io';
const EXTRA_PREFIX = 'impersonate-extra-';
const NODE_PREFIX = 'system:node:';
/** Where the node of a token's pod is told. kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go */
const NODE_OF_TOKEN = 'authentication.kubernetes.io/node-name';
/** From so many on it pays to ask for all at once. */
const MANY = 4;
/** Users whose last way is remembered. */
const REMEMBERED_MAX = 1024;

/** The user that the headers ask for, as they say it; undefined where nobody is asked for. */
export function wantedUser(request: Pick<HttpRequest, 'header' | 'headers'>): User | undefined {
  const [name, uid] = [request.header('impersonate-user'), request.header('impersonate-uid')];
  const groups = request.headers.filter(([header]) => header === 'impersonate-group').map(([, value]) => value);
  const extra: Record<string, string[]> = {};
  for (const [header, value] of request.headers) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    const key = unescaped(header.slice(EXTRA_PREFIX.length));
    (extra[key] ??= []).push(value);
  }
  const isAnythingElse = uid !== '' || groups.length > 0 || Object.keys(extra).length > 0;
  if (name === '' && isAnythingElse)
    throw badRequest(`requested ${goUser({ name, uid, groups, extra })} without impersonating a user name`);
  if (name === '') return undefined;
  return { name, groups, ...(uid === '' ? {} : { uid }), ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

/** As Go prints a user with all its fields. */
function goUser({ name, uid = '', groups, extra = {} }: User): string {
  const list = (words: readonly string[]): string => `[]string{${words.map(goQuote).join(', ')}}`;
  const pairs = Object.entries(extra).map(([key, values]) => `${goQuote(key)}:${list(values)}`);
  const named = groups.length === 0 ? '[]string(nil)' : list(groups);
  const told = pairs.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${pairs.join(', ')}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${named}, Extra:${told}}`;
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

interface Way {
  readonly mode: 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';
  fits(wanted: User, requestor: User): boolean;
}

const WAYS: readonly Way[] = [
  {
    mode: 'associated-node',
    fits: (wanted, requestor) => {
      const node = onlyNamed(wanted) ? nodeOf(wanted.name) : undefined;
      const [of, ...others] = requestor.extra?.[NODE_OF_TOKEN] ?? [];
      return node !== undefined && accountOfUser(requestor.name) !== undefined && of === node && others.length === 0;
    },
  },
  { mode: 'arbitrary-node', fits: (wanted) => onlyNamed(wanted) && nodeOf(wanted.name) !== undefined },
  { mode: 'serviceaccount', fits: (wanted) => onlyNamed(wanted) && accountOfUser(wanted.name) !== undefined },
  {
    mode: 'user-info',
    fits: ({ name }) => nodeOf(name) === undefined && accountOfUser(name) === undefined,
  },
  { mode: 'legacy', fits: () => true },
];

const onlyNamed = ({ uid, groups, extra }: User): boolean =>
  uid === undefined && groups.length === 0 && extra === undefined;

function nodeOf(name: string): string | undefined {
  const node = name.slice(NODE_PREFIX.length);
  return name.startsWith(NODE_PREFIX) && faultsOfSubdomain(node).length === 0 ? node : undefined;
}

export class Impersonation {
  readonly #authorizer: Authorizer;
  /** The way that last worked for a user is tried first. The oldest are forgotten. */
  readonly #lastWay = new Map<string, Way>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** The user to be taken for. Throws Forbidden. */
  become(wanted: User, requestor: User, access: AnyAccess): User {
    const last = this.#lastWay.get(requestor.name);
    const ways = last === undefined ? WAYS : [last, ...WAYS.filter((way) => way !== last)];
    let first: unknown;
    for (const way of ways) {
      if (!way.fits(wanted, requestor)) continue;
      try {
        const user = this.#become(way, wanted, requestor, access);
        this.#remember(requestor.name, way);
        return user;
      } catch (error) {
        if (!isApiError(error, 'Forbidden')) throw error;
        first ??= error;
      }
    }
    throw first;
  }

  #become(way: Way, wanted: User, requestor: User, access: AnyAccess): User {
    const isConstrained = way.mode !== 'legacy';
    if (isConstrained)
      authorize(this.#authorizer, requestor, { ...access, verb: `impersonate-on:${way.mode}:${access.verb}` });
    const check = new PartsCheck(this.#authorizer, requestor, way);
    const groups = check.name(wanted);
    if (wanted.uid !== undefined) check.part(GROUP, 'uids', wanted.uid);
    check.groups(wanted.groups);
    check.extra(wanted.extra ?? {});
    return { ...wanted, groups: withEveryone(wanted.name, groups) };
  }

  #remember(name: string, way: Way): void {
    this.#lastWay.delete(name);
    this.#lastWay.set(name, way);
    const [oldest] = this.#lastWay.keys();
    if (this.#lastWay.size > REMEMBERED_MAX && oldest !== undefined) this.#lastWay.delete(oldest);
  }
}

/** Asks for the rights to each part of a wanted user, in one way. */
class PartsCheck {
  readonly #authorizer: Authorizer;
  readonly #requestor: User;
  readonly #way: Way;
  readonly #isConstrained: boolean;

  constructor(authorizer: Authorizer, requestor: User, way: Way) {
    this.#authorizer = authorizer;
    this.#requestor = requestor;
    this.#way = way;
    this.#isConstrained = way.mode !== 'legacy';
  }

  /** Answers the groups that the user is of. */
  name({ name, groups }: User): readonly string[] {
    const node = this.#isConstrained ? nodeOf(name) : undefined;
    if (node !== undefined) {
      this.part(this.#group, 'nodes', this.#way.mode === 'associated-node' ? '*' : node);
      return ['system:nodes'];
    }
    const account = accountOfUser(name);
    if (account === undefined) {
      this.part(this.#group, 'users', name);
      return groups;
    }
    this.#require({ ...this.#access(this.#group, 'serviceaccounts', account.name), namespace: account.namespace });
    return groups.length === 0 ? accountGroups(account.namespace) : groups;
  }

  groups(groups: readonly string[]): void {
    if (this.#isConstrained && groups.includes(''))
      this.#refuse('groups', '', 'impersonating the empty string group is not allowed');
    if (this.#isConstrained && groups.includes(MASTERS))
      this.#refuse('groups', MASTERS, 'impersonating the system:masters group is not allowed');
    if (this.#isConstrained && groups.length >= MANY && this.#may(this.#access(this.#group, 'groups', '*'))) return;
    for (const group of groups) this.part(this.#group, 'groups', group);
  }

  extra(extra: Readonly<Record<string, readonly string[]>>): void {
    const values = Object.entries(extra).flatMap(([key, each]) => each.map((value) => [key, value] as const));
    if (this.#isConstrained) for (const [key, value] of values) this.#requireProper(key, value);
    const all = { ...this.#access(GROUP, 'userextras', '*'), subresource: '*' };
    if (this.#isConstrained && values.length >= MANY && this.#may(all)) return;
    for (const [key, value] of values) this.#require({ ...this.#access(GROUP, 'userextras', value), subresource: key });
  }

  part(group: string, plural: string, name: string): void {
    this.#require(this.#access(group, plural, name));
  }

  #requireProper(key: string, value: string): void {
    if (key === '') this.#refuse('userextras', '', 'impersonating the empty string key in extra is not allowed');
    if (key !== key.toLowerCase())
      this.#refuse(
        'userextras',
        '',
        `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`,
      );
    if (value === '') this.#refuse('userextras', '', 'impersonating the empty string value in extra is not allowed');
  }

  get #group(): string {
    return this.#isConstrained ? GROUP : '';
  }

  #access(group: string, plural: string, name: string): Extract<AnyAccess, { readonly name: string }> {
    const verb = this.#isConstrained ? `impersonate:${this.#way.mode}` : 'impersonate';
    return { verb, resource: { group, plural }, subresource: undefined, namespace: undefined, name };
  }

  #may(access: AnyAccess): boolean {
    return this.#authorizer.decide(this.#requestor, access).allowed;
  }

  #require(access: AnyAccess): void {
    authorize(this.#authorizer, this.#requestor, access);
  }

  #refuse(plural: string, name: string, because: string): never {
    throw refused(this.#requestor, this.#access(this.#group === '' ? '' : GROUP, plural, name), because);
  }
}

/** Everyone is of the known or of the unknown. */
function withEveryone(name: string, groups: readonly string[]): readonly string[] {
  if (name === ANONYMOUS_NAME) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return groups.includes(UNAUTHENTICATED) || groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
