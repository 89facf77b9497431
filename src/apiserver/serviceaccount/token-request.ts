// POST serviceaccounts/NAME/token: a token for the account, for some audiences, for some time, bound to an object or not.
// kubernetes:pkg/registry/core/serviceaccount/storage/token.go
import { type Clock, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { badRequest, conflict, invalid as invalidObject, notFound } from '../../kube/api-error.ts';
import { invalid } from '../../kube/field-error.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import type { AdmissionReader } from '../admission/admission.ts';
import { type PostedKind, type PostedObject, builtInKind } from '../posted-kind.ts';
import { accountUserName } from './account-user.ts';
import type { TokenClaims } from './token-claims.ts';
import type { TokenIssuer } from './token-issuer.ts';

const GROUP = 'authentication.k8s.io';
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** kubernetes:pkg/apis/authentication/v1/defaults.go */
const SECONDS_DEFAULT = 3600;
/** Tokens that the server itself puts into pods may be used this long, with a note in the audit. kubernetes:pkg/serviceaccount/claims.go */
const WARN_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface TokenRequest extends KubeObject {
  readonly spec: {
    readonly audiences?: readonly string[] | null;
    readonly expirationSeconds?: number | null;
    readonly boundObjectRef?: BoundObjectReference | null;
  };
}

const TokenRequests: Resource<TokenRequest> = {
  group: GROUP,
  version: 'v1',
  plural: 'tokenrequests',
  kind: 'TokenRequest',
  namespaced: true,
};

export interface TokenRequestServices {
  readonly issuer: TokenIssuer;
  readonly reader: AdmissionReader;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a token is bound to. */
type Bound = Pick<TokenClaims['kubernetes.io'], 'pod' | 'secret' | 'node'>;

export function tokenRequests(services: TokenRequestServices): PostedKind {
  return {
    resource: builtInKind(TokenRequests),
    below: { resource: ServiceAccounts, subresource: 'token' },
    answer: (posted) => answer(services, posted as PostedObject & { readonly object: TokenRequest }),
  };
}

function answer(
  services: TokenRequestServices,
  { object, namespace = '', name }: PostedObject & { readonly object: TokenRequest },
): KubeObject {
  const { issuer, reader, clock } = services;
  const { metadata } = object;
  if (isGiven(metadata.name) && metadata.name !== name)
    throw wrong(name, invalid('metadata.name', metadata.name, 'must match the service account name if specified'));
  const account = reader.get(ServiceAccounts, keyFrom(namespace, name));
  if (account === undefined) throw notFound(ServiceAccounts, name);
  const { uid } = account.metadata;
  if (isGiven(metadata.uid) && metadata.uid !== uid)
    throw conflict(
      { group: GROUP, plural: TokenRequests.kind },
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const given = object.spec.audiences ?? [];
  const audiences = given.length === 0 ? issuer.audiences : given;
  const expirationSeconds = object.spec.expirationSeconds ?? SECONDS_DEFAULT;
  requireLength(expirationSeconds);
  const bound = boundTo(reader, object.spec.boundObjectRef ?? undefined, { namespace, account: name });
  const now = clock.now();
  const claims = claimsFor({ audiences, expirationSeconds, bound, issuer, now }, services.random);
  const token = issuer.issue({
    ...claims,
    sub: accountUserName(namespace, name),
    'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...claims['kubernetes.io'] },
  });
  return {
    kind: TokenRequests.kind,
    apiVersion: `${GROUP}/v1`,
    metadata: { ...metadata, name, namespace, uid, creationTimestamp: timestamp(now) },
    spec: { audiences, expirationSeconds, boundObjectRef: object.spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(now + expirationSeconds * SECOND_MS) },
  } as unknown as KubeObject;
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

const wrong = (name: string, ...faults: Parameters<typeof invalidObject>[2]): Error =>
  invalidObject({ group: GROUP, kind: TokenRequests.kind }, name, faults);

function requireLength(seconds: number): void {
  const field = 'spec.expirationSeconds';
  if (seconds < SECONDS_MIN)
    throw wrong('', invalid(field, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > SECONDS_MAX)
    throw wrong('', invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
}

function boundTo(
  reader: AdmissionReader,
  reference: BoundObjectReference | undefined,
  { namespace, account }: { readonly namespace: string; readonly account: string },
): Bound {
  if (reference === undefined) return {};
  const { kind = '', apiVersion = '', name = '' } = reference;
  const key = keyFrom(namespace, name);
  switch (`${apiVersion} ${kind}`) {
    case 'v1 Pod': {
      const pod = found(reader, Pods, key, reference);
      if (pod.spec.serviceAccountName !== account)
        throw badRequest(
          `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
        );
      requireUid(pod, reference);
      return { pod: { name, uid: pod.metadata.uid }, ...nodeOf(reader, pod) };
    }
    case 'v1 Secret':
      return { secret: { name, uid: requireUid(found(reader, Secrets, key, reference), reference) } };
    case 'v1 Node':
      return { node: { name, uid: requireUid(found(reader, Nodes, name, reference), reference) } };
    default:
      throw badRequest(`cannot bind token to object of type ${groupVersion(apiVersion)}, Kind=${kind}`);
  }
}

const groupVersion = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

function found<T extends KubeObject>(
  reader: AdmissionReader,
  resource: Resource<T>,
  key: string,
  { name = '' }: BoundObjectReference,
): T {
  const object = reader.get(resource, key);
  if (object === undefined) throw notFound(resource, name);
  return object;
}

function requireUid({ kind, metadata }: KubeObject, { uid = '' }: BoundObjectReference): string {
  if (uid === '' || uid === metadata.uid) return metadata.uid;
  throw conflict(
    { group: '', plural: kind },
    metadata.name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}

/** A token of a pod tells its node too, by name alone where the node is not there. */
function nodeOf(reader: AdmissionReader, { spec: { nodeName } }: Pod): Bound {
  if (nodeName === undefined || nodeName === '') return {};
  const uid = reader.get(Nodes, nodeName)?.metadata.uid;
  return { node: { name: nodeName, ...(uid === undefined ? {} : { uid }) } };
}

interface Wanted {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound: Bound;
  readonly issuer: TokenIssuer;
  readonly now: number;
}

function claimsFor(
  { audiences, expirationSeconds, bound, issuer, now }: Wanted,
  random: Random,
): Omit<TokenClaims, 'iss' | 'sub' | 'kubernetes.io'> & {
  readonly 'kubernetes.io': Bound & { readonly warnafter?: number };
} {
  const second = Math.floor(now / SECOND_MS);
  const isOurs = audiences.every((audience) => issuer.audiences.includes(audience));
  const isExtended = bound.pod !== undefined && expirationSeconds === WARN_SECONDS && isOurs;
  return {
    aud: audiences,
    jti: random.uid(),
    iat: second,
    nbf: second,
    exp: second + (isExtended ? EXTENDED_SECONDS : expirationSeconds),
    'kubernetes.io': { ...bound, ...(isExtended ? { warnafter: second + expirationSeconds } : {}) },
  };
}
