// The door to the network: one TLS port that speaks HTTP/1.1 and HTTP/2. It carries requests to the endpoint and answers
// back, bounds what a client may send and how long it may take, and knows nothing of Kubernetes.
import {
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  createSecureServer,
} from 'node:http2';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, PassThrough, type Readable, type Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { unreachable } from '../../base/assert.ts';
import { type Clock, type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { timeout } from '../../kube/api-error.ts';
import { type Carrier, carrierOfHttp1, carrierOfHttp2 } from './carrier.ts';
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
    this.#server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      void this.#serve(carrierOfHttp1(incoming, outgoing));
    });
    // Whoever listens for requests gets those of HTTP/2 in the same form, which is not wanted here.
    this.#server.removeAllListeners('stream');
    this.#server.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
        if (headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
        void this.#serve(carrierOfHttp2(stream, headers, raw));
      },
    );
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

  async #serve(carrier: Carrier): Promise<void> {
    const { output } = carrier;
    this.#underWay++;
    output.on('error', () => undefined);
    output.once('close', () => {
      this.#underWay--;
      if (this.#isClosing && this.#underWay === 0) this.#cut();
    });
    const request = this.#requestOf(carrier);
    const answer = await this.#options.endpoint.answer(request);
    await this.#send(carrier, answer, request);
  }

  async #send(carrier: Carrier, answer: HttpAnswer, request: HttpRequest): Promise<void> {
    if (carrier.output.destroyed) return discard(answer);
    switch (answer.type) {
      case 'stream':
        return this.#stream(carrier, answer);
      case 'whole':
        return this.#sendWhole(carrier, answer, request);
      case 'tunnel':
        // Only a request that asked for it is answered so, and those come by the other way.
        return carrier.abort();
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
    const outgoing = new ServerResponse(incoming);
    const carrier = carrierOfHttp1(incoming, outgoing);
    const request = { ...this.#requestOf(carrier), body: () => Promise.resolve(new Uint8Array()) };
    const answer = await this.#options.endpoint.answer(request);
    if (socket.destroyed) return discard(answer);
    if (answer.type === 'tunnel') return answer.open(socket);
    outgoing.shouldKeepAlive = false;
    // An HTTP server's own sockets are sockets; the type here says less.
    outgoing.assignSocket(socket as TLSSocket);
    outgoing.once('finish', () => socket.end());
    return this.#send(carrier, answer, request);
  }

  #requestOf(carrier: Carrier): HttpRequest {
    const { target, headers, method, input, socket } = carrier;
    const mark = target.indexOf('?');
    const header = (name: string): string => {
      const value = headers[name] ?? (name === 'host' ? headers[':authority'] : undefined);
      return typeof value === 'string' ? value : (value?.join(', ') ?? '');
    };
    return {
      method,
      path: mark < 0 ? target : target.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
      header,
      body: () => readAll(input, this.#options.clock, this.#limits.bodyMs),
      // Few requests are asked for these, and every request would pay.
      get headers() {
        return headerPairs(carrier);
      },
      get remoteAddress() {
        return socket?.remoteAddress ?? '';
      },
      certificate: this.#certificateOf(carrier),
    };
  }

  /** Asked once for each connection. */
  #certificateOf({ connection, socket }: Carrier): ClientCertificate | undefined {
    if (connection === undefined || socket === undefined) return undefined;
    const known = this.#certificates.get(connection);
    if (known !== undefined) return known;
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

  async #sendWhole(carrier: Carrier, answer: WholeAnswer, request: HttpRequest): Promise<void> {
    const { code, contentType, headers } = answer;
    const { output } = carrier;
    const { body, encodingHeaders } = await compressed(answer.body, request.header('accept-encoding'));
    const type = contentType === '' ? {} : { 'content-type': contentType };
    const length = code === 304 ? {} : { 'content-length': body.length };
    carrier.head(code, { ...headers, ...encodingHeaders, ...type, ...length });
    if (request.method === 'HEAD' || body.length === 0) output.end();
    else writeAll(output, body);
    if (output.writableLength === 0) return;
    const timer = this.#options.clock.after(ANSWER_MS_MAX, () => carrier.abort(), { background: true });
    output.once('close', () => timer.cancel());
  }

  #stream(carrier: Carrier, answer: StreamAnswer): void {
    const { output } = carrier;
    const type = answer.contentType === '' ? {} : { 'content-type': answer.contentType };
    carrier.headNow(answer.code, { ...answer.headers, ...type });
    const open: OpenStream = answer.open({
      write: (bytes) => output.write(bytes),
      end: () => void output.end(),
      abort: () => carrier.abort(),
    });
    const kept = { end: () => void output.end() };
    this.#streams.add(kept);
    output.on('drain', () => open.drained());
    output.once('close', () => {
      this.#streams.delete(kept);
      open.dispose();
    });
    if (this.#isClosing) output.end();
  }
}

function headerPairs({ rawHeaders }: Carrier): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '']);
  return pairs;
}

/** A piece at a time: what is handed over whole is encrypted whole, and a second copy of a large list is on its way. */
function writeAll(output: Writable, body: Uint8Array): void {
  let at = 0;
  const writeSome = (): void => {
    while (body.length - at > PIECE_BYTES) {
      const piece = body.subarray(at, at + PIECE_BYTES);
      at += PIECE_BYTES;
      if (!output.write(piece)) {
        output.once('drain', writeSome);
        return;
      }
    }
    output.end(body.subarray(at));
  };
  writeSome();
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
function readAll(incoming: Readable, clock: Clock, bodyMs: DurationMs): Promise<Uint8Array> {
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
