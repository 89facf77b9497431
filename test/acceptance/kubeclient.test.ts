// Our client against a server that does what each test says: refusals, waits, broken connections, expired pages, proofs.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import type { WatchEvent } from '../../src/kube/cluster.ts';
import { type ConfigMap, ConfigMaps } from '../../src/kube/resources/config-map.ts';
import { KubeconfigFault, Unreachable } from '../../src/kubeclient/client-fault.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { testAuthority } from './test-authority.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-client-'));
const at = (file: string): string => path.join(folder, file);
const authority = testAuthority(folder);
const SECRET = 'sesame-open-7351';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;
let handler: Handler = () => undefined;
const asked: http.IncomingMessage[] = [];
let server: https.Server;
let expired: https.Server;
let port = 0;
const clients: KubeClient[] = [];
const logged: string[] = [];

const listen = (listening: net.Server): Promise<number> =>
  new Promise((resolve) => listening.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port)));
const take: Handler = (request, response) => {
  asked.push(request);
  handler(request, response);
};
const json = (
  response: http.ServerResponse,
  code: number,
  value: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
};
const configMap = (name: string): object => ({ metadata: { name, namespace: 'ns', resourceVersion: '5' } });

beforeAll(async () => {
  const serving = authority.issue('server', { names: ['localhost'], addresses: ['127.0.0.1'] });
  server = https.createServer({ ...serving, ca: authority.ca, requestCert: true, rejectUnauthorized: false }, take);
  expired = https.createServer(authority.issue('old', { addresses: ['127.0.0.1'], isExpired: true }), take);
  port = await listen(server);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => {
  for (const client of clients) client.close();
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

interface Setting {
  readonly cluster?: object;
  readonly user?: object;
  readonly environment?: Record<string, string | undefined>;
}

function clientFor({ cluster = {}, user = {}, environment = {} }: Setting = {}): KubeClient {
  const file = at(`kubeconfig-${clients.length}`);
  const proof = { 'certificate-authority-data': Buffer.from(authority.ca).toString('base64') };
  const config = {
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, ...proof, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'ns' } }],
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(config));
  const client = connect({
    clock: new SystemClock(),
    random: new SeededRandom('client'),
    log: { write: (_level, message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`) },
    environment: { PATH: process.env['PATH'], ...environment },
    home: folder,
    kubeconfig: file,
  });
  clients.push(client);
  return client;
}

const get = (client: KubeClient): Promise<ConfigMap> => client.as('tester').get(ConfigMaps, 'ns/a');
const failure = async (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.fail('should fail'),
    (error: unknown) => error as Error,
  );
const proofs = (): readonly (string | undefined)[] => asked.map(({ headers }) => headers.authorization);
const answersA: Handler = (_request, response) => json(response, 200, configMap('a'));

describe('credentials', () => {
  test('P-KC-4 token -> sent; client certificate -> shown', async () => {
    handler = answersA;
    await get(clientFor({ user: { token: SECRET } }));
    expect(proofs()).toEqual([`Bearer ${SECRET}`]);
    const { cert, key } = authority.issue('jane', {});
    writeFileSync(at('jane.pem'), cert);
    const named: unknown[] = [];
    handler = (request, response) => {
      named.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      answersA(request, response);
    };
    const keyData = Buffer.from(key).toString('base64');
    await get(clientFor({ user: { 'client-certificate': at('jane.pem'), 'client-key-data': keyData } }));
    expect(named).toEqual(['jane']);
  });

  test('P-KC-4 token file exchanged and the old token refused -> the new one is read and sent', async () => {
    writeFileSync(at('token'), 'old\n');
    const client = clientFor({ user: { tokenFile: at('token') } });
    handler = (request, response) =>
      request.headers.authorization === 'Bearer new' ? answersA(request, response) : json(response, 401, {});
    writeFileSync(at('token'), 'old');
    const first = failure(get(client));
    expect(await first).toMatchObject({ reason: 'Unauthorized' });
    writeFileSync(at('token'), 'new');
    expect((await get(client)).metadata.name).toBe('a');
  });

  test('P-KC-4 plug-in -> run once for all who wait, told of the cluster, kept until refused', async () => {
    const plugin = at('plugin.sh');
    const status = `{"token":"'"$(wc -l < ${at('runs')})"'","expirationTimestamp":"2999-01-01T00:00:00Z"}`;
    const printed = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}`;
    writeFileSync(at('runs'), '');
    writeFileSync(
      plugin,
      `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO $WORD $1" >> ${at('runs')}\necho '${printed}' | tr -d ' '\n`,
    );
    chmodSync(plugin, 0o755);
    const env = [{ name: 'WORD', value: 'word' }];
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: plugin,
      args: ['arg'],
      env,
      provideClusterInfo: true,
    };
    const client = clientFor({ user: { exec } });
    handler = answersA;
    await Promise.all([get(client), get(client), get(client)]);
    expect(proofs()).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 1']);
    const [said = ''] = readFileSync(at('runs'), 'utf8').split('\n');
    expect(said.endsWith(' word arg')).toBe(true);
    expect(JSON.parse(said.slice(0, said.lastIndexOf('}') + 1))).toMatchObject({
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: `https://127.0.0.1:${port}` } },
    });
    handler = (request, response) =>
      request.headers.authorization === 'Bearer 2' ? answersA(request, response) : json(response, 401, {});
    expect((await get(client)).metadata.name).toBe('a');
  });

  test.each([
    ['not installed', '/none/login', 'it is not installed (get it there)'],
    ['fails', '/bin/false', 'it ended with 1 (get it there)'],
    ['prints nothing', '/bin/true', 'it did not print JSON (get it there)'],
  ])('P-KC-2 plug-in %s -> told in one line', async (_what, command, why) => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, installHint: 'get it there\nor not' };
    const error = await failure(get(clientFor({ user: { exec } })));
    expect(error).toMatchObject({ why: 'credentials', message: `no credentials from exec plug-in ${command}: ${why}` });
  });

  test('impersonation -> its headers, each group for itself', async () => {
    handler = answersA;
    await get(clientFor({ user: { as: 'jane', 'as-groups': ['g1', 'g2'] } }));
    expect(asked[0]?.headersDistinct['impersonate-user']).toEqual(['jane']);
    expect(asked[0]?.headersDistinct['impersonate-group']).toEqual(['g1', 'g2']);
  });
});

