// One list and one watch of each kind for all components of a process, as upstream's programs share their informers. Every
// component still keeps its own copy of what it needs; what is shared is what the server is asked and what is parsed. What
// always holds: a component that lists and then watches misses nothing and sees changes in the server's order. When the
// shared watch has to list again, components are told the difference as changes: their watches never end.
//
// Only the lists of informers are answered from here, which a limit or a lower bound tells: whoever asks for anything else
// wants to know how things stand now, and asks the server.
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { expired } from '../kube/api-error.ts';
import type { Cluster, Disposable, ListOptions, ObjectList, WatchOptions, WatchSink } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf, qualifiedResource } from '../kube/object.ts';
import { type ObjectEvent, LIST_PAGE_SIZE, Watcher } from '../runtime/watcher.ts';

/** Between a list and its watch nothing but the answer's way lies; who is further behind lists again. */
const REPLAYED_EVENTS_MAX = 4096;

export interface SharedReaderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export type Reader = Pick<Cluster, 'list' | 'watch'>;

/** What components of one process read by. */
export class SharedReader {
  readonly #options: SharedReaderOptions;
  readonly #kinds = new Map<string, SharedKind<KubeObject>>();

  constructor(options: SharedReaderOptions) {
    this.#options = options;
  }

  /** For a component that asks for everything else itself. */
  readerFor(own: Cluster): Reader {
    return {
      list: <T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}) =>
        isOfInformer(options) ? this.#kind(resource, options).list() : own.list(resource, options),
      watch: <T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>) =>
        this.#kind(resource, options).watch(options.resourceVersion ?? '', sink),
    };
  }

  #kind<T extends KubeObject>(resource: Resource<T>, options: ListOptions): SharedKind<T> {
    const { namespace, labelSelector, fieldSelector } = options;
    const name = [qualifiedResource(resource), resource.version, namespace, labelSelector, fieldSelector].join(' ');
    const known = this.#kinds.get(name);
    if (known !== undefined && isKindOf(known, resource)) return known;
    const selection = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    const kind = new SharedKind(resource);
    this.#kinds.set(name, kind);
    new Watcher<T>({
      ...this.#options,
      random: this.#options.random.fork(name),
      resource,
      selection,
      onReplace: (items) => kind.replace(items),
      onEvent: (event) => kind.apply(event),
    }).start(this.#options.signal);
    return kind;
  }
}

const isKindOf = <T extends KubeObject>(kind: SharedKind<KubeObject>, resource: Resource<T>): kind is SharedKind<T> =>
  qualifiedResource(kind.resource) === qualifiedResource(resource);

const isOfInformer = ({ limit, resourceVersionMatch }: ListOptions): boolean =>
  limit === LIST_PAGE_SIZE || resourceVersionMatch === 'NotOlderThan';

/** Revisions of lists and watches are places in its own sequence of events, not the server's. */
class SharedKind<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly #objects = new Map<ObjectKey, T>();
  readonly #sinks = new Set<WatchSink<T>>();
  /** The last ones; the newest is number `#count`. */
  readonly #events: ObjectEvent<T>[] = [];
  /** Who waits for the first list. */
  readonly #waiting: (() => void)[] = [];
  #isListed = false;
  #count = 0;

  constructor(resource: Resource<T>) {
    this.resource = resource;
  }

  async list(): Promise<ObjectList<T>> {
    if (!this.#isListed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { items: [...this.#objects.values()], resourceVersion: revision(this.#count) };
  }

  watch(from: string, sink: WatchSink<T>): Disposable {
    const missed = this.#count - countIn(from);
    if (!(missed >= 0 && missed <= this.#events.length)) {
      sink.closed(expired('too old resource version'));
      return { dispose: () => undefined };
    }
    let isOpen = true;
    // An event of its own for each watch: the set holds it once, however often a sink is given.
    const own: WatchSink<T> = {
      event: (event) => (isOpen ? sink.event(event) : undefined),
      closed: (cause) => sink.closed(cause),
    };
    this.#sinks.add(own);
    for (const event of missed === 0 ? [] : this.#events.slice(-missed)) own.event(event);
    return {
      dispose: () => {
        isOpen = false;
        this.#sinks.delete(own);
      },
    };
  }

  replace(items: readonly T[]): void {
    const gone = new Map(this.#objects);
    for (const object of items) {
      const key = keyOf(object);
      const known = this.#objects.get(key);
      gone.delete(key);
      if (known?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      this.#tell({ type: known === undefined ? 'ADDED' : 'MODIFIED', object });
    }
    for (const object of gone.values()) this.#tell({ type: 'DELETED', object });
    this.#isListed = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  apply(event: ObjectEvent<T>): void {
    this.#tell(event);
  }

  #tell(event: ObjectEvent<T>): void {
    const key = keyOf(event.object);
    if (event.type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, event.object);
    this.#count++;
    // Before the first list is whole nobody has anything to go on from.
    if (this.#isListed) this.#keep(event);
    for (const sink of this.#sinks) sink.event(event);
  }

  #keep(event: ObjectEvent<T>): void {
    this.#events.push(event);
    if (this.#events.length > 2 * REPLAYED_EVENTS_MAX) this.#events.splice(0, REPLAYED_EVENTS_MAX);
  }
}

const revision = (count: number): string => `shared-${count}`;
const countIn = (text: string): number => Number(/^shared-(\d+)$/u.exec(text)?.[1] ?? Number.NaN);
