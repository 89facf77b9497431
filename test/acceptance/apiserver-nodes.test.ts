// Requests that a node answers, and connections that mean no good, on the network.
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-nodes-'));
const json = { 'content-type': 'application/json' };
/** A server that says nothing for so long has nothing to say. */
const SILENCE_MS_MAX = 5000;
let server: StartedServer;
let kubelet: https.Server;

/** Answers with what it was asked, and echoes what comes over a connection that it takes over. */
function newKubelet(): https.Server {
  const now = Date.now();
  const pair = new CertificateAuthority(newAuthority(now)).issue(
    { commonName: 'node' },
    { type: 'server', names: ['127.0.0.1'] },
    now,
  );
  const options = { key: pair.key, cert: pair.certificate, requestCert: true, rejectUnauthorized: false };
  const made = https.createServer(options, (request, response) => {
    const { subject } = (request.socket as tls.TLSSocket).getPeerCertificate();
    if (request.url === '/broken') response.writeHead(500);
    response.end(`${request.method ?? ''} ${request.url ?? ''} by ${String(subject.CN)}\n`);
  });
  made.on('upgrade', (request: IncomingMessage, socket) => {
    if (request.url?.includes('elsewhere') === true) {
      socket.end('HTTP/1.1 302 Found\r\nlocation: https://example.com\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n${request.url ?? ''};`,
    );
    socket.pipe(socket);
  });
  return made;
}

beforeAll(async () => {
  server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
  kubelet = newKubelet();
  await new Promise<void>((resolve) => void kubelet.listen(0, '127.0.0.1', resolve));
  const { port: Port } = kubelet.address() as AddressInfo;
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port } },
  };
  await server.ask('POST', '/api/v1/nodes', {
    headers: json,
    body: JSON.stringify({ metadata: { name: 'n' }, status }),
  });
  const spec = { nodeName: 'n', tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image: 'i' }] };
  const pod = JSON.stringify({ metadata: { name: 'p' }, spec });
  await server.ask('POST', '/api/v1/namespaces/default/pods', { headers: json, body: pod });
}, 120_000);
afterAll(async () => {
  kubelet.closeAllConnections();
  kubelet.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends bytes over TLS with the administrator's certificate, and gathers what comes back until it ends or is enough. */
function sent(text: string, isEnough: (got: string) => boolean = () => false): Promise<string> {
  const { server: address, ca, cert, key } = server.identity;
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let got = '';
    const socket = tls.connect({ host: hostname, port: Number(port), ca, cert, key, ALPNProtocols: ['http/1.1'] });
    socket.on('secureConnect', () => socket.write(text));
    socket.setTimeout(SILENCE_MS_MAX, () => socket.destroy());
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1');
      if (isEnough(got)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}
const upgrade = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nping`;

describe('what a node answers', () => {
  test('P-HTTP-16 node proxy and log -> passed on with our certificate, the text comes back', async () => {
    const proxied = await server.ask('GET', '/api/v1/nodes/n/proxy/stats/summary?a=b');
    expect([proxied.code, proxied.text]).toEqual([200, 'GET /stats/summary?a=b by kube-apiserver-kubelet-client\n']);
    const log = await server.ask('GET', '/api/v1/namespaces/default/pods/p/log?tailLines=3');
    expect(log.text).toBe('GET /containerLogs/default/p/c?tailLines=3 by kube-apiserver-kubelet-client\n');
  });

  test('P-HTTP-16 exec with an upgrade -> one connection from client to kubelet, both ways', async () => {
    const target = '/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true';
    const got = await sent(upgrade(target), (text) => text.includes('ping'));
    expect(got).toContain('101 Switching Protocols');
    expect(got.slice(got.indexOf('\r\n\r\n') + 4)).toBe('/exec/default/p/c?command=ls&output=1;ping');
  });

  test('P-HTTP-16 a node that sends elsewhere -> refused', async () => {
    expect(await sent(upgrade('/api/v1/nodes/n/proxy/elsewhere'))).toMatch(/^HTTP\/1\.1 502 [^]*redirect this request/);
  });
});

describe('connections that mean no good', () => {
  test.each([
    ['no HTTP at all', '\u0016\u0003\u0001garbage\r\n\r\n', /^HTTP\/1\.1 400/],
    ['a flood of headers', `GET /version HTTP/1.1\r\n${'x-flood: 1234567890\r\n'.repeat(3000)}\r\n`, /^HTTP\/1\.1 431/],
    [
      'two lengths',
      'POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\na',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      'POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
  ])('P-HTTP-17 %s -> refused and let go', async (_what, text, answer) => {
    expect(await sent(text)).toMatch(answer);
    expect((await server.ask('GET', '/readyz')).text).toBe('ok');
  });

  test('P-HTTP-17 five hundred connections that never ask -> others are served, and they may leave', async () => {
    const { server: address, ca } = server.identity;
    const { hostname, port } = new URL(address);
    const sockets = Array.from({ length: 500 }, () => {
      const socket = tls.connect({ host: hostname, port: Number(port), ca });
      socket.on('error', () => undefined);
      return socket;
    });
    expect((await server.ask('GET', '/readyz')).text).toBe('ok');
    for (const socket of sockets) socket.destroy();
    expect((await server.ask('GET', '/readyz')).text).toBe('ok');
  });
});
