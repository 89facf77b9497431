// What brings one request and takes its answer, in HTTP/1.1 or HTTP/2. HTTP/2 is spoken by its streams themselves:
// node's imitation of HTTP/1.1 on top of them makes two more objects and a dozen listeners for each request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type IncomingHttpHeaders, type ServerHttp2Stream, constants } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { HeaderValues } from './http-exchange.ts';

export interface Carrier {
  readonly method: string;
  /** As sent, with the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** What lasts from one request to the next of a client. */
  readonly connection: object | undefined;
  readonly socket: TLSSocket | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /** Before anything is written, and once. */
  head(code: number, headers: AnswerHeaders): void;
  /** The same, at once. */
  headNow(code: number, headers: AnswerHeaders): void;
  /** Breaks off; the other end must not take it for a proper end. */
  abort(): void;
}

type AnswerHeaders = HeaderValues | Readonly<Record<string, string | number | readonly string[]>>;

export function carrierOfHttp1(incoming: IncomingMessage, outgoing: ServerResponse): Carrier {
  const { method = 'GET', url: target = '/', headers, rawHeaders } = incoming;
  incoming.on('error', () => undefined);
  // The port speaks TLS alone.
  const socket = incoming.socket as TLSSocket;
  const head = (code: number, given: AnswerHeaders): void => void outgoing.writeHead(code, writable(given));
  return {
    method,
    target,
    headers,
    rawHeaders,
    connection: socket,
    socket,
    input: incoming,
    output: outgoing,
    head,
    headNow: (code, given) => {
      head(code, given);
      outgoing.flushHeaders();
    },
    abort: () => void outgoing.destroy(),
  };
}

export function carrierOfHttp2(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): Carrier {
  const { session } = stream;
  const head = (code: number, given: AnswerHeaders): void => {
    if (!stream.destroyed) stream.respond({ ...writable(given), ':status': code });
  };
  return {
    method: headers[':method'] ?? 'GET',
    target: headers[':path'] ?? '/',
    headers,
    rawHeaders,
    connection: session,
    socket: session?.socket as TLSSocket | undefined,
    input: stream,
    output: stream,
    head,
    headNow: head,
    abort: () => {
      // Closing names the code but waits for what is still to be sent; destroying does not wait.
      stream.close(constants.NGHTTP2_CANCEL);
      stream.destroy();
    },
  };
}

/** What node takes is not said to stay as it is, and does. */
const writable = (headers: AnswerHeaders): Record<string, string | number | string[]> =>
  headers as Record<string, string | number | string[]>;
