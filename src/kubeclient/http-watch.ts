// One watch over HTTP, from its request to its one `closed`. After `dispose` nothing more arrives.
import { type Clock, SECOND_MS, type Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type StatusError, fromStatus, isApiError } from '../kube/api-error.ts';
import type { Disposable, WatchEvent, WatchOptions, WatchSink } from '../kube/cluster.ts';
import { deepFreeze } from '../kube/deep-freeze.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import type { ApiCalls } from './api-calls.ts';
import { Unreachable, firstLine, unreachable } from './client-fault.ts';
import { collectionPath, listQuery, queryOf } from './request-target.ts';
import { WatchLines } from './watch-lines.ts';

/** A server that does not end a watch when it said it would is not there any more. */
const OVERDUE_MS = 30 * SECOND_MS;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

interface HttpWatchOptions<T extends KubeObject> {
  readonly calls: ApiCalls;
  readonly clock: Clock;
  readonly log: Log;
  /** Scheme, host and port. */
  readonly server: string;
  readonly resource: Resource<T>;
  readonly options: WatchOptions;
  readonly sink: WatchSink<T>;
}

export class HttpWatch<T extends KubeObject> implements Disposable {
  readonly #options: HttpWatchOptions<T>;
  readonly #stop = new AbortController();
  #state: 'open' | 'overdue' | 'closed' = 'open';
  #overdue: Timer | undefined;

  constructor(options: HttpWatchOptions<T>) {
    this.#options = options;
  }

  start(): void {
    const { clock, options, log } = this.#options;
    if (options.timeoutSeconds !== undefined) {
      const dueMs = options.timeoutSeconds * SECOND_MS + OVERDUE_MS;
      this.#overdue = clock.after(dueMs, () => this.#giveUp(), { background: true });
    }
    this.#run().then(
      () => this.#close(undefined),
      (error: unknown) => {
        const cause = this.#causeOf(error);
        if (!isApiError(error) && this.#state !== 'closed')
          log.write('warn', 'a watch broke', { reason: cause.message });
        this.#close(cause);
      },
    );
  }

  dispose(): void {
    this.#state = 'closed';
    this.#overdue?.cancel();
    this.#stop.abort();
  }

  #giveUp(): void {
    this.#state = 'overdue';
    this.#stop.abort();
  }

  #close(cause: StatusError | undefined): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#overdue?.cancel();
    this.#options.sink.closed(cause);
  }

  #causeOf(error: unknown): StatusError {
    const { server } = this.#options;
    if (this.#state === 'overdue') return new Unreachable('timeout', `${server} does not end a watch that is over`);
    if (isStatusError(error)) return error;
    if (!(error instanceof Error)) return new Unreachable('answer', String(error));
    return 'code' in error
      ? unreachable(server, error as NodeJS.ErrnoException)
      : new Unreachable('answer', firstLine(error.message));
  }

  async #run(): Promise<void> {
    const { calls, resource, options } = this.#options;
    const query = queryOf({ ...listQuery(options), watch: true });
    const target = `${collectionPath(resource, options.namespace)}${query}`;
    const { stream } = await calls.open({ method: 'GET', target, signal: this.#stop.signal });
    const lines = new WatchLines();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (const line of lines.take(chunk)) {
        if (this.#state !== 'open') return;
        this.#options.sink.event(eventOf<T>(JSON.parse(line)));
      }
    }
  }
}

const isStatusError = (error: unknown): error is StatusError => isApiError(error);

interface SentEvent {
  readonly type: string;
  readonly object: KubeObject & Parameters<typeof fromStatus>[0];
}

function eventOf<T extends KubeObject>(value: unknown): WatchEvent<T> {
  const { type, object } = value as SentEvent;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: deepFreeze(object) as KubeObject as T };
    case 'BOOKMARK':
      return {
        type,
        resourceVersion: object.metadata.resourceVersion,
        initialEventsEnd: object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true',
      };
    case 'ERROR':
      return { type, error: fromStatus(object) };
    default:
      throw new Unreachable('answer', `an event of unknown type ${JSON.stringify(type)}`);
  }
}
