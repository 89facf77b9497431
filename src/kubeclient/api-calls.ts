// One request and its answer as JSON, tried again where the server asks for it or where nothing can have happened yet.
// kubernetes:staging/src/k8s.io/client-go/rest/with_retry.go
import { backoffAfter } from '../base/backoff.ts';
import { type Clock, SECOND_MS, sleepOn } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { TokenBucket } from '../base/token-bucket.ts';
import { type StatusError, fromStatus } from '../kube/api-error.ts';
import { Unreachable, firstLine } from './client-fault.ts';
import type { Connection } from './connection.ts';
import { type Answered, type Sent, type Transport, bodyOf } from './transport.ts';

const TRIES_MAX = 10;
const BACKOFF = { initialMs: 100, factor: 2, maxMs: 5 * SECOND_MS } as const;
/** A wait is made up to this part longer, so that many clients do not come back at once. */
const JITTER = 0.2;
const ANSWER_MS_MAX = 60 * SECOND_MS;
const JSON_TYPE = 'application/json';

export interface ApiCall {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** The answer may be large. */
  readonly mayPack?: boolean;
}

export interface ApiCallsOptions {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  readonly bucket: TokenBucket | undefined;
  readonly impersonation: readonly (readonly [string, string])[];
  /** Told what the server says when it denies a right. */
  readonly onForbidden?: ((message: string) => void) | undefined;
}

export class ApiCalls {
  readonly #options: ApiCallsOptions;
  readonly #headers: Readonly<Record<string, string | string[]>>;

  constructor(options: ApiCallsOptions) {
    this.#options = options;
    const impersonation: Record<string, string[]> = {};
    for (const [name, value] of options.impersonation) (impersonation[name] ??= []).push(value);
    this.#headers = { Accept: JSON_TYPE, 'User-Agent': options.userAgent, ...impersonation };
  }

  /** The parsed answer. Throws a StatusError, of which an Unreachable is one. */
  async ask(call: ApiCall): Promise<unknown> {
    const answered = await this.open(call);
    const text = await bodyOf(answered, this.#options.connection.server.origin);
    return this.#parsed(answered, text);
  }

  /** The answer, once the server has agreed to it. */
  async open(call: ApiCall): Promise<Answered> {
    for (let tries = 1; ; tries++) {
      await this.#wait(this.#options.bucket?.reserve() ?? 0, call);
      const result = await this.#once(call);
      if (result instanceof Unreachable) {
        if (tries >= TRIES_MAX || result.why !== 'reset' || call.method !== 'GET') throw result;
        await this.#wait(this.#jittered(backoffAfter(tries, BACKOFF)), call);
        continue;
      }
      if (result.code < 300) return result;
      const waitMs = tries < TRIES_MAX ? this.#retryAfter(result, tries) : undefined;
      if (waitMs === undefined) {
        const failure = await this.#failure(result);
        if (failure.code === 403) this.#options.onForbidden?.(failure.message);
        throw failure;
      }
      result.stream.resume();
      await this.#wait(waitMs, call);
    }
  }

  async #once({
    method,
    target,
    body,
    contentType = JSON_TYPE,
    signal,
    mayPack,
  }: ApiCall): Promise<Answered | Unreachable> {
    const sent: Sent = {
      method,
      target,
      headers: {
        ...this.#headers,
        ...(mayPack === true ? { 'Accept-Encoding': 'gzip' } : {}),
        ...(body === undefined ? {} : { 'Content-Type': contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      timeoutMs: ANSWER_MS_MAX,
    };
    try {
      return await this.#options.transport.send(sent);
    } catch (error) {
      if (error instanceof Unreachable) return error;
      throw error;
    }
  }

  /** How long to wait before the next try; undefined: the answer stands. */
  #retryAfter({ code, headers, credential }: Answered, tries: number): number | undefined {
    if (code === 401) return tries === 1 && this.#options.connection.credentials.refused(credential) ? 0 : undefined;
    const seconds = Number(headers['retry-after'] ?? Number.NaN);
    // Unlike upstream, 504 stands: the server has waited as long as it will, and ten such waits help nobody.
    if ((code !== 429 && code < 500) || code === 504 || !Number.isFinite(seconds)) return undefined;
    return this.#jittered(seconds * SECOND_MS);
  }

  #jittered(waitMs: number): number {
    return waitMs * (1 + JITTER * this.#options.random.fraction());
  }

  async #wait(waitMs: number, { signal, method }: ApiCall): Promise<void> {
    if (waitMs <= 0) return;
    await sleepOn(this.#options.clock, waitMs, signal).catch(() => {
      throw new Unreachable('aborted', `${method} was given up`);
    });
  }

  #parsed({ code }: Answered, text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      const { origin } = this.#options.connection.server;
      throw new Unreachable('answer', `${origin} is no Kubernetes API server: it answers ${code} without JSON`);
    }
  }

  async #failure(answered: Answered): Promise<StatusError> {
    const { origin } = this.#options.connection.server;
    const text = await bodyOf(answered, origin);
    const status = statusIn(text);
    if (status !== undefined) return fromStatus({ ...status, code: status.code ?? answered.code });
    const said = firstLine(text).slice(0, 200);
    return fromStatus({
      code: answered.code,
      message: `${origin} answers ${answered.code}${said === '' ? '' : `: ${said}`}`,
    });
  }
}

type Status = Parameters<typeof fromStatus>[0];

function statusIn(text: string): Status | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
      ? (value as Status)
      : undefined;
  } catch {
    return undefined;
  }
}
