// The view of a component that can die. A pass that was waiting when its process ended must not go on to write: what
// nobody remembers having asked for nobody may do.
import { Aborted } from '../base/clock.ts';
import type {
  ChangeOptions,
  Cluster,
  DeleteOptions,
  Disposable,
  Draft,
  ListOptions,
  ObjectList,
  Patch,
  SendUpdate,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from '../kube/cluster.ts';
import type { KubeObject, ObjectKey, Resource } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';

export function mortal(inner: Cluster, life: AbortSignal): Cluster {
  return new MortalCluster(inner, life);
}

/** A class rather than an object of closures: a view is made for every turn of every component. */
class MortalCluster implements Cluster {
  readonly #inner: Cluster;
  readonly #life: AbortSignal;

  constructor(inner: Cluster, life: AbortSignal) {
    this.#inner = inner;
    this.#life = life;
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    return this.#alive(await this.#living().get(resource, key));
  }

  async list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>> {
    return this.#alive(await this.#living().list(resource, options));
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable {
    return this.#life.aborted ? { dispose: () => undefined } : this.#inner.watch(resource, options, sink);
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, options?: WriteOptions): Promise<T> {
    return this.#alive(await this.#living().create(resource, draft, options));
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T, options?: ChangeOptions): Promise<T> {
    return this.#alive(await this.#living().update(resource, object, options));
  }

  get sendUpdate(): SendUpdate | undefined {
    const send = this.#inner.sendUpdate?.bind(this.#inner);
    if (send === undefined) return undefined;
    return (resource, object, answered) => {
      if (this.#life.aborted) answered({ error: new Aborted() });
      else send(resource, object, (answer) => answered(this.#life.aborted ? { error: new Aborted() } : answer));
    };
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: ChangeOptions,
  ): Promise<T> {
    return this.#alive(await this.#living().patch(resource, key, patch, options));
  }

  async post<R>(...args: Parameters<Cluster['post']>): Promise<R> {
    return this.#alive(await this.#living().post<R>(...args));
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined> {
    return this.#alive(await this.#living().delete(resource, key, options));
  }

  async deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    of: ListOptions,
    options?: DeleteOptions,
  ): Promise<void> {
    return this.#alive(await this.#living().deleteCollection(resource, of, options));
  }

  because(reason: Reason): Cluster {
    return new MortalCluster(this.#inner.because(reason), this.#life);
  }

  #living(): Cluster {
    if (this.#life.aborted) throw new Aborted();
    return this.#inner;
  }

  #alive<T>(answer: T): T {
    if (this.#life.aborted) throw new Aborted();
    return answer;
  }
}
