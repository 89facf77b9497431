// Views of the API server for components in the same process. A view is a user: it passes authorization, admission and audit
// like a request over HTTP, waits for its client-side limits, and sees changes after the world's latency.
import { type Clock, type DurationMs, SETTLED } from '../base/clock.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import { type ApiError, badRequest, expired, isApiError } from '../kube/api-error.ts';
import type {
  ChangeOptions,
  ClientLimits,
  Cluster,
  ClusterAccess,
  DeleteOptions,
  Disposable,
  Draft,
  ListOptions,
  ObjectList,
  Patch,
  UpdateAnswer,
  WatchEvent,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiServer } from './apiserver.ts';
import type { User } from './authorization.ts';
import { DeliveryQueue } from './delivery-queue.ts';

/** Events that may be on their way to one sink. A reader further behind is cut off and must list again. */
const UNDELIVERED_EVENTS_MAX = 65_536;

/** How long things take; the world decides. Zero costs no timer. */
export interface Latency {
  request(actor: string): DurationMs;
  watch(actor: string): DurationMs;
}
const NO_LATENCY: Latency = { request: () => 0, watch: () => 0 };

export interface LocalAccessOptions {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly latency?: Latency;
  readonly groupsOf?: (actor: string) => readonly string[];
  readonly undeliveredEventsMax?: number;
  /** Who asks ends with this process, and acts on nothing but the server. */
  readonly within?: boolean;
}

export class LocalClusterAccess implements ClusterAccess {
  readonly #options: LocalAccessOptions;
  readonly #queue: DeliveryQueue;
  readonly #watches = new Map<string, Set<LocalWatch>>();

  constructor(options: LocalAccessOptions) {
    this.#options = options;
    this.#queue = new DeliveryQueue(options.clock);
  }

  as(actor: string, limits?: ClientLimits): Cluster {
    const { clock, server, groupsOf, within } = this.#options;
    const groups = groupsOf?.(actor) ?? ['system:authenticated'];
    return new LocalCluster(
      {
        user: { name: actor, groups },
        server,
        request: (...asked) => (within === true ? server.requestWithin(...asked) : server.request(...asked)),
        clock,
        latency: this.#options.latency ?? NO_LATENCY,
        bucket: limits === undefined ? undefined : new TokenBucket(clock, limits),
        open: (watch) => this.#open(actor, watch),
      },
      undefined,
    );
  }

  /** Ends every watch of an actor, as a lost connection does. */
  dropWatches(actor: string): void {
    for (const watch of this.#watches.get(actor) ?? []) watch.end(undefined);
  }

  #open(actor: string, sink: WatchSink<KubeObject>): LocalWatch {
    const { latency = NO_LATENCY, undeliveredEventsMax = UNDELIVERED_EVENTS_MAX } = this.#options;
    const ofActor = this.#watches.get(actor) ?? new Set();
    this.#watches.set(actor, ofActor);
    const watch: LocalWatch = new LocalWatch({
      sink,
      undeliveredEventsMax,
      send: (notBefore, deliver) => this.#queue.send(latency.watch(actor), notBefore, deliver),
      ended: () => ofActor.delete(watch),
    });
    ofActor.add(watch);
    return watch;
  }
}

interface LocalWatchOptions {
  readonly sink: WatchSink<KubeObject>;
  readonly undeliveredEventsMax: number;
  readonly send: (notBefore: DurationMs, deliver: () => unknown) => DurationMs;
  readonly ended: () => void;
}

/** One stream from server to sink. After `end` or `dispose` the server is no longer listened to; after `dispose` nothing more arrives. */
class LocalWatch implements Disposable {
  readonly #options: LocalWatchOptions;
  #source: Disposable | undefined;
  #state: 'open' | 'ended' | 'disposed' = 'open';
  #undelivered = 0;
  #lastDue: DurationMs = 0;

  constructor(options: LocalWatchOptions) {
    this.#options = options;
  }

  /** Connects to the server, which may end the watch at once. */
  start(connect: (sink: WatchSink<KubeObject>) => Disposable): void {
    if (this.#state !== 'open') return;
    try {
      const source = connect({ event: (event) => this.#event(event), closed: (cause) => this.end(cause) });
      if (this.#state === 'open') this.#source = source;
      else source.dispose();
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.end(error);
    }
  }

  #event(event: WatchEvent<KubeObject>): void {
    if (this.#state !== 'open') return;
    if (this.#undelivered >= this.#options.undeliveredEventsMax) {
      this.end(expired('the reader of this watch is too slow'));
      return;
    }
    this.#undelivered++;
    this.#send(() => {
      this.#undelivered--;
      return this.#options.sink.event(event);
    });
  }

  end(cause: ApiError | undefined): void {
    if (this.#state !== 'open') return;
    this.#leave('ended');
    this.#send(() => this.#options.sink.closed(cause));
  }

  dispose(): void {
    this.#leave('disposed');
  }

  #leave(state: 'ended' | 'disposed'): void {
    this.#state = state;
    this.#source?.dispose();
    this.#source = undefined;
    this.#options.ended();
  }

  #send(deliver: () => unknown): void {
    this.#lastDue = this.#options.send(this.#lastDue, () => (this.#state === 'disposed' ? SETTLED : deliver()));
  }
}

interface LocalClusterOptions {
  readonly user: User;
  readonly server: Pick<ApiServer, 'watch'>;
  readonly request: ApiServer['request'];
  readonly clock: Clock;
  readonly latency: Latency;
  readonly bucket: TokenBucket | undefined;
  readonly open: (sink: WatchSink<KubeObject>) => LocalWatch;
}

class LocalCluster implements Cluster {
  readonly #options: LocalClusterOptions;
  readonly #reason: Reason | undefined;

