// Connections to the servers of nodes and pods. A node is not asked for a proof by default, as upstream does not ask: its
// certificate is its own. Ours is shown to it. Answers are passed on as they come, no faster than they are read.
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Clock, SECOND_MS } from '../../base/clock.ts';
import { StatusError, badRequest, internal, serviceUnavailable, unclassified } from '../../kube/api-error.ts';
import type { Backend } from './backend-request.ts';
import type { KeyPair } from './certificates/authority.ts';
import { NOT_CACHED } from './failure-answer.ts';
import type { HeaderValues, HttpAnswer, HttpRequest, StreamOut } from './http-exchange.ts';
import type { Connections } from './node-endpoint.ts';

/** How long another server may take to begin its answer. */
const ANSWER_MS_MAX = 30 * SECOND_MS;

/** kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/rest/response_checker.go */
const EXPLANATION_LENGTH_MAX = 50_000;

/** Headers that are between two ends of one connection. RFC 9110, 7.6.1 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
/** Whose proof of identity is ours alone to see. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set(['authorization', 'cookie', 'accept-encoding', 'content-length']);

export interface NodeConnectionsOptions {
  readonly clock: Clock;
  /** What we show to a kubelet. */
  readonly identity: KeyPair;
}

export class NodeConnections implements Connections {
  readonly #options: NodeConnectionsOptions;

  constructor(options: NodeConnectionsOptions) {
    this.#options = options;
  }

  async ask(request: HttpRequest, to: Backend, as: 'log' | 'proxy'): Promise<HttpAnswer> {
    const isLog = as === 'log';
    const body = isLog || request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.body();
    const headers = isLog ? {} : { ...passedOn(request), ...forwarded(request) };
    const sent = this.#open(to, isLog ? 'GET' : request.method, headers);
    const response = await this.#answerOf(sent, body).catch((error: unknown) => {
      const why = dialFault(error, to);
      throw isLog
        ? unclassified(`Get "${urlOf(to)}": ${why}`)
        : serviceUnavailable(`error trying to reach service: ${why}`);
    });
    return isLog ? logged(response, to) : streamed(response);
  }

  async join(request: HttpRequest, to: Backend): Promise<HttpAnswer> {
    const headers = { ...passedOn(request), ...upgradeHeaders(request), ...forwarded(request) };
    const sent = this.#open(to, request.method, headers);
    const joined = await this.#upgraded(sent).catch((error: unknown) => {
      throw error instanceof StatusError ? error : unclassified(`error dialing backend: ${dialFault(error, to)}`);
    });
    if ('response' in joined) return streamed(joined.response);
    return { type: 'tunnel', open: (client) => tunnel(client, joined) };
  }

  #open(to: Backend, method: string, headers: Readonly<Record<string, string | readonly string[]>>): ClientRequest {
    const { identity } = this.#options;
    const { host, port, path } = to;
    const options = { host, port, path, method, headers: headers as Record<string, string | string[]>, agent: false };
    if (to.scheme === 'http') return plainRequest(options);
    return tlsRequest({ ...options, key: identity.key, cert: identity.certificate, rejectUnauthorized: false });
  }

  #answerOf(sent: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
    return this.#within(sent, (resolve) => {
      sent.once('response', resolve);
      sent.end(body);
    });
  }

  #upgraded(sent: ClientRequest): Promise<Joined> {
    return this.#within<Joined>(sent, (resolve, reject) => {
      sent.once('upgrade', (response, socket, head) => resolve({ head, socket, opening: openingOf(response) }));
      sent.once('response', (response) => {
        const code = response.statusCode ?? 0;
        if (code < 300 || code >= 400) {
          resolve({ response });
          return;
        }
        response.resume();
        const message = 'the backend attempted to redirect this request, which is not permitted';
        reject(new StatusError({ code: 502, reason: 'Unknown', message }));
      });
      sent.end();
    });
  }

  #within<T>(
    sent: ClientRequest,
    begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const late = (): void => void sent.destroy(new Error('i/o timeout'));
      const timer = this.#options.clock.after(ANSWER_MS_MAX, late, { background: true });
      sent.on('error', reject);
      begin((value) => {
        timer.cancel();
        resolve(value);
      }, reject);
      sent.once('close', () => timer.cancel());
    });
  }
}

