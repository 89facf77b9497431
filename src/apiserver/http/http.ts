// The door to the network: one TLS port that speaks HTTP/1.1 and HTTP/2. It carries requests to the endpoint and answers
// back, bounds what a client may send and how long it may take, and knows nothing of Kubernetes.
import {
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  constants,
  createSecureServer,
} from 'node:http2';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { unreachable } from '../../base/assert.ts';
import { type Clock, type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { timeout } from '../../kube/api-error.ts';
import type { KeyPair } from './certificates/authority.ts';
import { compressed } from './compression.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, checkingIntervalMs, endWhenIdle } from './connection-limits.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type ClientCertificate,
  type HttpAnswer,
  type HttpRequest,
  type OpenStream,
  type StreamAnswer,
  type WholeAnswer,
  requireBodySize,
} from './http-exchange.ts';

/** How long a client may take to read an answer that is all there. */
const ANSWER_MS_MAX = MINUTE_MS;
/** A client that vanished without a word is found out by probes. */
const KEEP_ALIVE_PROBE_MS = 30 * SECOND_MS;
/** How long requests under way may take to end once the server stops. */
const FAREWELL_MS = 5 * SECOND_MS;
/** Many watches share one connection, each with a little on its way. */
const SESSION_MEGABYTES_MAX = 64;
const STREAMS_MAX = 1000;
/** Of an answer, handed to the connection at once. */
const PIECE_BYTES = 256 * 1024;

type Incoming = IncomingMessage | Http2ServerRequest;
type Outgoing = ServerResponse | Http2ServerResponse;

export interface HttpServerOptions {
  readonly endpoint: Pick<Endpoint, 'answer'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly tls: KeyPair & { readonly clientAuthority: string };
  /** Instead of the usual ones. */
  readonly limits?: Partial<ConnectionLimits>;
}

export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #limits: ConnectionLimits;
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<TLSSocket>();
  readonly #streams = new Set<{ end(): void }>();
  readonly #certificates = new WeakMap<object, ClientCertificate>();
  #isClosing = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    const limits = { ...CONNECTION_LIMITS, ...options.limits };
    this.#limits = limits;
    const { key, certificate: cert, clientAuthority: ca } = options.tls;
    this.#server = createSecureServer({
      key,
      cert,
      ca,
      allowHTTP1: true,
      requestCert: true,
      // A client without a certificate, or with a strange one, is told so by an answer instead of a broken connection.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.handshakeMs,
      maxSessionMemory: SESSION_MEGABYTES_MAX,
      settings: { maxConcurrentStreams: STREAMS_MAX },
    });
    Object.assign(this.#server, {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.bodyMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: checkingIntervalMs(limits),
      maxConnections: limits.connectionsMax,
    });
    this.#server.on('drop', () => options.log.write('warn', 'too many connections', { max: limits.connectionsMax }));
    this.#server.on('secureConnection', (socket: TLSSocket) => this.#keep(socket));
    this.#server.on('session', (session) => {
      session.setTimeout(0);
      endWhenIdle(session, options.clock, limits);
    });
    this.#server.on('sessionError', (error) => options.log.write('debug', 'connection broken', { why: error.message }));
    this.#server.on('tlsClientError', (error: Error) => options.log.write('debug', 'no TLS', { why: error.message }));
    this.#server.on('request', (incoming, outgoing) => void this.#serve(incoming, outgoing));
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      // A client may speak the other protocol before it is agreed on.
      if (head.length > 0) socket.unshift(head);
      void this.#serveUpgrade(incoming, socket);
    });
  }

  listen(host: string, port: number): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /** Ends all watches, lets requests under way end, then cuts what is left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    for (const stream of this.#streams) stream.end();
    const farewell = this.#options.clock.after(FAREWELL_MS, () => this.#cut(), { background: true });
    if (this.#underWay === 0) this.#cut();
    await closed;
    farewell.cancel();
  }

  #underWay = 0;

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    // An event must not wait for the acknowledgement of the one before.
    socket.setNoDelay(true);
    if (this.#isClosing) socket.destroy();
  }

  async #serve(incoming: Incoming, outgoing: Outgoing): Promise<void> {
    this.#underWay++;
    outgoing.on('error', () => undefined);
    incoming.on('error', () => undefined);
    outgoing.once('close', () => {
      this.#underWay--;
      if (this.#isClosing && this.#underWay === 0) this.#cut();
    });
    const request = this.#requestOf(incoming);
    const answer = await this.#options.endpoint.answer(request);
    await this.#send(outgoing, answer, request);
  }

  async #send(outgoing: Outgoing, answer: HttpAnswer, request: HttpRequest): Promise<void> {
    if (outgoing.destroyed) return discard(answer);
    switch (answer.type) {
      case 'stream':
        return this.#stream(outgoing, answer);
      case 'whole':
        return this.#sendWhole(outgoing, answer, request);
      case 'tunnel':
        // Only a request that asked for it is answered so, and those come by the other way.
        return abort(outgoing);
      default:
        return unreachable(answer);
    }
  }

  /** A client that wants to speak another protocol: it is passed on, or answered as ever and let go. */
  async #serveUpgrade(incoming: IncomingMessage, socket: Duplex): Promise<void> {
    this.#underWay++;
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#underWay--;
    });
    // What follows the headers belongs to the other protocol.
    const request = { ...this.#requestOf(incoming), body: () => Promise.resolve(new Uint8Array()) };
    const answer = await this.#options.endpoint.answer(request);
    if (socket.destroyed) return discard(answer);
    if (answer.type === 'tunnel') return answer.open(socket);
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    // An HTTP server's own sockets are sockets; the type here says less.
    outgoing.assignSocket(socket as TLSSocket);
    outgoing.once('finish', () => socket.end());
    return this.#send(outgoing, answer, request);
  }

  #requestOf(incoming: Incoming): HttpRequest {
    const { url = '/', headers, method = 'GET' } = incoming;
    const mark = url.indexOf('?');
    const header = (name: string): string => {
      const value = headers[name] ?? (name === 'host' ? headers[':authority'] : undefined);
      return Array.isArray(value) ? value.join(', ') : (value ?? '');
    };
    return {
      method,
      path: mark < 0 ? url : url.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
      header,
      body: () => readAll(incoming, this.#options.clock, this.#limits.bodyMs),
      // Few requests are asked for these, and every request would pay.
      get headers() {
        return headerPairs(incoming);
      },
      get remoteAddress() {
        return incoming.socket.remoteAddress ?? '';
      },
      certificate: this.#certificateOf(incoming),
    };
  }

  /** Asked once for each connection. */
  #certificateOf(incoming: Incoming): ClientCertificate | undefined {
    const connection = 'stream' in incoming ? incoming.stream.session : incoming.socket;
    if (connection === undefined) return undefined;
    const known = this.#certificates.get(connection);
    if (known !== undefined) return known;
    const socket = ('stream' in incoming ? incoming.stream.session?.socket : incoming.socket) as TLSSocket | undefined;
    if (socket === undefined) return undefined;
    const { subject, fingerprint256 = '' } = socket.getPeerCertificate() as {
      readonly fingerprint256?: string;
      readonly subject?: { readonly CN?: string; readonly O?: string | readonly string[] };
    };
    if (subject === undefined) return undefined;
    const organizations = subject.O === undefined ? [] : typeof subject.O === 'string' ? [subject.O] : subject.O;
    const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
    const made = { commonName: subject.CN ?? '', organizations, fingerprint, isTrusted: socket.authorized };
    this.#certificates.set(connection, made);
    return made;
  }

  async #sendWhole(outgoing: Outgoing, answer: WholeAnswer, request: HttpRequest): Promise<void> {
    const { code, contentType, headers } = answer;
    const { body, encodingHeaders } = await compressed(answer.body, request.header('accept-encoding'));
    const type = contentType === '' ? {} : { 'content-type': contentType };
    const length = code === 304 ? {} : { 'content-length': body.length };
    outgoing.writeHead(code, { ...headers, ...encodingHeaders, ...type, ...length });
    if (request.method === 'HEAD') outgoing.end();
    else writeAll(outgoing, body);
    if (outgoing.writableLength === 0) return;
    const timer = this.#options.clock.after(ANSWER_MS_MAX, () => abort(outgoing), { background: true });
    outgoing.once('close', () => timer.cancel());
  }

  #stream(outgoing: Outgoing, answer: StreamAnswer): void {
    const type = answer.contentType === '' ? {} : { 'content-type': answer.contentType };
    outgoing.writeHead(answer.code, { ...answer.headers, ...type });
    if ('flushHeaders' in outgoing) outgoing.flushHeaders();
    const open: OpenStream = answer.open({
      write: (bytes) => writeTo(outgoing, bytes),
      end: () => void outgoing.end(),
      abort: () => abort(outgoing),
    });
    const kept = { end: () => void outgoing.end() };
    this.#streams.add(kept);
    outgoing.on('drain', () => open.drained());
    outgoing.once('close', () => {
      this.#streams.delete(kept);
      open.dispose();
    });
    if (this.#isClosing) outgoing.end();
  }
}