  constructor(options: LocalClusterOptions, reason: Reason | undefined) {
    this.#options = options;
    this.#reason = reason;
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    return objectOf<T>(await this.#ask({ verb: 'get', resource, key }));
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const answer = await this.#ask({ verb: 'list', resource, options });
    if (answer.type !== 'list') throw badRequest('a list was asked for');
    return answer.list as ObjectList<T>;
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable {
    const { server, user, open } = this.#options;
    const watch = open(sink);
    const connect = (): void => watch.start((inner) => server.watch(resource, options, user, inner));
    const delay = this.#delay();
    if (delay === 0) connect();
    else this.#options.clock.after(delay, connect);
    return watch;
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, options: WriteOptions = {}): Promise<T> {
    return objectOf<T>(
      await this.#ask({ verb: 'create', resource, namespace: draft.metadata.namespace, object: draft, options }),
    );
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: ChangeOptions = {}): Promise<T> {
    return objectOf<T>(
      await this.#ask({ verb: 'update', resource, key: keyOf(object), ...subresourceOf(options), object, options }),
    );
  }

  sendUpdate<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    answered: (answer: UpdateAnswer<T>) => unknown,
  ): void {
    const { clock } = this.#options;
    const { thereMs, backMs } = this.#way();
    const back = (answer: UpdateAnswer<T>): unknown => {
      if (backMs === 0) return answered(answer);
      clock.after(backMs, () => answered(answer));
      return SETTLED;
    };
    const act = (): unknown => this.#act({ verb: 'update', resource, key: keyOf(object), object, options: {} }, back);
    if (thereMs > 0) clock.after(thereMs, act);
    else act();
  }

  #act<T extends KubeObject>(request: ApiRequest, back: (answer: UpdateAnswer<T>) => unknown): unknown {
    const { user } = this.#options;
    try {
      const answer = this.#options.request(request, user, this.#reason);
      if (!(answer instanceof Promise)) return back({ object: objectOf<T>(answer) });
      void answer.then(
        (later) => back({ object: objectOf<T>(later) }),
        (error: unknown) => back({ error }),
      );
      return undefined;
    } catch (error) {
      return back({ error });
    }
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: ChangeOptions = {},
  ): Promise<T> {
    return objectOf<T>(await this.#ask({ verb: 'patch', resource, key, ...subresourceOf(options), patch, options }));
  }

  async post<R>(
    resource: Resource<KubeObject>,
    key: ObjectKey,
    subresource: 'binding' | 'eviction' | 'token',
    body: object,
  ): Promise<R> {
    const answer = await this.#ask({ verb: 'post', resource, key, subresource, body });
    return (answer.type === 'status' ? answer.status : answer.type === 'object' ? answer.object : answer.list) as R;
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const answer = await this.#ask({ verb: 'delete', resource, key, options });
    return answer.type === 'object' ? (answer.object as T) : undefined;
  }

  async deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    of: ListOptions,
    options: DeleteOptions = {},
  ): Promise<void> {
    await this.#ask({ verb: 'deletecollection', resource, of, options });
  }

  because(reason: Reason): Cluster {
    return new LocalCluster(this.#options, reason);
  }

  /** Half of the latency lies before the server acts, half before its answer arrives: a watch may be faster than the answer. */
  async #ask(request: ApiRequest): Promise<ApiAnswer> {
    const { clock, user } = this.#options;
    const { thereMs, backMs } = this.#way();
    if (thereMs > 0) await pause(clock, thereMs);
    try {
      const answer = this.#options.request(request, user, this.#reason);
      // Only a promise is waited for: in a simulated world an answer costs no turn of the event loop.
      return answer instanceof Promise ? await answer : answer;
    } finally {
      if (backMs > 0) await pause(clock, backMs);
    }
  }

  #way(): { readonly thereMs: DurationMs; readonly backMs: DurationMs } {
    const { bucket, latency, user } = this.#options;
    const latencyMs = latency.request(user.name);
    const backMs = Math.floor(latencyMs / 2);
    return { thereMs: (bucket?.reserve() ?? 0) + latencyMs - backMs, backMs };
  }

  #delay(): DurationMs {
    const { bucket, latency, user } = this.#options;
    return (bucket?.reserve() ?? 0) + latency.request(user.name);
  }
}

/** A sleep that nothing ends early. */
const pause = (clock: Clock, ms: DurationMs): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

function objectOf<T extends KubeObject>(answer: ApiAnswer): T {
  if (answer.type !== 'object') throw badRequest('an object was asked for');
  return answer.object as T;
}

const subresourceOf = ({ subresource }: ChangeOptions): { readonly subresource?: string } =>
  subresource === undefined ? {} : { subresource };
