// Requests and answers of HTTP, free of any socket: what the rest of the room speaks, whatever carries it.
import type { Duplex } from 'node:stream';
import { entityTooLarge } from '../../kube/api-error.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/server/config.go */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

/** What carries requests asks this of every byte it takes. Throws RequestEntityTooLarge. */
export function requireBodySize(bytes: number): void {
  if (bytes > BODY_BYTES_MAX) throw entityTooLarge(`limit is ${BODY_BYTES_MAX}`);
}

/** Who the other end proved to be by its certificate. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in small hexadecimal letters. */
  readonly fingerprint?: string;
  /** Signed by our own authority, and in force. */
  readonly isTrusted: boolean;
}

export interface HttpRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty where the header is missing; by its name in small letters. */
  header(name: string): string;
  /** All of them, each value apart, by names in small letters. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Once, and only where a body is wanted. Throws entityTooLarge, and timeout for one that does not come. */
  body(): Promise<Uint8Array>;
  readonly certificate: ClientCertificate | undefined;
  /** Where it comes from, if that is known. */
  readonly remoteAddress?: string;
}

export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

export interface WholeAnswer {
  readonly type: 'whole';
  readonly code: number;
  readonly contentType: string;
  readonly headers: HeaderValues;
  readonly body: Uint8Array;
}

/** What a stream is written to. */
export interface StreamOut {
  /** False: nothing more until told that there is room again. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** Breaks off, whatever is still on its way. */
  abort(): void;
}

export interface OpenStream {
  /** There is room again. */
  drained(): void;
  /** The other end has gone, or the server goes. */
  dispose(): void;
}

export interface StreamAnswer {
  readonly type: 'stream';
  readonly code: number;
  readonly contentType: string;
  readonly headers: HeaderValues;
  open(out: StreamOut): OpenStream;
}

/** The connection itself goes to another server. Only for requests that came with an upgrade. */
export interface TunnelAnswer {
  readonly type: 'tunnel';
  /** Takes the client's connection over, for good. */
  open(client: Duplex): void;
}

export type HttpAnswer = WholeAnswer | StreamAnswer | TunnelAnswer;

export function wholeAnswer(
  code: number,
  contentType: string,
  body: Uint8Array | string,
  headers: HeaderValues = {},
): WholeAnswer {
  return { type: 'whole', code, contentType, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
}

/** As a Go server answers what no handler knows. */
export const pageNotFound = (): WholeAnswer => wholeAnswer(404, 'text/plain; charset=utf-8', '404 page not found\n');
