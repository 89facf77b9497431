import { describe, expect, it } from 'vitest';
import { authenticate, byCertificate, requirePath } from './authentication.ts';
import type { ClientCertificate, HttpRequest } from './http-exchange.ts';

const request = (
  certificate: ClientCertificate | undefined,
  headers: Readonly<Record<string, string>> = {},
): HttpRequest => ({
  method: 'GET',
  path: '/',
  query: new URLSearchParams(),
  header: (name) => headers[name] ?? '',
  headers: Object.entries(headers),
  body: () => Promise.resolve(new Uint8Array()),
  certificate,
});
const jane = { commonName: 'jane', organizations: ['devs'], isTrusted: true };

describe('authenticate', () => {
  it('a certificate of our authority -> its names', () => {
    const user = authenticate([byCertificate], request(jane));
    expect(user).toEqual({ name: 'jane', groups: ['devs', 'system:authenticated'] });
  });
  it('P-HTTP-5 a certificate of someone else -> Unauthorized', () => {
    expect(() => authenticate([byCertificate], request({ ...jane, isTrusted: false }))).toThrow('Unauthorized');
  });
  it('P-HTTP-5 a token that nobody knows -> Unauthorized', () => {
    expect(() => authenticate([byCertificate], request(undefined, { authorization: 'Bearer rubbish' }))).toThrow(
      'Unauthorized',
    );
  });
  it('P-HTTP-5 a wish to be taken for someone else -> Forbidden, not answered as oneself', () => {
    const headers = { 'impersonate-user': 'joe' };
    expect(() => authenticate([byCertificate], request(jane, headers))).toThrow('impersonation is not served');
  });
  it('nothing -> anonymous', () => {
    expect(authenticate([byCertificate], request(undefined)).name).toBe('system:anonymous');
  });
});

describe('requirePath', () => {
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
  it.each(['/healthz', '/livez/ping', '/readyz', '/version', '/version/'])('P-HTTP-5 %s -> open to all', (path) => {
    expect(() => requirePath(anonymous, 'GET', path)).not.toThrow();
  });
  it.each(['/', '/api', '/apis/apps', '/metrics', '/openapi/v3'])('P-HTTP-5 %s by nobody -> Forbidden', (path) => {
    expect(() => requirePath(anonymous, 'GET', path)).toThrow(
      `forbidden: User "system:anonymous" cannot get path "${path}"`,
    );
  });
  it('anything by a master -> fine', () => {
    expect(() => requirePath({ name: 'a', groups: ['system:masters'] }, 'GET', '/metrics')).not.toThrow();
  });
});
