// The API server as clients meet it on the network: certificates, both protocols, limits, start and stop.
import { spawnSync } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-apiserver-'));
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
let program = '';
let server: StartedServer;

beforeAll(async () => {
  program = await builtProgram(folder);
  server = await StartedServer.start(program, path.join(folder, 'data'), '--kubeconfig-out', path.join(folder, 'copy'));
}, 120_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** More than may wait for one reader, and than the buffers on the way hold. */
const CHANGES = 1300;
const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const configMap = (name: string, size = 0): string =>
  JSON.stringify({ metadata: { name }, data: { filler: 'x'.repeat(size) } });

describe('start', () => {
  test('P-HTTP-9 ready -> one line with the address and a command, and a kubeconfig for the owner alone', () => {
    expect(server.said).toBe(
      `mooring apiserver on ${server.identity.server}; try: kubectl --kubeconfig ${server.kubeconfig} get storageclasses`,
    );
    expect(server.identity.server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    for (const file of [server.kubeconfig, path.join(folder, 'copy')])
      expect(statSync(file).mode & 0o777, file).toBe(0o600);
  });

  test('a store that there is not -> one line, exit 2', () => {
    const given = [program, 'apiserver', '--data-dir', path.join(folder, 'none'), '--store', 'clay'];
    const { status, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8', timeout: 30_000 });
    expect([status, stderr]).toEqual([
      2,
      'mooring: unknown store "clay": write memory, embedded or etcd://HOST:PORT\n',
    ]);
  });

  test('P-HTTP-9 a port that is taken -> one line, and no kubeconfig', () => {
    const { port } = new URL(server.identity.server);
    const directory = path.join(folder, 'taken');
    const given = [program, 'apiserver', '--data-dir', directory, '--port', port];
    const { status, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8', timeout: 30_000 });
    expect([status, stderr]).toEqual([2, `mooring: cannot listen on 127.0.0.1:${port}: EADDRINUSE\n`]);
    expect(existsSync(path.join(directory, 'kubeconfig'))).toBe(false);
  });
});

describe('connections', () => {
  test('P-HTTP-10 HTTP/1.1 and HTTP/2 on one port -> the same object', async () => {
    const made = await server.askHttp2('POST', CONFIG_MAPS, configMap('both'));
    const read = await server.ask('GET', `${CONFIG_MAPS}/both`);
    expect([made.code, read.code]).toEqual([201, 200]);
    expect(read.json).toEqual(made.json);
    expect(read.headers['content-length']).toBe(String(Buffer.byteLength(read.text)));
  });

  test.each([
    ['/version', 200],
    ['/livez', 200],
    ['/api', 403],
    [CONFIG_MAPS, 403],
  ])('P-HTTP-5 %s without a certificate -> %i', async (target, code) => {
    expect((await server.ask('GET', target, { as: {} })).code).toBe(code);
  });

  test('P-HTTP-5 a certificate of another authority -> 401', async () => {
    const subject = { commonName: 'eve', organizations: ['system:masters'] };
    const { certificate, key } = new CertificateAuthority(newAuthority(Date.now())).issue(
      subject,
      { type: 'client' },
      Date.now(),
    );
    const { code, json: status } = await server.ask('GET', CONFIG_MAPS, { as: { cert: certificate, key } });
    expect([code, status]).toEqual([401, expect.objectContaining({ reason: 'Unauthorized' })]);
  });

  test('P-HTTP-6 a web page of another site -> 403', async () => {
    expect((await server.ask('GET', '/version', { headers: { origin: 'https://evil.example.com' } })).code).toBe(403);
    expect((await server.askHttp2('GET', '/version', undefined, 'evil.example.com')).code).toBe(403);
  });

  test('P-HTTP-4 a body above the limit -> 413 on both protocols, and the server goes on', async () => {
    const large = configMap('large', 3 * 1024 * 1024);
    expect((await server.ask('POST', CONFIG_MAPS, { headers: json, body: large })).code).toBe(413);
    expect((await server.askHttp2('POST', CONFIG_MAPS, large)).code).toBe(413);
    expect((await server.ask('GET', '/livez')).text).toBe('ok');
  });

  test('P-HTTP-8 rubbish on the wire -> no trace of our source in any answer', async () => {
    const bodies = ['{', '[]', '{"metadata":{"name":{"a":[]}}}', '\u0000'];
    for (const body of bodies) {
      const { code, text } = await server.ask('POST', CONFIG_MAPS, { headers: json, body });
      expect(code).toBe(400);
      expect(text).not.toMatch(/\bat |\.ts\b|\.js\b|node:/);
    }
  });
});

describe('watches', () => {
  /** A watch over HTTP/1.1, from its answer on. */
  function watched(target: string): Promise<IncomingMessage> {
    const { server: address, ...identity } = server.identity;
    return new Promise((resolve) => {
      https.get(new URL(target, address), { ...identity, agent: false }, (incoming) => {
        incoming.on('error', () => undefined);
        resolve(incoming);
      });
    });
  }

  test('P-HTTP-13 a change -> told at once', async () => {
    await server.ask('POST', CONFIG_MAPS, { headers: json, body: configMap('told') });
    const incoming = await watched(`${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3Dtold`);
    const events: string[] = [];
    const second = new Promise<void>((resolve) => {
      incoming.on('data', (chunk: Buffer) => {
        events.push(
          ...chunk
            .toString('utf8')
            .split('\n')
            .filter((line) => line !== ''),
        );
        if (events.length === 1) void server.ask('DELETE', `${CONFIG_MAPS}/told`);
        if (events.length === 2) resolve();
      });
    });
    await second;
    expect(events.map((line) => (JSON.parse(line) as { readonly type: string }).type)).toEqual(['ADDED', 'DELETED']);
    incoming.destroy();
  });

  test.each(['HTTP/1.1', 'HTTP/2'])('P-HTTP-3 a reader over %s that stops reading -> cut off', async (protocol) => {
    const name = protocol === 'HTTP/2' ? 'slow2' : 'slow1';
    await server.ask('POST', CONFIG_MAPS, { headers: json, body: configMap(name, 50_000) });
    const target = `${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3D${name}`;
    const reader = await (protocol === 'HTTP/2' ? pausedHttp2(target) : pausedHttp1(target));
    const changes = Array.from({ length: CHANGES }, (_, version) =>
      JSON.stringify({ data: { version: String(version) } }),
    );
    const codes = await Promise.all(changes.map((body) => quick('PATCH', `${CONFIG_MAPS}/${name}`, body)));
    expect(new Set(codes.map(({ code }) => code))).toEqual(new Set([200]));
    const { lines, isComplete } = await reader.rest();
    expect(isComplete).toBe(false);
    expect(lines).toBeLessThan(CHANGES);
  });

  interface PausedReader {
    /** Reads again: how many lines come, and whether the stream ended as it should. */
    rest(): Promise<{ readonly lines: number; readonly isComplete: boolean }>;
  }

  async function pausedHttp1(target: string): Promise<PausedReader> {
    const incoming = await watched(target);
    incoming.pause();
    return {
      rest: () =>
        new Promise((resolve) => {
          let lines = 0;
          incoming.on('data', (chunk: Buffer) => (lines += count(chunk)));
          incoming.on('close', () => resolve({ lines, isComplete: incoming.complete }));
          incoming.resume();
        }),
    };
  }

  async function pausedHttp2(target: string): Promise<PausedReader> {
    const { server: address, ...identity } = server.identity;
    const session = http2.connect(address, identity);
    const stream = session.request({ ':path': target });
    let lines = 0;
    stream.on('error', () => undefined);
    // A stream that is reset is closed at once, read or not.
    const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()));
    await new Promise((resolve) => stream.once('response', resolve));
    stream.pause();
    return {
      rest: async () => {
        stream.on('data', (chunk: Buffer) => (lines += count(chunk)));
        stream.resume();
        await closed;
        session.destroy();
        return { lines, isComplete: stream.rstCode === http2.constants.NGHTTP2_NO_ERROR };
      },
    };
  }

  const count = (chunk: Buffer): number => chunk.filter((byte) => byte === 0x0a).length;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 16 });
  afterAll(() => agent.destroy());

  function quick(method: string, target: string, body: string): Promise<{ readonly code: number }> {
    const { server: address, ...identity } = server.identity;
    return new Promise((resolve, reject) => {
      const request = https.request(
        new URL(target, address),
        { ...identity, agent, method, headers: merge },
        (incoming) => {
          incoming.resume();
          incoming.on('end', () => resolve({ code: incoming.statusCode ?? 0 }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }
});

describe('stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'P-HTTP-12 %s with a watch open -> it ends, and so does the server',
    async (signal) => {
      const directory = path.join(folder, signal);
      const started = await StartedServer.start(program, directory);
      const { server: address, ...identity } = started.identity;
      const incoming = await new Promise<IncomingMessage>((resolve) => {
        https.get(new URL(`${CONFIG_MAPS}?watch=true`, address), { ...identity, agent: false }, resolve);
      });
      const ended = new Promise<boolean>((resolve) => {
        incoming.on('end', () => resolve(true));
        incoming.on('error', () => resolve(false));
        incoming.resume();
      });
      const code = await started.stop(signal);
      expect([code, await ended]).toEqual([0, true]);
    },
  );

  test('P-HTTP-7 started again on the same directory -> the same authority', async () => {
    const directory = path.join(folder, 'again');
    const authority = async (): Promise<string> => {
      const started = await StartedServer.start(program, directory);
      await started.stop();
      return readFileSync(path.join(directory, 'pki', 'ca.crt'), 'utf8');
    };
    expect(await authority()).toBe(await authority());
  });
});
