// What the recordings' player takes for a server: requests go to an endpoint in this process instead of a socket, on a clock
// that moves only while someone waits.
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { compressed } from '../../../src/apiserver/http/compression.ts';
import type { Endpoint } from '../../../src/apiserver/http/endpoint.ts';
import {
  type ClientCertificate,
  type HeaderValues,
  type HttpRequest,
  type OpenStream,
  type WholeAnswer,
  requireBodySize,
} from '../../../src/apiserver/http/http-exchange.ts';
import type { SteppedClock } from '../../../src/base/virtual-clock.ts';

const ADMINISTRATOR: ClientCertificate = { commonName: 'wire', organizations: ['system:masters'], isTrusted: true };
const STEP_MS = 20;

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  /** The player's mark for requests with the administrator's certificate. */
  readonly agent: 'administrator' | 'nobody';
}

export function endpointTransport(endpoint: Endpoint, clock: SteppedClock): unknown {
  const request = (sent: SentRequest): SentOverNothing => new SentOverNothing(endpoint, clock, sent);
  return {
    url: new URL('https://localhost'),
    lib: { request },
    basePath: '',
    adminAgent: 'administrator',
    bareAgent: 'nobody',
    adminHeaders: {},
  };
}

class SentOverNothing extends EventEmitter {
  readonly #endpoint: Endpoint;
  readonly #clock: SteppedClock;
  readonly #sent: SentRequest;
  #stream: OpenStream | undefined;

  constructor(endpoint: Endpoint, clock: SteppedClock, sent: SentRequest) {
    super();
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#sent = sent;
  }

  setTimeout(): void {}

  end(body?: Uint8Array): void {
    void this.#play(body ?? new Uint8Array());
  }

  destroy(): void {
    this.#stream?.dispose();
  }

  async #play(body: Uint8Array): Promise<void> {
    const { headers } = this.#sent;
    const answer = await this.#whileTimePasses(this.#endpoint.answer(requestOf(this.#sent, body)));
    if (answer.type === 'stream') {
      const response = new Received(answer);
      this.emit('response', response);
      this.#stream = answer.open({
        write: (bytes) => response.push(bytes) || true,
        end: () => void response.push(null),
        abort: () => void response.destroy(),
      });
      return;
    }
    if (answer.type === 'tunnel') throw new Error('no recording joins two connections');
    const encoded = await compressed(answer.body, String(headers['accept-encoding'] ?? ''));
    const response = new Received({ ...answer, headers: { ...answer.headers, ...encoded.encodingHeaders } });
    if (this.#sent.method !== 'HEAD') response.push(encoded.body);
    response.push(null);
    this.emit('response', response);
  }

  async #whileTimePasses<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = promise.finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return done;
      await this.#clock.advanceTo(this.#clock.now() + STEP_MS);
    }
  }
}

function requestOf({ method, path, headers, agent }: SentRequest, body: Uint8Array): HttpRequest {
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  return {
    method,
    path: bare,
    query: new URLSearchParams(query),
    header: (name) => String(headers[name] ?? ''),
    headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const),
    certificate: agent === 'administrator' ? ADMINISTRATOR : undefined,
    body: async () => {
      requireBodySize(body.length);
      return Promise.resolve(body);
    },
  };
}

class Received extends Readable {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];

  constructor({ code, contentType, headers }: Pick<WholeAnswer, 'code' | 'contentType' | 'headers'>) {
    super({ read: () => undefined });
    this.statusCode = code;
    const all: HeaderValues = { ...(contentType === '' ? {} : { 'content-type': contentType }), ...headers };
    this.rawHeaders = Object.entries(all).flatMap(([name, value]) => [value].flat().flatMap((each) => [name, each]));
    this.headers = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value].flat().join(', ')]));
  }
}
