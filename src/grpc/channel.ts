// A connection to a gRPC server, kept and made anew as needed. A call ends in exactly one way: its answer, or a GrpcError.
// Loading the library takes as long as starting node, so it is loaded with the first channel.
import type * as grpc from '@grpc/grpc-js';
import type { Clock, DurationMs } from '../base/clock.ts';
import type { Called } from './method.ts';
import { GrpcError, grpcCode } from './status.ts';

/** Messages above are refused with RESOURCE_EXHAUSTED, in both directions. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
/** How long a broken connection rests before the library tries again. grpc:doc/connection-backoff.md has 120 s as maximum. */
const RECONNECT_MS = { first: 100, max: 5000 } as const;

/** PEM. */
export interface ChannelTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must bear, where it is not the host of the address. */
  readonly serverName?: string;
}

export interface ChannelOptions {
  /** `host:port`, or `unix:/path/of/socket`. */
  readonly address: string;
  /** The machine's own: a deadline is told to the server, which counts in real time. */
  readonly clock: Clock;
  /** Without it the connection is in the clear, as on a unix socket. */
  readonly tls?: ChannelTls;
  /** Asks a silent connection for a sign of life this often, so that a vanished peer is noticed. */
  readonly keepAliveMs?: DurationMs;
}

export interface CallOptions {
  /** The call ends with DEADLINE_EXCEEDED, here and at the server. */
  readonly deadlineMs?: DurationMs;
  /** The call ends with CANCELLED, here and at the server. */
  readonly signal?: AbortSignal;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Waits for a connection that cannot be made now, until the deadline, instead of failing with UNAVAILABLE. */
  readonly waitForReady?: boolean;
}

export interface MessageSink<Response> {
  message(response: Response): void;
  /** Called once, after the last message. */
  closed(cause: GrpcError | undefined): void;
}

/** The sending side of a call with two streams. */
export interface RequestStream<Request> {
  send(request: Request): void;
  /** Nothing more will be sent; the server may still answer. */
  end(): void;
  /** The call ends with CANCELLED. */
  cancel(): void;
}

interface Cancellable {
  cancel(): void;
}

export async function openChannel(options: ChannelOptions): Promise<Channel> {
  const { grpcLibrary } = await import('./library.ts');
  return new Channel(grpcLibrary, options);
}

export class Channel {
  readonly #library: typeof grpc;
  readonly #client: grpc.Client;
  readonly #clock: Clock;

  constructor(library: typeof grpc, { address, clock, tls, keepAliveMs }: ChannelOptions) {
    this.#library = library;
    this.#clock = clock;
    this.#client = new library.Client(address, credentialsOf(library, tls), {
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
      'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
      'grpc.max_reconnect_backoff_ms': RECONNECT_MS.max,
      // Retries are for the caller to decide, who knows which calls may be repeated.
      'grpc.enable_retries': 0,
      // Environment variables must not lead a call to a local socket through a proxy.
      'grpc.enable_http_proxy': 0,
      // Two channels to one address are two connections, so that closing one does not touch the other.
      'grpc.use_local_subchannel_pool': 1,
      ...(tls?.serverName === undefined
        ? {}
        : { 'grpc.ssl_target_name_override': tls.serverName, 'grpc.default_authority': tls.serverName }),
      // A unix socket has no name to tell; some servers refuse the path that the library would send.
      ...(address.startsWith('unix:') ? { 'grpc.default_authority': 'localhost' } : {}),
      ...(keepAliveMs === undefined ? {} : { 'grpc.keepalive_time_ms': keepAliveMs }),
    });
  }

  unary<Request, Response>(
    method: Called<Request, Response>,
    request: Request,
    options: CallOptions = {},
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted === true) {
        reject(new GrpcError('CANCELLED', 'the call was given up before it began'));
        return;
      }
      let release = (): void => undefined;
      const call = this.#client.makeUnaryRequest(
        method.path,
        method.encodeRequest,
        method.decodeResponse,
        request,
        this.#metadata(options),
        this.#callOptions(options),
        (error, response) => {
          release();
          if (error !== null) reject(errorOf(error));
          else if (response === undefined) reject(new GrpcError('INTERNAL', 'the server answered nothing'));
          else resolve(response);
        },
      );
      release = cancelWith(options.signal, call);
    });
  }

  serverStream<Request, Response>(
    method: Called<Request, Response>,
    request: Request,
    sink: MessageSink<Response>,
    options: CallOptions = {},
  ): { cancel(): void } {
    const call = this.#client.makeServerStreamRequest(
      method.path,
      method.encodeRequest,
      method.decodeResponse,
      request,
      this.#metadata(options),
      this.#callOptions(options),
    );
    deliver(call, sink, cancelWith(options.signal, call));
    return { cancel: () => call.cancel() };
  }

  bidirectional<Request, Response>(
    method: Called<Request, Response>,
    sink: MessageSink<Response>,
    options: CallOptions = {},
  ): RequestStream<Request> {
    const call = this.#client.makeBidiStreamRequest(
      method.path,
      method.encodeRequest,
      method.decodeResponse,
      this.#metadata(options),
      this.#callOptions(options),
    );
    deliver(call, sink, cancelWith(options.signal, call));
    return {
      send: (request) => {
        if (!call.writableEnded && !call.destroyed) call.write(request);
      },
      end: () => void call.end(),
      cancel: () => call.cancel(),
    };
  }

  /** Calls under way end with CANCELLED or UNAVAILABLE. */
  close(): void {
    this.#client.close();
  }

  #metadata({ metadata = {}, waitForReady = false }: CallOptions): grpc.Metadata {
    const made = new this.#library.Metadata({ waitForReady });
    for (const [key, value] of Object.entries(metadata)) made.set(key, value);
    return made;
  }

  #callOptions({ deadlineMs }: CallOptions): grpc.CallOptions {
    return deadlineMs === undefined ? {} : { deadline: this.#clock.now() + deadlineMs };
  }
}

function credentialsOf(library: typeof grpc, tls: ChannelTls | undefined): grpc.ChannelCredentials {
  if (tls === undefined) return library.credentials.createInsecure();
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  return library.credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert));
}

const errorOf = ({ code, details }: grpc.StatusObject): GrpcError => new GrpcError(grpcCode(code), details);

/** Returns what takes the listener off again. */
function cancelWith(signal: AbortSignal | undefined, call: Cancellable): () => void {
  if (signal === undefined) return () => undefined;
  const cancel = (): void => call.cancel();
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}

/** The status comes after the last message; the error event only repeats it. */
function deliver<Response>(
  call: grpc.ClientReadableStream<Response>,
  sink: MessageSink<Response>,
  release: () => void,
): void {
  let isClosed = false;
  const close = (status: grpc.StatusObject): void => {
    if (isClosed) return;
    isClosed = true;
    release();
    sink.closed(grpcCode(status.code) === 'OK' ? undefined : errorOf(status));
  };
  call.on('data', (message: Response) => sink.message(message));
  call.on('error', (error: grpc.ServiceError) => close(error));
  call.on('status', close);
}