interface Tunnel {
  readonly socket: Duplex;
  /** What the other server sent after it had agreed. */
  readonly head: Uint8Array;
  /** Its agreement, as the client gets it. */
  readonly opening: string;
}
type Joined = Tunnel | { readonly response: IncomingMessage };

const openingOf = ({ statusCode = 101, statusMessage = '', rawHeaders }: IncomingMessage): string => {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}\r\n`] : [],
  );
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`;
};

/** Bytes go both ways until either end is closed; then so is the other. */
function tunnel(client: Duplex, { socket, head, opening }: Tunnel): void {
  client.write(opening);
  if (head.length > 0) client.write(head);
  const close = (): void => {
    client.destroy();
    socket.destroy();
  };
  for (const end of [client, socket]) {
    end.on('error', close);
    end.on('close', close);
  }
  client.pipe(socket);
  socket.pipe(client);
}

/** Of a log only the text is passed on; a kubelet's refusal is told as ours. */
async function logged(response: IncomingMessage, { path }: Backend): Promise<HttpAnswer> {
  const { statusCode: code = 502 } = response;
  if (code >= 200 && code <= 206)
    return {
      type: 'stream',
      code,
      contentType: 'text/plain',
      headers: NOT_CACHED,
      open: (out) => pumped(response, out),
    };
  const text = await beginningOf(response);
  if (code === 400) throw badRequest(text);
  if (code === 500) throw internal(text);
  const what = `( pods/log ${path.split('/')[3] ?? ''})`;
  if (code === 404)
    throw new StatusError({
      code,
      reason: 'NotFound',
      message: `the server could not find the requested resource ${what}`,
    });
  const message = `the server responded with the status code ${code} but did not return more information ${what}`;
  throw new StatusError({ code, reason: 'Unknown', message });
}

/** As much of an explanation as anyone reads. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length >= EXPLANATION_LENGTH_MAX) break;
  }
  return text.slice(0, EXPLANATION_LENGTH_MAX);
}

function streamed(response: IncomingMessage): HttpAnswer {
  const { statusCode: code = 502, headers } = response;
  const { 'content-type': contentType = '', ...rest } = headers;
  const kept = Object.entries(rest).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
  );
  return {
    type: 'stream',
    code,
    contentType,
    headers: { ...(Object.fromEntries(kept) as HeaderValues), ...NOT_CACHED },
    open: (out) => pumped(response, out),
  };
}

function pumped(response: IncomingMessage, out: StreamOut): { drained(): void; dispose(): void } {
  response.on('data', (bytes: Buffer) => {
    if (!out.write(bytes)) response.pause();
  });
  response.once('end', () => out.end());
  response.once('error', () => out.abort());
  response.once('aborted', () => out.abort());
  return { drained: () => void response.resume(), dispose: () => void response.destroy() };
}

function passedOn({ headers }: HttpRequest): Readonly<Record<string, string | readonly string[]>> {
  const values = new Map<string, readonly string[]>();
  for (const [name, value] of headers) {
    if (name.startsWith(':') || HOP_BY_HOP.has(name) || NOT_PASSED_ON.has(name) || name.startsWith('impersonate-'))
      continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
}

const forwarded = ({ path }: HttpRequest): Readonly<Record<string, string>> => ({ 'x-forwarded-uri': path });

const upgradeHeaders = (request: HttpRequest): Readonly<Record<string, string>> => ({
  connection: 'Upgrade',
  upgrade: request.header('upgrade'),
});

const urlOf = ({ scheme, host, port, path }: Backend): string => `${scheme}://${host}:${port}${path}`;

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** In the words of a Go program, which are those that people search for. */
function dialFault(error: unknown, { host, port }: Backend): string {
  const { code = '', message = '' } = (error instanceof Error ? error : {}) as { code?: string; message?: string };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return FAULTS[code] === undefined ? message || 'EOF' : `dial tcp ${host}:${port}: ${FAULTS[code]}`;
}
