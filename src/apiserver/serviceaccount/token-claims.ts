// What a service account's token says, and whether it still holds: the account, and what the token is bound to, must be there
// with the uids they had. kubernetes:pkg/serviceaccount/{claims,legacy}.go
import { type InstantMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type Secret, Secrets } from '../../kube/resources/secret.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import type { AdmissionReader } from '../admission/admission.ts';
import { AUTHENTICATED, type User } from '../authorization.ts';
import { accountGroups, accountUserName } from './account-user.ts';

/** Of tokens that the controller manager puts into secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';
/** Clocks may differ by this much. */
const LEEWAY_MS = MINUTE_MS;
const EXTRA_PREFIX = 'authentication.kubernetes.io/';

export interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** The payload of a token. Times are seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly jti?: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: Reference;
    readonly pod?: Reference;
    readonly secret?: Reference;
    /** Without a uid where the pod's node is not there. */
    readonly node?: { readonly name: string; readonly uid?: string };
    readonly warnafter?: number;
  };
}

/** A token that is signed and does not hold. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken';
}

const INVALIDATED = 'service account token has been invalidated';

/** The user that a token is for, if all that it says still holds. Throws InvalidToken. */
export function userOfClaims(claims: TokenClaims, reader: AdmissionReader, now: InstantMs): User {
  requireTime(claims, now);
  const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io'];
  const alive = { reader, now };
  requireAlive(alive, ServiceAccounts, keyFrom(namespace, serviceaccount.name), {
    uid: serviceaccount.uid,
    what: 'service account',
  });
  if (secret !== undefined)
    requireAlive(alive, Secrets, keyFrom(namespace, secret.name), { uid: secret.uid, what: 'secret' });
  if (pod !== undefined) requireAlive(alive, Pods, keyFrom(namespace, pod.name), { uid: pod.uid, what: 'pod' });
  if (node !== undefined && pod === undefined)
    requireAlive(alive, Nodes, node.name, { uid: node.uid ?? '', what: 'node' });
  return accountUser(namespace, serviceaccount, extraOf(claims));
}

function accountUser(
  namespace: string,
  { name, uid }: Reference,
  extra: Readonly<Record<string, readonly string[]>>,
): User {
  return {
    name: accountUserName(namespace, name),
    uid,
    groups: [...accountGroups(namespace), AUTHENTICATED],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function extraOf({ jti, 'kubernetes.io': { pod, node } }: TokenClaims): Readonly<Record<string, readonly string[]>> {
  const told = {
    ...(jti === undefined ? {} : { 'credential-id': credentialId(jti) }),
    ...(node === undefined
      ? {}
      : { 'node-name': node.name, ...(node.uid === undefined ? {} : { 'node-uid': node.uid }) }),
    ...(pod === undefined ? {} : { 'pod-name': pod.name, 'pod-uid': pod.uid }),
  };
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [`${EXTRA_PREFIX}${key}`, [value]]));
}

const credentialId = (jti: string): string => `JTI=${jti}`;

function requireTime({ exp, nbf, iat }: TokenClaims, now: InstantMs): void {
  if (now > exp * SECOND_MS + LEEWAY_MS) throw new InvalidToken('service account token has expired');
  if (now < nbf * SECOND_MS - LEEWAY_MS) throw new InvalidToken('service account token is not valid yet');
  if (now < iat * SECOND_MS - LEEWAY_MS) throw new InvalidToken('service account token is issued in the future');
}

interface Alive {
  readonly reader: AdmissionReader;
  readonly now: InstantMs;
}

/** There, the same as then, and not deleted for long. */
function requireAlive(
  { reader, now }: Alive,
  resource: Resource<KubeObject>,
  key: string,
  { uid, what }: { readonly uid: string; readonly what: string },
): void {
  const found = reader.get(resource, key);
  if (found === undefined)
    throw new InvalidToken(what === 'service account' ? `serviceaccounts not found: ${key}` : INVALIDATED);
  if (found.metadata.uid !== uid)
    throw new InvalidToken(`${what} UID (${found.metadata.uid}) does not match claim (${uid})`);
  const { deletionTimestamp } = found.metadata;
  if (deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - LEEWAY_MS)
    throw new InvalidToken(INVALIDATED);
}

/** A token of a secret lives as long as the secret holds it. Throws InvalidToken. */
export function userOfLegacyClaims(
  claims: Readonly<Record<string, unknown>>,
  token: string,
  reader: AdmissionReader,
): User {
  const claim = (name: string): string => {
    const value = claims[`kubernetes.io/serviceaccount/${name}`];
    return typeof value === 'string' ? value : '';
  };
  const [namespace, name, uid] = [claim('namespace'), claim('service-account.name'), claim('service-account.uid')];
  if (namespace === '' || name === '' || uid === '') throw new InvalidToken('claims are missing');
  const secret: Secret | undefined = reader.get(Secrets, keyFrom(namespace, claim('secret.name')));
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) throw new InvalidToken(INVALIDATED);
  const kept = secret.data?.['token'] ?? '';
  if (Buffer.from(kept, 'base64').toString('utf8') !== token)
    throw new InvalidToken("Token does not match server's copy");
  const account = reader.get(ServiceAccounts, keyFrom(namespace, name));
  if (account?.metadata.uid !== uid) throw new InvalidToken(INVALIDATED);
  return accountUser(namespace, { name, uid }, {});
}

/** The claims of a token of ours, whose signature holds; undefined where they are of another shape. */
export function claimsOf(payload: Readonly<Record<string, unknown>>): TokenClaims | undefined {
  const own = payload['kubernetes.io'];
  const isComplete =
    isJsonObject(own) &&
    isJsonObject(own['serviceaccount']) &&
    typeof own['namespace'] === 'string' &&
    Array.isArray(payload['aud']);
  return isComplete ? (payload as unknown as TokenClaims) : undefined;
}
