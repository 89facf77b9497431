// A method of a service: its path and how its messages become bytes. Client and server use the same declaration.
import type { Codec } from './codec.ts';
import type { Decoded, Given, MessageTable } from './descriptor.ts';

export interface Method<RequestGiven, RequestRead, ResponseGiven, ResponseRead> {
  /** `/etcdserverpb.KV/Range` */
  readonly path: string;
  readonly encodeRequest: (request: RequestGiven) => Buffer;
  readonly decodeRequest: (bytes: Uint8Array) => RequestRead;
  readonly encodeResponse: (response: ResponseGiven) => Buffer;
  readonly decodeResponse: (bytes: Uint8Array) => ResponseRead;
}

/** What the client of a method needs. */
export type Called<Request, Response> = Method<Request, unknown, never, Response>;
/** What the server of a method needs. */
export type Served<Request, Response> = Method<never, Request, Response, unknown>;

export function method<T extends MessageTable, Q extends keyof T & string, R extends keyof T & string>(
  codec: Codec<T>,
  path: string,
  request: Q,
  response: R,
): Method<Given<T, Q>, Decoded<T, Q>, Given<T, R>, Decoded<T, R>> {
  return {
    path,
    encodeRequest: (given) => codec.encode(request, given),
    decodeRequest: (bytes) => codec.decode(request, bytes),
    encodeResponse: (given) => codec.encode(response, given),
    decodeResponse: (bytes) => codec.decode(response, bytes),
  };
}
