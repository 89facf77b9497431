import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { AdmissionReader } from '../admission/admission.ts';
import type { TokenClaims } from './token-claims.ts';
import { TokenIssuer, type TokenSigner } from './token-issuer.ts';

const NOW = Date.UTC(2026, 0, 5, 8);
const ISSUER = 'https://kubernetes.default.svc';

/** Signs by its word alone: what is tested here is not the signature. */
const signer: TokenSigner = {
  sign: (claims) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.ours`,
  verify: (token) => {
    const [, payload = '', signature] = token.split('.');
    if (signature !== 'ours') return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
  },
};

type Objects = Readonly<Record<string, object>>;
const ALL: Objects = {
  'serviceaccounts ns/sa': { metadata: { name: 'sa', uid: '1' } },
  'pods ns/p': { metadata: { name: 'p', uid: '2' } },
};
const readerOf = (objects: Objects): AdmissionReader => ({
  get: <T extends KubeObject>({ plural }: Resource<T>, key: string) => objects[`${plural} ${key}`] as T | undefined,
  all: () => [],
});
const issuer = (objects: Objects = ALL, at = NOW): TokenIssuer =>
  new TokenIssuer({ signer, issuer: ISSUER, reader: readerOf(objects), now: () => at });

const second = NOW / SECOND_MS;
const claims: Omit<TokenClaims, 'iss'> = {
  sub: 'system:serviceaccount:ns:sa',
  aud: [ISSUER],
  jti: 'j',
  iat: second,
  nbf: second,
  exp: second + 3600,
  'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'sa', uid: '1' }, pod: { name: 'p', uid: '2' } },
};
const token = issuer().issue(claims);

describe('TokenIssuer', () => {
  it('a token of ours -> its account, its groups and what it is bound to', () => {
    expect(issuer().authenticate(token, undefined)?.user).toEqual({
      name: 'system:serviceaccount:ns:sa',
      uid: '1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': ['JTI=j'],
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['2'],
      },
    });
  });

  it.each(['rubbish', 'a.b.c', ''])('%s -> not for us to judge', (text) => {
    expect(issuer().authenticate(text, undefined)).toBeUndefined();
  });

  it.each<[string, () => unknown]>([
    ['another signature', () => issuer().authenticate(token.replace(/ours$/, 'theirs'), undefined)],
    ['another audience', () => issuer().authenticate(token, ['vault'])],
    ['an hour and more later', () => issuer(ALL, NOW + HOUR_MS + 2 * MINUTE_MS).authenticate(token, undefined)],
    ['long before it was issued', () => issuer(ALL, NOW - HOUR_MS).authenticate(token, undefined)],
    ['its pod is gone', () => issuer({ ...ALL, 'pods ns/p': undefined } as never).authenticate(token, undefined)],
    [
      'its pod is another of the same name',
      () => issuer({ ...ALL, 'pods ns/p': { metadata: { name: 'p', uid: '3' } } }).authenticate(token, undefined),
    ],
    [
      'its account is another of the same name',
      () =>
        issuer({ ...ALL, 'serviceaccounts ns/sa': { metadata: { name: 'sa', uid: '9' } } }).authenticate(
          token,
          undefined,
        ),
    ],
    [
      'its account was deleted a while ago',
      () => {
        const metadata = { name: 'sa', uid: '1', deletionTimestamp: new Date(NOW - 2 * MINUTE_MS).toISOString() };
        return issuer({ ...ALL, 'serviceaccounts ns/sa': { metadata } }).authenticate(token, undefined);
      },
    ],
  ])('P-SA-2 %s -> refused', (_situation, ask) => {
    expect(ask).toThrow(/service account|does not match|invalid/);
  });

  it('P-SA-3 a token in a secret -> holds while the secret holds it', () => {
    const of = 'kubernetes.io/serviceaccount/';
    const legacy = signer.sign({
      iss: 'kubernetes/serviceaccount',
      [`${of}namespace`]: 'ns',
      [`${of}secret.name`]: 's',
      [`${of}service-account.name`]: 'sa',
      [`${of}service-account.uid`]: '1',
    });
    const secret = (text: string): object => ({
      metadata: { name: 's' },
      data: { token: Buffer.from(text).toString('base64') },
    });
    const kept = issuer({ ...ALL, 'secrets ns/s': secret(legacy) });
    expect(kept.authenticate(legacy, undefined)?.user.name).toBe('system:serviceaccount:ns:sa');
    expect(() => issuer({ ...ALL, 'secrets ns/s': secret('other') }).authenticate(legacy, undefined)).toThrow('copy');
    expect(() => issuer().authenticate(legacy, undefined)).toThrow('invalidated');
  });
});
