// A gRPC server: methods and what answers them. What a handler throws is the caller's status: a GrpcError as it is, anything
// else UNKNOWN with its message. When the caller gives up or its deadline passes, the handler's signal fires.
import type * as grpc from '@grpc/grpc-js';
import type { Clock, DurationMs, InstantMs } from '../base/clock.ts';
import { MESSAGE_BYTES_MAX } from './channel.ts';
import type { Served } from './method.ts';
import { GRPC_CODES, GrpcError } from './status.ts';

export interface ServedCall {
  readonly signal: AbortSignal;
  /** When the caller stops waiting; undefined if it never does. */
  readonly deadlineAt: InstantMs | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ResponseStream<Response> {
  send(response: Response): void;
}

/** PEM. With `ca`, callers must show a certificate of it. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

export interface ServerAddress {
  /** `host:port` (port 0: any), or `unix:/path/of/socket`. */
  readonly address: string;
  readonly tls?: ServerTls;
}

export async function makeServer(clock: Clock): Promise<GrpcServer> {
  const { grpcLibrary } = await import('./library.ts');
  return new GrpcServer(grpcLibrary, clock);
}

export class GrpcServer {
  readonly #library: typeof grpc;
  readonly #server: grpc.Server;
  readonly #clock: Clock;

  constructor(library: typeof grpc, clock: Clock) {
    this.#library = library;
    this.#clock = clock;
    this.#server = new library.Server({
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    });
  }

  unary<Request, Response>(
    method: Served<Request, Response>,
    handler: (request: Request, call: ServedCall) => Promise<Response> | Response,
  ): void {
    const handle = (call: grpc.ServerUnaryCall<Request, Response>, answer: grpc.sendUnaryData<Response>): void => {
      const run = async (): Promise<Response> => handler(call.request, callOf(call));
      run().then(
        (response) => answer(null, response),
        (error: unknown) => answer(statusOf(error)),
      );
    };
    this.#server.register(method.path, handle, method.encodeResponse, method.decodeRequest, 'unary');
  }

  /** The stream ends when the handler does. */
  serverStream<Request, Response>(
    method: Served<Request, Response>,
    handler: (request: Request, stream: ResponseStream<Response>, call: ServedCall) => Promise<void>,
  ): void {
    const handle = (call: grpc.ServerWritableStream<Request, Response>): void => {
      handler(call.request, { send: (response) => void call.write(response) }, callOf(call)).then(
        () => call.end(),
        (error: unknown) => call.emit('error', statusOf(error)),
      );
    };
    this.#server.register(method.path, handle, method.encodeResponse, method.decodeRequest, 'serverStream');
  }

  /** The handler gets each request as it comes; the stream ends when the handler's promise does. */
  bidirectional<Request, Response>(
    method: Served<Request, Response>,
    handler: (
      stream: ResponseStream<Response> & { onRequest(take: (request: Request) => void): void },
      call: ServedCall,
    ) => Promise<void>,
  ): void {
    const handle = (call: grpc.ServerDuplexStream<Request, Response>): void => {
      const stream = {
        send: (response: Response) => void call.write(response),
        onRequest: (take: (request: Request) => void) => void call.on('data', take),
      };
      handler(stream, callOf(call)).then(
        () => call.end(),
        (error: unknown) => call.emit('error', statusOf(error)),
      );
    };
    this.#server.register(method.path, handle, method.encodeResponse, method.decodeRequest, 'bidi');
  }

  /** The port, or 0 for a unix socket. */
  listen({ address, tls }: ServerAddress): Promise<number> {
    const credentials = tls === undefined ? this.#library.ServerCredentials.createInsecure() : this.#tls(tls);
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, port) => {
        if (error !== null) reject(new GrpcError('UNAVAILABLE', `cannot listen on ${address}: ${error.message}`));
        else resolve(address.startsWith('unix:') ? 0 : port);
      });
    });
  }

  #tls({ cert, key, ca }: ServerTls): grpc.ServerCredentials {
    const chain = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    return this.#library.ServerCredentials.createSsl(
      ca === undefined ? null : Buffer.from(ca),
      [chain],
      ca !== undefined,
    );
  }

  /** Takes no new calls, lets those under way end for so long, then cuts them. */
  async close(graceMs: DurationMs = 0): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()));
    const cut = this.#clock.after(graceMs, () => this.#server.forceShutdown(), { background: true });
    await closed;
    cut.cancel();
  }
}

interface IncomingCall {
  readonly metadata: grpc.Metadata;
  getDeadline(): grpc.Deadline;
  on(event: 'cancelled', gone: () => void): unknown;
}

function callOf(call: IncomingCall): ServedCall {
  const gone = new AbortController();
  call.on('cancelled', () => gone.abort());
  const deadline = Number(call.getDeadline());
  const metadata = Object.entries(call.metadata.getMap()).map(([key, value]) => [key, value.toString()] as const);
  return {
    signal: gone.signal,
    deadlineAt: Number.isFinite(deadline) ? deadline : undefined,
    metadata: Object.fromEntries(metadata),
  };
}

function statusOf(error: unknown): Partial<grpc.StatusObject> {
  const code = error instanceof GrpcError ? error.code : 'UNKNOWN';
  return { code: GRPC_CODES.indexOf(code), details: error instanceof Error ? error.message : String(error) };
}
