// Who gets in, over real TLS: nobody without a proof, nobody with a wrong one, and everybody else only as far as they may.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';
import { generateKey, issueCertificate, keyPem } from '../../src/apiserver/http/certificates/certificate.ts';
import { KeyTokenSigner } from '../../src/apiserver/http/token-signer.ts';
import { HOUR_MS } from '../../src/base/clock.ts';
import { type Answer, StartedServer, builtProgram, identityIn } from './started-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-access-'));
const data = path.join(folder, 'data');
const auditLog = path.join(folder, 'audit.log');
const PODS = '/api/v1/namespaces/default/pods';
const SECRETS = '/api/v1/namespaces/default/secrets';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const json = { 'content-type': 'application/json' };
let server: StartedServer;

beforeAll(async () => {
  const words = ['--node-identity', 'n1', 'n2', '--audit-log-path', auditLog];
  server = await StartedServer.start(await builtProgram(folder), data, ...words);
}, 120_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Credential = { readonly cert?: Buffer | string; readonly key?: Buffer | string };
const identity = (name: string): Credential => identityIn(path.join(data, 'identities', `${name}.kubeconfig`));
const post = (target: string, body: object, as?: Credential): Promise<Answer> =>
  server.ask('POST', target, { headers: json, body: JSON.stringify(body), ...(as === undefined ? {} : { as }) });
const withToken = (method: string, target: string, token: string): Promise<Answer> =>
  server.ask(method, target, {
    as: {},
    headers: { ...json, authorization: `Bearer ${token}` },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });

/** The name that the server calls someone by. */
async function nameOf(as: Credential): Promise<unknown> {
  const { json: review } = await post(WHO, {}, as);
  return (review as { readonly status: { readonly userInfo: { readonly username: string } } }).status.userInfo.username;
}

async function tokenOf(account: string, spec: object = {}): Promise<string> {
  const { json: made } = await post(`/api/v1/namespaces/default/serviceaccounts/${account}/token`, { spec });
  return (made as { readonly status: { readonly token: string } }).status.token;
}

describe('without a right proof', () => {
  test('P-AUTH-1 no credential -> health and version, nothing else', async () => {
    const codes = await Promise.all(
      ['/livez', '/readyz', '/healthz', '/version', '/api', '/openapi/v3', '/metrics', PODS, '/openid/v1/jwks'].map(
        async (target) => (await server.ask('GET', target, { as: {} })).code,
      ),
    );
    expect(codes).toEqual([200, 200, 200, 200, 403, 403, 403, 403, 403]);
  });

  test('P-AUTH-1 a certificate of another authority -> 401', async () => {
    const other = new CertificateAuthority(newAuthority(Date.now()));
    const { certificate, key } = other.issue(
      { commonName: 'eve', organizations: ['system:masters'] },
      { type: 'client' },
      Date.now(),
    );
    expect((await server.ask('GET', '/version', { as: { cert: certificate, key } })).code).toBe(401);
  });

  test('P-AUTH-1 a certificate of ours that has run out -> 401', async () => {
    const key = generateKey();
    const validity = { from: Date.now() - 48 * HOUR_MS, lastsMs: HOUR_MS };
    const subject = { commonName: 'late', organizations: ['system:masters'] };
    const authorityKey = createPrivateKey(readFileSync(path.join(data, 'pki', 'ca.key'), 'utf8'));
    const cert = issueCertificate(
      { subject, publicKey: createPublicKey(key), usage: { type: 'client' }, validity },
      { name: { commonName: 'mooring-ca' }, key: authorityKey },
    );
    expect((await server.ask('GET', PODS, { as: { cert, key: keyPem(key) } })).code).toBe(401);
  });

  test('P-AUTH-1 tokens of strangers, and one of ours that was changed -> 401', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const good = await tokenOf('robot');
    const [head = '', payload = ''] = good.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as object;
    const foreign = new KeyTokenSigner(generateKey()).sign(claims);
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    const changed = `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'x' })).toString('base64url')}.${good.split('.')[2] ?? ''}`;
    const codes = await Promise.all(
      ['rubbish', 'a.b.c', foreign, unsigned, changed].map(async (token) => (await withToken('GET', PODS, token)).code),
    );
    expect(codes).toEqual([401, 401, 401, 401, 401]);
    expect((await withToken('POST', WHO, good)).code).toBe(201);
  });

  test('P-AUTH-1 a token for another audience, and one whose account went -> 401', async () => {
    await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'short' } });
    const token = await tokenOf('short');
    expect((await withToken('GET', PODS, await tokenOf('short', { audiences: ['vault'] }))).code).toBe(401);
    expect((await withToken('POST', WHO, token)).code).toBe(201);
    await server.ask('DELETE', '/api/v1/namespaces/default/serviceaccounts/short');
    expect((await withToken('POST', WHO, token)).code).toBe(401);
  });

  test('P-AUTH-2 a page of another origin, with the right certificate -> 403', async () => {
    expect((await server.ask('GET', PODS, { headers: { origin: 'https://evil.example.com' } })).code).toBe(403);
    expect((await server.askHttp2('GET', PODS, undefined, 'evil.example.com')).code).toBe(403);
  });
});