function headerPairs({ rawHeaders }: Incoming): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** Both kinds of response have the same method, with signatures that a union cannot call. */
const writeTo = (outgoing: Outgoing, bytes: Uint8Array): boolean =>
  'stream' in outgoing ? outgoing.write(bytes) : outgoing.write(bytes);

/** A piece at a time: what is handed over whole is encrypted whole, and a second copy of a large list is on its way. */
function writeAll(outgoing: Outgoing, body: Uint8Array): void {
  let at = 0;
  const writeSome = (): void => {
    while (body.length - at > PIECE_BYTES) {
      const piece = body.subarray(at, at + PIECE_BYTES);
      at += PIECE_BYTES;
      if (!writeTo(outgoing, piece)) {
        outgoing.once('drain', writeSome);
        return;
      }
    }
    outgoing.end(body.subarray(at));
  };
  writeSome();
}

/** The other end must not take it for a proper end. */
function abort(outgoing: Outgoing): void {
  if (!('stream' in outgoing)) {
    outgoing.destroy();
    return;
  }
  // Closing names the code but waits for what is still to be sent; destroying does not wait.
  outgoing.stream.close(constants.NGHTTP2_CANCEL);
  outgoing.stream.destroy();
}

/** Nobody is there any more to read it: a watch must still be let go. */
function discard(answer: HttpAnswer): void {
  if (answer.type === 'whole') return;
  if (answer.type === 'tunnel') {
    answer.open(new PassThrough().destroy());
    return;
  }
  answer.open({ write: () => true, end: () => undefined, abort: () => undefined }).dispose();
}

/** The rest of a body that is not wanted is read and thrown away, so that the client gets to read the answer. */
function readAll(incoming: Incoming, clock: Clock, bodyMs: DurationMs): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      timer.cancel();
      incoming.removeListener('data', take);
      incoming.resume();
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        requireBodySize(size);
        chunks.push(chunk);
      } catch (error) {
        chunks.length = 0;
        end(() => reject(error));
      }
    };
    const giveUp = (): void => end(() => reject(timeout('the body of the request did not come')));
    const timer = clock.after(bodyMs, giveUp, { background: true });
    incoming.on('data', take);
    incoming.once('end', () => end(() => resolve(Buffer.concat(chunks))));
    incoming.once('aborted', () => end(() => reject(timeout('the client went away'))));
  });
}
