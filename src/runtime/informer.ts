// One kind of object as the server has it, kept from a watch. Handlers run synchronously, in the order they subscribed,
// after content and indexes have taken the change; a handler that subscribes late is first told everything there is.
// What holds once `synced`: replaying the changes told to any handler gives exactly the content.
import { Aborted, type Clock, type DurationMs, SETTLED } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Cluster, Disposable } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import { every } from './every.ts';
import { Indexer, type Indexes } from './indexer.ts';
import { reportFailure } from './supervise.ts';
import type { Timeline } from './timeline.ts';
import { type ObjectEvent, Watcher } from './watcher.ts';

export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly before: T; readonly object: T }
  | { readonly type: 'deleted'; readonly object: T };
export interface Lister<T extends KubeObject> {
  readonly synced: boolean;
  get(key: ObjectKey): T | undefined;
  all(): IterableIterator<T>;
  /** O(size of the answer). Indexes are declared when the informer is built and kept from changes. */
  by(index: string, value: string): IterableIterator<T>;
}
export interface Informer<T extends KubeObject> extends Lister<T> {
  /** `onChange` may answer SETTLED. */
  subscribe(onChange: (change: Change<T>, reason: Reason) => unknown): Disposable;
  start(signal: AbortSignal): void;
}

export interface InformerOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Every object is told again this often, as an update with equal sides. */
  readonly resyncMs?: DurationMs;
}
export interface SharedInformerOptions<T extends KubeObject> {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly log: Log;
  readonly resource: Resource<T>;
  readonly indexes?: Indexes<T>;
  readonly options?: InformerOptions;
}

type Handler<T> = (change: Change<T>, reason: Reason) => unknown;

export class SharedInformer<T extends KubeObject> implements Informer<T> {
  readonly #options: SharedInformerOptions<T>;
  readonly #content: Indexer<T>;
  /** Replaced, never changed: a handler may come or go while others are told. */
  #handlers: readonly { readonly onChange: Handler<T> }[] = [];
  readonly #watcher: Watcher<T>;
  #signal: AbortSignal | undefined;
  #synced = false;
  /** Run once, at the first sync; empty ever after. */
  #onSynced: (() => void)[] = [];

  constructor(options: SharedInformerOptions<T>) {
    this.#options = options;
    this.#content = new Indexer(options.indexes ?? {});
    const { namespace, labelSelector, fieldSelector } = options.options ?? {};
    this.#watcher = new Watcher({
      cluster: options.cluster,
      clock: options.clock,
      random: options.random.fork(`informer/${options.resource.group}/${options.resource.plural}`),
      resource: options.resource,
      selection: {
        ...(namespace === undefined ? {} : { namespace }),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      },
      onForbidden: ({ message }) =>
        options.log.write('warn', `cannot follow ${options.resource.plural}, and tries again: ${message}`),
      onReplace: (items) => this.#replace(items),
      onEvent: (event) => this.#apply(event),
    });
  }

  get resource(): Resource<T> {
    return this.#options.resource;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get(key: ObjectKey): T | undefined {
    return this.#content.get(key);
  }

  all(): IterableIterator<T> {
    return this.#content.all();
  }

  by(index: string, value: string): IterableIterator<T> {
    return this.#content.by(index, value);
  }

  /** Indexes may be added at any time; a name that is there already keeps its meaning. */
  addIndexes(indexes: Indexes<T>): void {
    this.#content.addIndexes(indexes);
  }

  subscribe(onChange: Handler<T>): Disposable {
    const handler = { onChange };
    for (const object of this.#content.all()) this.#tell(handler, { type: 'added', object }, this.#changed(object));
    this.#handlers = [...this.#handlers, handler];
    return {
      dispose: () => {
        this.#handlers = this.#handlers.filter((each) => each !== handler);
      },
    };
  }

  /** The first start counts; later ones change nothing. */
  start(signal: AbortSignal): void {
    if (this.#signal !== undefined) return;
    this.#signal = signal;
    this.#watcher.start(signal);
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new Aborted());
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(new Aborted());
      signal.addEventListener('abort', onAbort, { once: true });
      this.#onSynced.push(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  #replace(items: readonly T[]): void {
    const listed = new Set<ObjectKey>();
    for (const object of items) {
      listed.add(keyOf(object));
      this.#put(object);
    }
    for (const object of this.#content.all()) {
      // The write that took it away is unknown: only its absence was seen.
      if (!listed.has(keyOf(object))) this.#drop(object, null);
    }
    this.#becomeSynced();
  }

  #apply(event: ObjectEvent<T>): unknown {
    if (event.type !== 'DELETED') return this.#put(event.object);
    return this.#drop(event.object, this.#options.timeline.entryOf(event.object.metadata.resourceVersion));
  }

  #put(object: T): unknown {
    const before = this.#content.get(keyOf(object));
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return SETTLED;
    this.#content.set(object);
    return this.#tellAll(
      before === undefined ? { type: 'added', object } : { type: 'updated', before, object },
      this.#changed(object),
    );
  }

  #drop(object: T, entry: number | null): unknown {
    const key = keyOf(object);
    if (this.#content.delete(key) === undefined) return SETTLED;
    return this.#tellAll(
      { type: 'deleted', object },
      { type: 'changed', kind: this.#options.resource.kind, key, entry },
    );
  }

  #becomeSynced(): void {
    if (this.#synced) return;
    this.#synced = true;
    const waiting = this.#onSynced;
    this.#onSynced = [];
    for (const wake of waiting) wake();
    this.#startResync();
  }

  #startResync(): void {
    const { clock, log, options, resource } = this.#options;
    const signal = this.#signal;
    if (options?.resyncMs === undefined || signal === undefined) return;
    const pass = (): void => {
      for (const object of this.#content.all()) {
        this.#tellAll({ type: 'updated', before: object, object }, { type: 'resync', entry: null });
      }
    };
    every({ clock, log, signal }, { name: `resync of ${resource.plural}`, periodMs: options.resyncMs, pass });
  }

  #changed(object: T): Reason {
    const entry = this.#options.timeline.entryOf(object.metadata.resourceVersion);
    return { type: 'changed', kind: this.#options.resource.kind, key: keyOf(object), entry };
  }

  /** A handler that subscribes meanwhile has been told this change with the content. */
  #tellAll(change: Change<T>, reason: Reason): unknown {
    let isSettled = true;
    for (const handler of this.#handlers) if (this.#tell(handler, change, reason) !== SETTLED) isSettled = false;
    return isSettled ? SETTLED : undefined;
  }

  /** A handler that throws must not keep the change from the others, nor break the stream it came on. */
  #tell(handler: { readonly onChange: Handler<T> }, change: Change<T>, reason: Reason): unknown {
    try {
      return handler.onChange(change, reason);
    } catch (error) {
      return reportFailure(`handler of ${this.#options.resource.plural}`, error, this.#options.log);
    }
  }
}

/** Something to wait for before work starts. */
export interface Syncable {
  whenSynced(signal: AbortSignal): Promise<void>;
}

export async function waitForSync(informers: readonly Syncable[], signal: AbortSignal): Promise<void> {
  await Promise.all(informers.map((informer) => informer.whenSynced(signal)));
}