describe('with one', () => {
  test.each([
    ['admin', 'mooring-admin'],
    ['viewer', 'mooring-viewer'],
    ['kube-controller-manager', 'system:kube-controller-manager'],
    ['kube-scheduler', 'system:kube-scheduler'],
    ['attachdetach-controller', 'system:serviceaccount:kube-system:attachdetach-controller'],
    ['csi-attacher', 'system:serviceaccount:kube-system:csi-attacher'],
    ['kubelet-n1', 'system:node:n1'],
  ])('P-AUTH-3 the identity %s -> known as %s', async (name, user) => {
    expect(await nameOf(identity(name))).toBe(user);
  });

  test('P-AUTH-3 all files with keys -> for the owner alone', () => {
    const files = ['identities', 'pki'].flatMap((of) =>
      readdirSync(path.join(data, of)).map((file) => path.join(data, of, file)),
    );
    for (const file of files) expect(statSync(file).mode & 0o777, file).toBe(0o600);
  });

  test('P-AUTH-4 the viewer -> reads, but no secrets, and writes nothing', async () => {
    const as = identity('viewer');
    const codes = [
      (await server.ask('GET', '/api/v1/persistentvolumes', { as })).code,
      (await server.ask('GET', '/apis/storage.k8s.io/v1/volumeattachments', { as })).code,
      (await server.ask('GET', SECRETS, { as })).code,
      (await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }, as)).code,
      (await server.ask('DELETE', '/api/v1/namespaces/default', { as })).code,
      (await server.ask('GET', PODS, { as, headers: { 'impersonate-user': 'mooring-admin' } })).code,
    ];
    expect(codes).toEqual([200, 200, 403, 403, 403, 403]);
  });

  test("P-AUTH-5 a kubelet -> its own node, and nothing of another's", async () => {
    const [n1, n2] = [identity('kubelet-n1'), identity('kubelet-n2')];
    expect((await post('/api/v1/nodes', { metadata: { name: 'n1' } }, n1)).code).toBe(201);
    expect((await post('/api/v1/nodes', { metadata: { name: 'n1' } }, n2)).code).toBe(403);
    await post(SECRETS, { metadata: { name: 's' } });
    const spec = {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 's', secret: { secretName: 's' } }],
    };
    expect((await post(PODS, { metadata: { name: 'p' }, spec })).code).toBe(201);
    const codes = await Promise.all([
      server.ask('GET', `${SECRETS}/s`, { as: n1 }),
      server.ask('GET', `${SECRETS}/s`, { as: n2 }),
      server.ask('GET', '/api/v1/nodes/n1', { as: n2 }),
      server.ask('DELETE', `${PODS}/p`, { as: n2 }),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([200, 403, 403, 403]);
  });

  test('P-AUTH-6 what was asked -> in the audit log, without a token or a body in it', async () => {
    await post(SECRETS, { metadata: { name: 'told' }, stringData: { word: 'shibboleth' } });
    await server.ask('GET', `${SECRETS}/told`);
    const written = (): string => readFileSync(auditLog, 'utf8');
    while (!written().includes('secrets/told')) await server.ask('GET', '/livez');
    const text = written();
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly verb: string; readonly responseStatus: { readonly code: number } });
    expect(events.some(({ verb, responseStatus }) => verb === 'create' && responseStatus.code === 201)).toBe(true);
    expect(events.some(({ responseStatus }) => responseStatus.code === 401)).toBe(true);
    expect(text).not.toMatch(/shibboleth|eyJ|Bearer/);
    expect(statSync(auditLog).mode & 0o777).toBe(0o600);
  });
});
