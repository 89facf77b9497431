// Our client and our server, over a unix socket and over TLS.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type Channel, type ChannelOptions, openChannel } from '../../src/grpc/channel.ts';
import { Codec } from '../../src/grpc/codec.ts';
import { method } from '../../src/grpc/method.ts';
import { type GrpcServer, makeServer } from '../../src/grpc/server.ts';
import { GrpcError } from '../../src/grpc/status.ts';
import { testAuthority } from './test-authority.ts';

const codec = new Codec({ Ask: { text: '1 string', times: '2 int32' }, Said: { text: '1 string' } } as const);
const echo = method(codec, '/test.Echo/Once', 'Ask', 'Said');
const repeat = method(codec, '/test.Echo/Repeat', 'Ask', 'Said');
const talk = method(codec, '/test.Echo/Talk', 'Ask', 'Said');
const missing = method(codec, '/test.Echo/Missing', 'Ask', 'Said');

const clock = new SystemClock();
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-grpc-'));
const address = `unix:${path.join(folder, 'echo.sock')}`;
const authority = testAuthority(folder);
const given: string[] = [];
let server: GrpcServer;
let channel: Channel;
let secure: number;

beforeAll(async () => {
  server = await makeServer(clock);
  server.unary(echo, async ({ text }, { signal, deadlineAt, metadata }) => {
    if (text === 'fail') throw new GrpcError('FAILED_PRECONDITION', 'not now');
    if (text === 'bug') throw new TypeError('oops');
    if (text === 'deadline') return { text: deadlineAt === undefined ? 'none' : 'some' };
    if (text === 'metadata') return { text: metadata['x-word'] ?? '' };
    if (text === 'hang') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    if (signal.aborted) given.push(text);
    return { text };
  });
  server.serverStream(repeat, async ({ text, times }, stream, call) => {
    for (let time = 0; time < times; time++) stream.send({ text: `${text}${time}` });
    if (text === 'fail') throw new GrpcError('DATA_LOSS', 'gone');
    if (text === 'hang') await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
  });
  server.bidirectional(
    talk,
    (stream) =>
      new Promise((resolve) => {
        stream.onRequest(({ text }) => {
          stream.send({ text: text.toUpperCase() });
          if (text === 'end') resolve();
        });
      }),
  );
  await server.listen({ address });
  const { cert, key } = authority.issue('server', { names: ['localhost'] });
  secure = await server.listen({ address: '127.0.0.1:0', tls: { cert, key, ca: authority.ca } });
  channel = await openChannel({ address, clock });
});
afterAll(async () => {
  channel.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const failure = async (call: Promise<unknown>): Promise<GrpcError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GrpcError)) throw new Error(`not a GrpcError: ${String(error)}`);
  return error;
};

describe('calls', () => {
  test('P-GRPC-8 unix socket -> answered', async () => {
    expect(await channel.unary(echo, { text: 'hi' })).toEqual({ text: 'hi' });
  });

  test('P-GRPC-6 handler throws -> its code and sentence; UNKNOWN for what is no GrpcError; UNIMPLEMENTED without one', async () => {
    expect(await failure(channel.unary(echo, { text: 'fail' }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: 'not now',
    });
    expect(await failure(channel.unary(echo, { text: 'bug' }))).toMatchObject({ code: 'UNKNOWN', message: 'oops' });
    expect((await failure(channel.unary(missing, {}))).code).toBe('UNIMPLEMENTED');
  });

  test('P-GRPC-7 deadline -> told to the server; the call ends with DEADLINE_EXCEEDED and the handler learns of it', async () => {
    expect(await channel.unary(echo, { text: 'deadline' })).toEqual({ text: 'none' });
    expect(await channel.unary(echo, { text: 'deadline' }, { deadlineMs: 10_000 })).toEqual({ text: 'some' });
    given.length = 0;
    expect((await failure(channel.unary(echo, { text: 'hang' }, { deadlineMs: 100 }))).code).toBe('DEADLINE_EXCEEDED');
    while (given.length === 0) await clock.sleep(5);
    expect(given).toEqual(['hang']);
  });

  test('P-GRPC-7 abort, before or during -> CANCELLED', async () => {
    const stop = new AbortController();
    const hanging = failure(channel.unary(echo, { text: 'hang' }, { signal: stop.signal }));
    stop.abort();
    expect((await hanging).code).toBe('CANCELLED');
    expect((await failure(channel.unary(echo, { text: 'hi' }, { signal: stop.signal }))).code).toBe('CANCELLED');
  });

  test('metadata -> seen by the handler', async () => {
    expect(await channel.unary(echo, { text: 'metadata' }, { metadata: { 'x-word': 'here' } })).toEqual({
      text: 'here',
    });
  });

  test('nobody listens -> UNAVAILABLE at once', async () => {
    const lost = await openChannel({ address: `unix:${folder}/none.sock`, clock });
    expect((await failure(lost.unary(echo, {}))).code).toBe('UNAVAILABLE');
    lost.close();
  });
});

describe('streams', () => {
  const heard = (text: string, times: number, signal?: AbortSignal): Promise<readonly unknown[]> =>
    new Promise((resolve) => {
      const said: unknown[] = [];
      channel.serverStream(
        repeat,
        { text, times },
        { message: (message) => said.push(message.text), closed: (cause) => resolve([...said, cause?.code]) },
        signal === undefined ? {} : { signal },
      );
    });

  test('P-GRPC-5 many messages -> in order, then one end; a failure after them ends them', async () => {
    expect(await heard('m', 3)).toEqual(['m0', 'm1', 'm2', undefined]);
    expect(await heard('fail', 1)).toEqual(['fail0', 'DATA_LOSS']);
    expect((await heard('m', 5000)).length).toBe(5001);
  });

  test('P-GRPC-7 abort of a stream -> CANCELLED', async () => {
    const stop = new AbortController();
    const hanging = heard('hang', 0, stop.signal);
    stop.abort();
    expect(await hanging).toEqual(['CANCELLED']);
  });

  test('P-GRPC-5 two streams -> each request answered in turn', async () => {
    const said: string[] = [];
    const cause = await new Promise<GrpcError | undefined>((resolve) => {
      const stream = channel.bidirectional(talk, { message: ({ text }) => said.push(text), closed: resolve });
      for (const text of ['a', 'b', 'end']) stream.send({ text });
    });
    expect([said, cause]).toEqual([['A', 'B', 'END'], undefined]);
  });
});

describe('TLS', () => {
  const ask = async (tls: ChannelOptions['tls']): Promise<string> => {
    const opened = await openChannel({ address: `127.0.0.1:${secure}`, clock, ...(tls === undefined ? {} : { tls }) });
    const said = await opened.unary(echo, { text: 'safe' }, { deadlineMs: 20_000 }).then(
      ({ text }) => text,
      (error: GrpcError) => error.code,
    );
    opened.close();
    return said;
  };

  test('P-GRPC-8 both certificates known -> answered; wrong name, foreign server or no certificate -> UNAVAILABLE', async () => {
    const { cert, key } = authority.issue('client', {});
    const stranger = testAuthority(mkdtempSync(path.join(folder, 'stranger-')));
    expect(await ask({ ca: authority.ca, cert, key, serverName: 'localhost' })).toBe('safe');
    expect(await ask({ ca: authority.ca, cert, key, serverName: 'elsewhere' })).toBe('UNAVAILABLE');
    expect(await ask({ ca: stranger.ca, cert, key, serverName: 'localhost' })).toBe('UNAVAILABLE');
    expect(await ask({ ca: authority.ca, serverName: 'localhost' })).toBe('UNAVAILABLE');
  });
});