describe('without a kubeconfig', () => {
  const parts = {
    clock: new SystemClock(),
    random: new SeededRandom('pod'),
    log: { write: () => undefined },
    home: '/nowhere',
  };

  test('P-KC-4 in a pod -> its token, authority and namespace', async () => {
    const pod = mkdtempSync(at('pod-'));
    const files = { token: SECRET, 'ca.crt': authority.ca, namespace: 'mine' };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(pod, name), text);
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) };
    const client = connect({ ...parts, environment, podFolder: pod });
    clients.push(client);
    handler = answersA;
    await get(client);
    expect([client.namespace, client.context, proofs()]).toEqual(['mine', 'in-cluster', [`Bearer ${SECRET}`]]);
  });

  test('P-KC-2 nowhere at all, or a list of files that are not there -> told where was looked', () => {
    expect(() => connect({ ...parts, environment: {} })).toThrow('no kubeconfig: neither /nowhere/.kube/config nor');
    expect(() => connect({ ...parts, environment: { KUBECONFIG: '/a:/b' } })).toThrow(
      'KUBECONFIG names no file that exists: /a:/b',
    );
  });
});

describe('faults', () => {
  const why = async (setting: Setting): Promise<string> => {
    const error = await failure((async () => get(clientFor({ user: { token: SECRET }, ...setting })))());
    expect(error.message).not.toMatch(new RegExp(`\\n|${SECRET}`));
    return error.message;
  };

  test('P-KC-6 nobody there, no such host, unknown authority, wrong name, expired -> told apart', async () => {
    const closed = net.createServer();
    const free = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(await why({ cluster: { server: `https://127.0.0.1:${free}` } })).toBe(
      `cannot reach https://127.0.0.1:${free}: connection refused`,
    );
    const stranger = testAuthority(mkdtempSync(at('stranger-')));
    const ca = Buffer.from(stranger.ca).toString('base64');
    const trusted = `https://127.0.0.1:${port} cannot be trusted`;
    expect(await why({ cluster: { 'certificate-authority-data': ca } })).toBe(
      `${trusted}: its certificate is signed by an unknown authority`,
    );
    expect(await why({ cluster: { 'tls-server-name': 'elsewhere' } })).toBe(
      `${trusted}: its certificate is for another name`,
    );
    const old = await listen(expired);
    expect(await why({ cluster: { server: `https://127.0.0.1:${old}` } })).toBe(
      `https://127.0.0.1:${old} cannot be trusted: its certificate has expired`,
    );
    expired.close();
  });

  test('P-KC-6 not to be checked -> not checked; another name for the server -> that name is looked for', async () => {
    handler = answersA;
    const unchecked = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    expect((await get(clientFor({ cluster: unchecked }))).metadata.name).toBe('a');
    expect((await get(clientFor({ cluster: { 'tls-server-name': 'localhost' } }))).metadata.name).toBe('a');
  });

  test('P-KC-2 missing file, wrong data, both halves of a pair -> a KubeconfigFault in one line', () => {
    const fault = (setting: Setting): string => {
      try {
        clientFor(setting);
      } catch (error) {
        if (error instanceof KubeconfigFault) return error.message;
      }
      return 'nothing';
    };
    const none = at('none.crt');
    const missing = { 'certificate-authority': none, 'certificate-authority-data': undefined };
    expect(fault({ cluster: missing })).toBe(`the certificate authority ${none} is not there`);
    expect(fault({ cluster: { 'certificate-authority-data': 'AAAA' } })).toBe(
      'certificate-authority-data of the kubeconfig is no PEM in base64',
    );
    expect(fault({ user: { 'client-key-data': Buffer.from(authority.ca).toString('base64') } })).toContain(
      'without its',
    );
    expect(fault({ cluster: { server: 'ftp://x' } })).toContain('is neither http nor https');
  });

  test('P-KC-6 answer that is no Kubernetes -> told; refusal without a Status -> its code', async () => {
    handler = (_request, response) => response.end('<html>');
    expect(await why({})).toBe(`https://127.0.0.1:${port} is no Kubernetes API server: it answers 200 without JSON`);
    handler = (_request, response) => response.writeHead(403).end('no\nway');
    const error = await failure(get(clientFor()));
    expect(error).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `https://127.0.0.1:${port} answers 403: no`,
    });
    expect(error).not.toBeInstanceOf(Unreachable);
  });
});

