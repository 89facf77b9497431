// A server for the tests of src/runtime: every revision is kept, and the test decides what goes wrong. Watches are
// delivered synchronously, as the in-process server does.
import { assert } from '../../src/base/assert.ts';
import { alreadyExists, conflict, expired, notFound } from '../../src/kube/api-error.ts';
import type {
  ChangeOptions,
  Cluster,
  Disposable,
  Draft,
  ListOptions,
  ObjectList,
  Patch,
  WatchEvent,
  WatchOptions,
  WatchSink,
} from '../../src/kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf, splitKey } from '../../src/kube/object.ts';
import type { Reason } from '../../src/kube/reason.ts';

interface Revision {
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}
interface OpenWatch {
  readonly resource: string;
  readonly sink: WatchSink<KubeObject>;
}
export interface Call {
  readonly verb: string;
  readonly plural: string;
  readonly key: ObjectKey;
  readonly body?: unknown;
  readonly reason: Reason | undefined;
}

export class HistoryCluster implements Cluster {
  readonly #history: Revision[] = [];
  readonly #watches = new Set<OpenWatch>();
  #oldest = 0;
  /** Every request but lists and watches. */
  readonly calls: Call[] = [];
  /** Called before each request; throws to refuse it. */
  onRequest: (verb: string, key: ObjectKey, options: ListOptions) => void = () => undefined;
  /** How many revisions a list may lag behind. */
  staleness: () => number = () => 0;
  #reason: Reason | undefined;

  get revision(): number {
    return this.#history.length;
  }
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Watches from before this revision, and lists bound to one, answer 410. */
  forgetBefore(revision: number): void {
    this.#oldest = Math.max(this.#oldest, revision);
  }
  closeWatches(error?: Parameters<WatchSink<KubeObject>['closed']>[0]): void {
    for (const watch of Array.from(this.#watches)) {
      this.#watches.delete(watch);
      watch.sink.closed(error);
    }
  }
  bookmark(): void {
    for (const { sink } of this.#watches) {
      sink.event({ type: 'BOOKMARK', resourceVersion: String(this.revision), initialEventsEnd: false });
    }
  }
  contentOf(resource: Resource<KubeObject>, revision: number = this.revision): Map<ObjectKey, KubeObject> {
    const content = new Map<ObjectKey, KubeObject>();
    for (const { resource: plural, type, object } of this.#history.slice(0, revision)) {
      if (plural !== resource.plural) continue;
      if (type === 'DELETED') content.delete(keyOf(object));
      else content.set(keyOf(object), object);
    }
    return content;
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    this.onRequest('get', key, {});
    const found = this.contentOf(resource).get(key);
    if (found === undefined) throw notFound(resource, splitKey(key).name);
    return found as T;
  }
  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    this.onRequest('list', '', options);
    const [from = 0, at = this.#listRevision(options)] = options.continue?.split('@').map(Number) ?? [];
    if (options.continue !== undefined && at < this.#oldest) throw expired('continue token expired');
    const all = [...this.contentOf(resource, at).values()] as unknown as T[];
    const items = all.slice(from, from + (options.limit ?? all.length));
    const next = from + items.length;
    const more = next < all.length ? { continue: `${next}@${at}` } : {};
    return { items, resourceVersion: String(at), ...more };
  }
  #listRevision(options: ListOptions): number {
    const bound = Number(options.resourceVersion ?? 0);
    if (bound > this.revision) throw expired('too large');
    return Math.max(bound, this.#oldest, this.revision - this.staleness());
  }
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable {
    const from = Number(options.resourceVersion ?? 0);
    const watch: OpenWatch = { resource: resource.plural, sink };
    if (from < this.#oldest) {
      sink.event({ type: 'ERROR', error: expired('too old resource version') });
      sink.closed(undefined);
      return { dispose: () => undefined };
    }
    this.#watches.add(watch);
    for (const revision of this.#history.slice(from)) deliver(watch, revision);
    return { dispose: () => void this.#watches.delete(watch) };
  }
  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> {
    const object = draft as unknown as T;
    this.#request('create', resource, keyOf(object), draft);
    if (this.contentOf(resource).has(keyOf(object))) throw alreadyExists(resource, object.metadata.name);
    return this.put(resource, object);
  }
  async update<T extends KubeObject>(resource: Resource<T>, object: T, _options?: ChangeOptions): Promise<T> {
    this.#request('update', resource, keyOf(object), object);
    const current = this.contentOf(resource).get(keyOf(object));
    if (current === undefined) throw notFound(resource, object.metadata.name);
    if (current.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw conflict(resource, object.metadata.name);
    }
    return this.put(resource, object);
  }
  async patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch): Promise<T> {
    this.#request('patch', resource, key, patch);
    const current = this.contentOf(resource).get(key);
    if (current === undefined) throw notFound(resource, splitKey(key).name);
    assert(patch.type === 'strategic' || patch.type === 'merge', 'this server merges top-level fields only');
    return this.put(resource, { ...current, ...patch.body } as unknown as T);
  }
  post<R>(): Promise<R> {
    throw new Error('not here');
  }
  async delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
    this.#request('delete', resource, key);
    return this.remove(resource, key);
  }
  deleteCollection(): Promise<void> {
    throw new Error('not here');
  }
  because(reason: Reason): Cluster {
    const view = Object.create(this) as HistoryCluster;
    return new Proxy(view, {
      get: (_target, property) => {
        const value: unknown = Reflect.get(this, property);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          this.#reason = reason;
          try {
            return (value as (...all: unknown[]) => unknown).apply(this, parameters);
          } finally {
            this.#reason = undefined;
          }
        };
      },
    });
  }

  #request(verb: string, resource: Resource<KubeObject>, key: ObjectKey, body?: unknown): void {
    this.calls.push({ verb, plural: resource.plural, key, body, reason: this.#reason });
    this.onRequest(verb, key, {});
  }
  /** Writes without asking `onRequest`: what others do. */
  put<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const known = this.contentOf(resource).has(keyOf(object));
    return this.#commit(resource, known ? 'MODIFIED' : 'ADDED', object);
  }
  remove<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    const object = this.contentOf(resource).get(key) as T | undefined;
    return object === undefined ? undefined : this.#commit(resource, 'DELETED', object);
  }
  #commit<T extends KubeObject>(resource: Resource<T>, type: Revision['type'], object: T): T {
    const resourceVersion = String(this.revision + 1);
    const committed = { ...object, metadata: { ...object.metadata, resourceVersion } };
    const revision: Revision = { resource: resource.plural, type, object: committed };
    this.#history.push(revision);
    for (const watch of Array.from(this.#watches)) deliver(watch, revision);
    return committed;
  }
}

function deliver(watch: OpenWatch, revision: Revision): void {
  if (revision.resource !== watch.resource) return;
  watch.sink.event({ type: revision.type, object: revision.object } satisfies WatchEvent<KubeObject>);
}
