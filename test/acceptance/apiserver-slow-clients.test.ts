// Clients that take their time, on real TLS: each is let go when its time is over, and none keeps others out.
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';
import { HttpServer } from '../../src/apiserver/http/http.ts';
import { type HttpRequest, type WholeAnswer, wholeAnswer } from '../../src/apiserver/http/http-exchange.ts';

const LIMITS = { handshakeMs: 300, headersMs: 500, bodyMs: 800, idleMs: 600, connectionsMax: 4 };
const clock = new SystemClock();
let server: HttpServer;
let at: AddressInfo;
let ca = '';

/** Reads what is sent and tells how much it was, as every request with a body does first. */
const answer = async (request: HttpRequest): Promise<WholeAnswer> => {
  try {
    const { length } = await request.body();
    return wholeAnswer(200, 'text/plain', `${length} bytes`);
  } catch {
    return wholeAnswer(504, 'text/plain', 'no body');
  }
};

beforeAll(async () => {
  const now = Date.now();
  const authority = new CertificateAuthority(newAuthority(now));
  ca = authority.certificate;
  const pair = authority.issue({ commonName: 'server' }, { type: 'server', names: ['127.0.0.1'] }, now);
  const keys = { ...pair, clientAuthority: ca };
  server = new HttpServer({ endpoint: { answer }, clock, log: silentLog, tls: keys, limits: LIMITS });
  at = await server.listen('127.0.0.1', 0);
});
afterAll(() => server.close());

interface Ended {
  readonly text: string;
  readonly ms: number;
}

/** What comes until the other end closes, and how long that took. */
function untilClosed(socket: net.Socket): Promise<Ended> {
  const start = clock.monotonic();
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ text, ms: clock.monotonic() - start }));
  });
}

const connected = (protocol = 'http/1.1'): Promise<tls.TLSSocket> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: at.port, ca, ALPNProtocols: [protocol] };
    const socket = tls.connect(options, () => resolve(socket));
    socket.once('error', reject);
  });

/** One byte at a time, for ever. */
function drip(socket: net.Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(text[sent++ % text.length] ?? ''), 50);
  socket.once('close', () => clearInterval(timer));
}

describe('a slow client', () => {
  test('P-HTTP-21 no TLS at all -> closed', async () => {
    const ended = await untilClosed(net.connect(at.port, '127.0.0.1'));
    expect(ended.ms).toBeLessThan(5 * LIMITS.handshakeMs);
  });

  test('P-HTTP-21 TLS and then silence -> closed', async () => {
    const ended = await untilClosed(await connected());
    expect(ended.ms).toBeLessThan(4 * LIMITS.headersMs);
  });

  test('P-HTTP-21 headers byte by byte -> 408, closed', async () => {
    const socket = await connected();
    drip(socket, 'GET / HTTP/1.1\r\nhost: a\r\nx: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy');
    const ended = await untilClosed(socket);
    expect(ended.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(ended.ms).toBeLessThan(4 * LIMITS.headersMs);
  });

  test('P-HTTP-21 a body byte by byte -> an answer that says so, closed', async () => {
    const socket = await connected();
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n');
    drip(socket, 'x');
    const ended = await untilClosed(socket);
    expect(ended.text).toMatch(/^HTTP\/1\.1 (?:408|504) /);
    expect(ended.ms).toBeLessThan(4 * LIMITS.bodyMs);
  });

  test('P-HTTP-21 a connection that rests -> closed after its time, not before', async () => {
    const socket = await connected();
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const ended = await untilClosed(socket);
    expect(ended.text).toMatch(/^HTTP\/1\.1 200 /);
    expect(ended.ms).toBeGreaterThan(LIMITS.idleMs - 100);
  });
});

describe('a slow client over HTTP/2', () => {
  const session = async (): Promise<http2.ClientHttp2Session> => {
    const made = http2.connect(`https://127.0.0.1:${at.port}`, { ca });
    made.on('error', () => undefined);
    await new Promise((resolve) => made.once('connect', resolve));
    return made;
  };
  const closed = (made: http2.ClientHttp2Session): Promise<number> => {
    const start = clock.monotonic();
    return new Promise((resolve) => made.once('close', () => resolve(clock.monotonic() - start)));
  };

  test('P-HTTP-21 a session without a request -> closed', async () => {
    expect(await closed(await session())).toBeLessThan(4 * LIMITS.headersMs);
  });

  test('P-HTTP-21 a frame of headers byte by byte -> closed', async () => {
    const socket = await connected('h2');
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const headers = Buffer.from([0, 1, 0, 1, 4, 0, 0, 0, 1]);
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, headers]));
    drip(socket, '\u0000');
    expect((await untilClosed(socket)).ms).toBeLessThan(4 * LIMITS.headersMs);
  });

  test('P-HTTP-21 a body that never ends -> an answer that says so, and the session rests, then closes', async () => {
    const made = await session();
    const over = closed(made);
    const stream = made.request({ ':method': 'POST', ':path': '/' });
    stream.on('error', () => undefined);
    stream.write('x');
    const code = await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])));
    expect(code).toBe(504);
    stream.close();
    expect(await over).toBeGreaterThan(LIMITS.bodyMs + LIMITS.idleMs - 200);
  });
});

describe('too many', () => {
  test('P-HTTP-22 a connection above the cap -> closed at once; the others are served, and room is made again', async () => {
    const held = await Promise.all(Array.from({ length: LIMITS.connectionsMax }, () => connected()));
    await expect(connected()).rejects.toThrow(/ECONNRESET|socket disconnected/);
    const [first] = held;
    first?.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect(first === undefined ? '' : (await untilClosed(first)).text).toMatch(/^HTTP\/1\.1 200 /);
    const next = await connected();
    for (const socket of [...held, next]) socket.destroy();
  });
});