describe('retries', () => {
  test('P-KC-7 429 with a wait -> kept and tried again; without -> stands', async () => {
    let count = 0;
    handler = (request, response) =>
      ++count < 3 ? json(response, 429, {}, { 'retry-after': '0' }) : answersA(request, response);
    expect((await get(clientFor())).metadata.name).toBe('a');
    expect(count).toBe(3);
    handler = (_request, response) => json(response, 429, { kind: 'Status', reason: 'TooManyRequests', message: 'm' });
    expect(await failure(get(clientFor()))).toMatchObject({ reason: 'TooManyRequests', message: 'm' });
  });

  test('P-KC-7 broken connection -> a read is tried again, a write is not', async () => {
    let count = 0;
    handler = (request, response) => (++count < 3 ? request.socket.destroy() : answersA(request, response));
    expect((await get(clientFor())).metadata.name).toBe('a');
    count = 0;
    const draft = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } } as const;
    expect(await failure(clientFor().as('tester').create(ConfigMaps, draft))).toMatchObject({ why: 'reset' });
    expect(count).toBe(1);
  });
});

describe('lists', () => {
  const page = (names: readonly string[], more?: string): object => ({
    metadata: { resourceVersion: '9', ...(more === undefined ? {} : { continue: more }) },
    items: names.map(configMap),
  });

  test('P-KC-8 pages -> one list; items are named and frozen', async () => {
    handler = ({ url = '' }, response) =>
      json(response, 200, url.includes('continue=m') ? page(['b']) : page(['a'], 'm'));
    const list = await clientFor().as('tester').list(ConfigMaps);
    expect(list.items.map(({ metadata, kind }) => [metadata.name, kind])).toEqual([
      ['a', 'ConfigMap'],
      ['b', 'ConfigMap'],
    ]);
    expect([list.resourceVersion, list.continue, Object.isFrozen(list.items[0]?.metadata)]).toEqual([
      '9',
      undefined,
      true,
    ]);
  });

  test('P-KC-8 revision gone between pages -> the whole list at once', async () => {
    handler = ({ url = '' }, response) => {
      if (url.includes('continue=')) json(response, 410, { kind: 'Status', reason: 'Expired' });
      else json(response, 200, url.includes('limit=') ? page(['a'], 'm') : page(['a', 'b']));
    };
    const { items } = await clientFor().as('tester').list(ConfigMaps);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(asked.map(({ url }) => url)).toEqual([
      '/api/v1/configmaps?limit=500',
      '/api/v1/configmaps?limit=500&continue=m',
      '/api/v1/configmaps',
    ]);
  });
});

