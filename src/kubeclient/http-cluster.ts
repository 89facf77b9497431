// A Cluster over HTTP: each method is one request, a list as many as it has pages.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isApiError } from '../kube/api-error.ts';
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
import { deepFreeze } from '../kube/deep-freeze.ts';
import { type KubeObject, type ObjectKey, type Resource, apiVersionOf, keyOf } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { ApiCalls } from './api-calls.ts';
import { HttpWatch } from './http-watch.ts';
import {
  PATCH_TYPES,
  collectionPath,
  deleteBody,
  listQuery,
  objectPath,
  patchBody,
  queryOf,
  writeQuery,
} from './request-target.ts';

/** kubernetes:staging/src/k8s.io/client-go/tools/pager/pager.go */
const PAGE_ITEMS = 500;

interface HttpClusterOptions {
  readonly calls: ApiCalls;
  readonly clock: Clock;
  readonly log: Log;
  /** Scheme, host and port. */
  readonly server: string;
}

export class HttpCluster implements Cluster {
  readonly #options: HttpClusterOptions;

  constructor(options: HttpClusterOptions) {
    this.#options = options;
  }

  async get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T> {
    return this.#object<T>({ method: 'GET', target: objectPath(resource, key) });
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    if (options.limit !== undefined || options.continue !== undefined) return this.#page(resource, options);
    const items: T[] = [];
    let page = await this.#page(resource, { ...options, limit: PAGE_ITEMS });
    const { resourceVersion } = page;
    items.push(...page.items);
    while (page.continue !== undefined) {
      const { resourceVersion: _first, resourceVersionMatch: _match, ...rest } = options;
      try {
        page = await this.#page(resource, { ...rest, limit: PAGE_ITEMS, continue: page.continue });
      } catch (error) {
        // The state that the pages are of is gone: the whole list in one answer is of one state again.
        if (isApiError(error, 'Expired')) return this.#page(resource, options);
        throw error;
      }
      items.push(...page.items);
    }
    return { items, resourceVersion };
  }

  async #page<T extends KubeObject>(resource: Resource<T>, options: ListOptions): Promise<ObjectList<T>> {
    const target = `${collectionPath(resource, options.namespace)}${queryOf(listQuery(options))}`;
    const list = (await this.#options.calls.ask({ method: 'GET', target, mayPack: true })) as SentList;
    const named = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    const { resourceVersion, continue: token, remainingItemCount } = list.metadata;
    return {
      items: (list.items ?? []).map((item) => deepFreeze({ ...named, ...item }) as KubeObject as T),
      resourceVersion,
      ...(token === undefined || token === '' ? {} : { continue: token }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    };
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable {
    const watch = new HttpWatch({ ...this.#options, resource, options, sink });
    watch.start();
    return watch;
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, options: WriteOptions = {}): Promise<T> {
    const path = collectionPath(resource, resource.namespaced ? draft.metadata.namespace : undefined);
    return this.#object<T>({ method: 'POST', target: `${path}${queryOf(writeQuery(options))}`, body: draft });
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: ChangeOptions = {}): Promise<T> {
    const target = `${changePath(resource, keyOf(object), options)}${queryOf(writeQuery(options))}`;
    return this.#object<T>({ method: 'PUT', target, body: object });
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: ChangeOptions = {},
  ): Promise<T> {
    const force = patch.type === 'apply' && patch.force ? true : undefined;
    const target = `${changePath(resource, key, options)}${queryOf({ ...writeQuery(options), force })}`;
    return this.#object<T>({ method: 'PATCH', target, body: patchBody(patch), contentType: PATCH_TYPES[patch.type] });
  }

  async post<R>(
    resource: Resource<KubeObject>,
    key: ObjectKey,
    subresource: 'binding' | 'eviction' | 'token',
    body: object,
  ): Promise<R> {
    const target = objectPath(resource, key, subresource);
    return deepFreeze(await this.#options.calls.ask({ method: 'POST', target, body })) as R;
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const call = { method: 'DELETE', target: objectPath(resource, key), body: deleteBody(options) };
    const answer = await this.#object<KubeObject>(call);
    return answer.kind === 'Status' ? undefined : (answer as T);
  }

  async deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    of: ListOptions,
    options: DeleteOptions = {},
  ): Promise<void> {
    const target = `${collectionPath(resource, of.namespace)}${queryOf(listQuery(of))}`;
    await this.#options.calls.ask({ method: 'DELETE', target, body: deleteBody(options) });
  }

  /** The reason of a write does not travel: a server has no place for it. */
  because(_reason: Reason): Cluster {
    return this;
  }

  async #object<T extends KubeObject>(call: Parameters<ApiCalls['ask']>[0]): Promise<T> {
    return deepFreeze(await this.#options.calls.ask(call)) as T;
  }
}

interface SentList {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly object[] | null;
}

const changePath = (resource: Resource<KubeObject>, key: ObjectKey, { subresource }: ChangeOptions): string =>
  objectPath(resource, key, subresource ?? resource.subresource);
