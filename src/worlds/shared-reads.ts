// The view of a controller in a manager that keeps one cache for all its controllers: lists and watches are asked for by
// the manager, everything else by the controller itself. kubernetes:cmd/kube-controller-manager/app/controllermanager.go
import type {
  ChangeOptions,
  Cluster,
  DeleteOptions,
  Disposable,
  Draft,
  ListOptions,
  ObjectList,
  Patch,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from '../kube/cluster.ts';
import type { KubeObject, ObjectKey, Resource } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';

export function sharedReads(reader: Cluster, own: Cluster): Cluster {
  return new SharedReads(reader, own);
}

/** A class rather than an object of closures: a view is made for every turn of every component. */
class SharedReads implements Cluster {
  readonly #reader: Cluster;
  readonly #own: Cluster;

  constructor(reader: Cluster, own: Cluster) {
    this.#reader = reader;
    this.#own = own;
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>> {
    return this.#reader.list(resource, options);
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable {
    return this.#reader.watch(resource, options, sink);
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    return this.#own.get(resource, key);
  }

  create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, options?: WriteOptions): Promise<T> {
    return this.#own.create(resource, draft, options);
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: ChangeOptions): Promise<T> {
    return this.#own.update(resource, object, options);
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: ChangeOptions,
  ): Promise<T> {
    return this.#own.patch(resource, key, patch, options);
  }

  post<R>(...args: Parameters<Cluster['post']>): Promise<R> {
    return this.#own.post<R>(...args);
  }

  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    return this.#own.delete(resource, key, options);
  }

  deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    of: ListOptions,
    options?: DeleteOptions,
  ): Promise<void> {
    return this.#own.deleteCollection(resource, of, options);
  }

  because(reason: Reason): Cluster {
    return new SharedReads(this.#reader, this.#own.because(reason));
  }
}
