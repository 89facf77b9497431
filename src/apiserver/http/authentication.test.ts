import { describe, expect, it } from 'vitest';
import { InvalidToken } from '../serviceaccount/token-claims.ts';
import type { TokenAuthenticator } from '../serviceaccount/token-issuer.ts';
import { authenticate, byCertificate, byToken, mastersOnly } from './authentication.ts';
import type { ClientCertificate } from './http-exchange.ts';

const request = (
  certificate: ClientCertificate | undefined,
  headers: Readonly<Record<string, string>> = {},
): Parameters<typeof authenticate>[1] => ({ header: (name) => headers[name] ?? '', certificate });
const jane = { commonName: 'jane', organizations: ['devs'], isTrusted: true };
const robot = { name: 'robot', groups: ['bots'] };
const tokens: TokenAuthenticator = {
  authenticate: (token) => {
    if (token === 'stale') throw new InvalidToken('expired');
    return token === 'good' ? { user: robot, audiences: [] } : undefined;
  },
};
const all = [byCertificate, byToken([tokens])];
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

describe('authenticate', () => {
  it('a certificate of our authority -> its names', () => {
    const user = authenticate(all, request({ ...jane, fingerprint: 'ab12' }));
    expect(user).toEqual({
      name: 'jane',
      groups: ['devs', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['X509SHA256=ab12'] },
    });
  });
  it('P-HTTP-5 a certificate of someone else -> Unauthorized', () => {
    expect(() => authenticate(all, request({ ...jane, isTrusted: false }))).toThrow('Unauthorized');
  });
  it('a certificate of someone else and a good token -> the token counts', () => {
    expect(authenticate(all, request({ ...jane, isTrusted: false }, bearer('good')))).toEqual(robot);
  });
  it.each(['rubbish', 'stale', 'a.b.c'])('P-HTTP-5 the token %s -> Unauthorized', (token) => {
    expect(() => authenticate(all, request(undefined, bearer(token)))).toThrow('Unauthorized');
  });
  it('P-HTTP-5 a token where nobody knows tokens -> Unauthorized', () => {
    expect(() => authenticate([byCertificate], request(undefined, bearer('good')))).toThrow('Unauthorized');
  });
  it.each([{}, { authorization: 'Bearer' }, { authorization: 'Basic YTpi' }])('%j -> anonymous', (headers) => {
    expect(authenticate(all, request(undefined, headers))).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
  });
  it('a certificate without a name -> anonymous', () => {
    expect(authenticate(all, request({ ...jane, commonName: '' })).name).toBe('system:anonymous');
  });
});

describe('mastersOnly', () => {
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  it.each(['/healthz', '/livez', '/readyz', '/version', '/version/'])('P-HTTP-5 %s -> open to all', (path) => {
    expect(mastersOnly.decide(anonymous, { verb: 'get', path }).allowed).toBe(true);
  });
  it.each(['/', '/api', '/apis/apps', '/metrics', '/openapi/v3', '/livez/ping'])('P-HTTP-5 %s -> not', (path) => {
    expect(mastersOnly.decide(anonymous, { verb: 'get', path }).allowed).toBe(false);
  });
  it('anything by a master -> fine', () => {
    const master = { name: 'a', groups: ['system:masters'] };
    expect(mastersOnly.decide(master, { verb: 'get', path: '/metrics' }).allowed).toBe(true);
  });
});