describe('watches', () => {
  const watched = (client: KubeClient): Promise<readonly unknown[]> =>
    new Promise((resolve) => {
      const events: WatchEvent<ConfigMap>[] = [];
      client
        .as('tester')
        .watch(
          ConfigMaps,
          { resourceVersion: '1' },
          { event: (event) => events.push(event), closed: (cause) => resolve([...events, cause]) },
        );
    });

  test('P-KC-9 events, bookmarks and an expiry -> as they were sent, then the end', async () => {
    handler = (_request, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"BOOKMARK","obj');
      response.write('ect":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}\n');
      response.end('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n');
    };
    expect(await watched(clientFor())).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 'a' } } },
      { type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: true },
      { type: 'ERROR', error: { reason: 'Expired', message: 'too old' } },
      undefined,
    ]);
  });

  test('P-KC-9 connection lost, refused, or rubbish -> closed once, with the cause', async () => {
    handler = (_request, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n', () => response.destroy());
    };
    expect(await watched(clientFor())).toMatchObject([
      { type: 'ADDED' },
      { reason: 'ServiceUnavailable', why: 'reset' },
    ]);
    handler = (_request, response) => json(response, 410, { kind: 'Status', reason: 'Expired', code: 410 });
    expect(await watched(clientFor())).toMatchObject([{ reason: 'Expired' }]);
    handler = (_request, response) => response.end('rubbish\n');
    expect(await watched(clientFor())).toMatchObject([{ why: 'answer' }]);
  });
});

describe('proxy', () => {
  test('P-KC-3 proxy of the cluster, with a name and a password -> connected through; refusal is told without them', async () => {
    const through: (string | undefined)[] = [];
    let isOpen = true;
    const proxy = http.createServer();
    proxy.on('connect', (request, socket: net.Socket) => {
      through.push(`${request.url} ${request.headers['proxy-authorization']}`);
      if (!isOpen) {
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      const onward = net.connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const proxyPort = await listen(proxy);
    const cluster = { 'proxy-url': `http://me:${SECRET}@127.0.0.1:${proxyPort}` };
    handler = answersA;
    expect((await get(clientFor({ cluster }))).metadata.name).toBe('a');
    const basic = Buffer.from(`me:${SECRET}`).toString('base64');
    expect(through).toEqual([`127.0.0.1:${port} Basic ${basic}`]);
    isOpen = false;
    const error = await failure(get(clientFor({ cluster })));
    expect(error.message).toBe(`the proxy http://127.0.0.1:${proxyPort} refuses to connect to 127.0.0.1:${port}: 403`);
    for (const client of clients) client.close();
    proxy.close();
    proxy.closeAllConnections();
  });
});

describe('secrets', () => {
  test('P-KC-5 all that was logged -> without any', () => {
    expect(logged.join('\n')).not.toContain(SECRET);
  });
});
