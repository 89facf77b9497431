// What the program that a component is part of upstream makes of its requests. Writes are signed with the name of the
// program. Where a program keeps one cache for all that is in it, lists and watches are its own, and everything else is
// asked for by the component. kubernetes:cmd/kube-controller-manager/app/controllermanager.go
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

export interface ProgramViewOptions {
  readonly program: string;
  /** The component's own view. */
  readonly own: Cluster;
  /** Whose lists and watches it shares; its own where it shares none. */
  readonly reader?: Pick<Cluster, 'list' | 'watch'>;
}

export function programView({ program, own, reader = own }: ProgramViewOptions): Cluster {
  return new ProgramView(program, own, reader);
}

/** A class rather than an object of closures: a view is made for every turn of every component. */
class ProgramView implements Cluster {
  readonly #program: string;
  readonly #own: Cluster;
  readonly #reader: Pick<Cluster, 'list' | 'watch'>;

  constructor(program: string, own: Cluster, reader: Pick<Cluster, 'list' | 'watch'>) {
    this.#program = program;
    this.#own = own;
    this.#reader = reader;
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
    return this.#own.create(resource, draft, this.#signed(options));
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: ChangeOptions): Promise<T> {
    return this.#own.update(resource, object, this.#signed(options));
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: ChangeOptions,
  ): Promise<T> {
    return this.#own.patch(resource, key, patch, this.#signed(options));
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
    return new ProgramView(this.#program, this.#own.because(reason), this.#reader);
  }

  #signed(options: ChangeOptions | undefined): ChangeOptions {
    return { fieldManager: this.#program, ...options };
  }
}
