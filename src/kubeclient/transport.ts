// Bytes to the server and back over kept connections. Knows nothing of Kubernetes but how failures are told: what comes
// before an answer is an Unreachable. A request ends by its answer, its signal, its deadline or the connection's end.
import http from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import tls from 'node:tls';
import { createGunzip } from 'node:zlib';
import type { Clock, DurationMs } from '../base/clock.ts';
import { Unreachable, unreachable } from './client-fault.ts';
import type { Connection } from './connection.ts';
import type { Credential } from './exec-credential.ts';

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/net/http.go and the dialer of client-go's transport cache */
const CONNECT_MS_MAX = 30_000;
const KEEP_ALIVE_PROBE_MS = 30_000;
/** A body above is not what an API server sends. */
const ANSWER_BYTES_MAX = 1024 * 1024 * 1024;

export interface Sent {
  readonly method: string;
  /** With its query, from the root of the server. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Until the answer begins. */
  readonly timeoutMs?: DurationMs;
}

export interface Answered {
  readonly code: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly stream: http.IncomingMessage;
  readonly credential: Credential;
}

export class Transport {
  readonly #connection: Connection;
  readonly #clock: Clock;
  /** One for each client certificate: an exchanged one must not travel on an old connection. */
  #agent: { readonly of: Credential['certificate']; readonly agent: http.Agent } | undefined;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Throws an Unreachable. */
  async send(sent: Sent): Promise<Answered> {
    const { server, credentials } = this.#connection;
    const credential = await credentials.get();
    const request = this.#request(sent, credential);
    return new Promise((resolve, reject) => {
      const fail = (error: Unreachable): void => {
        end();
        request.destroy();
        reject(error);
      };
      const giveUp = (): void => fail(new Unreachable('aborted', `${sent.method} was given up`));
      const end = this.#guard(sent, giveUp, fail);
      request.once('error', (error) => fail(error instanceof Unreachable ? error : unreachable(server.origin, error)));
      request.once('response', (stream) => {
        end();
        sent.signal?.addEventListener('abort', () => stream.destroy(), { once: true });
        resolve({ code: stream.statusCode ?? 0, headers: stream.headers, stream, credential });
      });
      if (sent.signal?.aborted === true) giveUp();
      else request.end(sent.body);
    });
  }

  /** Returns what calls it off. */
  #guard({ signal, timeoutMs }: Sent, giveUp: () => void, fail: (error: Unreachable) => void): () => void {
    const late = (): void =>
      fail(new Unreachable('timeout', `${this.#connection.server.origin} did not answer within ${timeoutMs} ms`));
    const timer = timeoutMs === undefined ? undefined : this.#clock.after(timeoutMs, late, { background: true });
    signal?.addEventListener('abort', giveUp, { once: true });
    return () => {
      timer?.cancel();
      signal?.removeEventListener('abort', giveUp);
    };
  }

  #request(sent: Sent, credential: Credential & { readonly basic?: string }): http.ClientRequest {
    const { server } = this.#connection;
    const target = `${server.pathname.replace(/\/$/, '')}${sent.target}`;
    const { token, basic, certificate } = credential;
    const proof =
      token !== undefined
        ? { Authorization: `Bearer ${token}` }
        : basic !== undefined
          ? { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
          : {};
    const length = sent.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(sent.body)) };
    return (server.protocol === 'https:' ? https : http).request({
      protocol: server.protocol,
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port === '' ? undefined : server.port,
      method: sent.method,
      path: target,
      headers: { ...sent.headers, ...length, ...proof },
      agent: this.#agentFor(certificate),
    });
  }

  #agentFor(certificate: Credential['certificate']): http.Agent {
    if (this.#agent !== undefined && this.#agent.of === certificate) return this.#agent.agent;
    this.#agent?.agent.destroy();
    const agent = this.#newAgent(certificate);
    this.#agent = { of: certificate, agent };
    return agent;
  }

  #newAgent(certificate: Credential['certificate']): http.Agent {
    const { server, tls: proof, proxy } = this.#connection;
    const kept = {
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
      timeout: undefined,
      scheduling: 'lifo',
    } as const;
    if (server.protocol === 'http:') return new http.Agent(kept);
    const host = server.hostname.replace(/^\[|\]$/g, '');
    const options = {
      ...(proof.ca === undefined ? {} : { ca: proof.ca }),
      ...certificate,
      ...serverNameOf(proof.serverName ?? host),
      rejectUnauthorized: !proof.isUnchecked,
    };
    try {
      tls.createSecureContext(options);
    } catch (error) {
      throw new Unreachable('certificate', `the certificates of the kubeconfig cannot be used: ${String(error)}`);
    }
    const agent = new https.Agent({ ...kept, ...options });
    return proxy === undefined ? agent : throughProxy(agent, proxy, this.#clock);
  }

  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = undefined;
  }
}

/** An address is no name that a TLS client may send, but certificates are checked for it all the same. */
const serverNameOf = (name: string): { readonly servername: string } | object =>
  /^[\d.]+$|:/.test(name) ? {} : { servername: name };

/** The same agent, whose connections go through a proxy that is asked to connect. */
function throughProxy(agent: https.Agent, proxy: URL, clock: Clock): https.Agent {
  const direct = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const { host, port } = options as { readonly host?: string; readonly port?: number | string };
    const target = `${host?.includes(':') === true ? `[${host}]` : (host ?? '')}:${port ?? 443}`;
    const secret = decodeURIComponent(`${proxy.username}:${proxy.password}`);
    const headers = {
      host: target,
      ...(proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` }),
    };
    const at = { host: proxy.hostname, port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80) };
    const asked = (proxy.protocol === 'https:' ? https : http).request({
      ...at,
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    });
    const name = `the proxy ${proxy.protocol}//${proxy.host}`;
    const timer = clock.after(CONNECT_MS_MAX, () => asked.destroy(new Error('connection timed out')), {
      background: true,
    });
    const fail = (error: Error): void => {
      timer.cancel();
      done?.(error instanceof Unreachable ? error : unreachable(name, error), undefined as never);
    };
    asked.once('error', fail);
    asked.once('connect', (answer, socket) => {
      timer.cancel();
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(new Unreachable('network', `${name} refuses to connect to ${target}: ${answer.statusCode}`));
        return;
      }
      const secure = direct({ ...options, socket } as never, undefined) as TLSSocket;
      done?.(null, secure);
    });
    asked.end();
    return undefined;
  };
  return agent;
}

/** The whole body as text. Throws an Unreachable when it breaks off. */
export async function bodyOf(answered: Answered, server: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const isPacked = answered.headers['content-encoding'] === 'gzip';
    const stream: AsyncIterable<Buffer> = isPacked ? answered.stream.pipe(createGunzip()) : answered.stream;
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > ANSWER_BYTES_MAX)
        throw new Unreachable('answer', `${server} answers more than ${ANSWER_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Unreachable ? error : unreachable(server, error as NodeJS.ErrnoException);
  }
  return Buffer.concat(chunks).toString('utf8');
}
