import type { ApiError } from './api-error.ts';
import type { KubeObject, ObjectKey, ObjectMeta, Resource } from './object.ts';
import type { Reason } from './reason.ts';

type Loose<V> = V extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : V extends object
    ? { readonly [K in keyof V]?: Loose<V[K]> }
    : V;
/** An object to be created: what the server fills in may be left out, at any depth. */
export type Draft<T extends KubeObject> = Loose<Omit<T, 'metadata' | 'apiVersion' | 'kind'>> & {
  readonly apiVersion: T['apiVersion'];
  readonly kind: T['kind'];
  readonly metadata: Partial<ObjectMeta> & ({ readonly name: string } | { readonly generateName: string });
};
export type Patch =
  | { readonly type: 'json'; readonly ops: readonly JsonPatchOp[] }
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  | { readonly type: 'apply'; readonly body: object; readonly force: boolean };
export type JsonPatchOp =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };
export interface WriteOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}
/** Subresources that take and answer the object itself. */
export interface ChangeOptions extends WriteOptions {
  readonly subresource?: 'status' | 'finalize' | 'ephemeralcontainers';
}
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}
export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}
export interface WatchOptions extends ListOptions {
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}
export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError };
export interface WatchSink<T> {
  /** May answer SETTLED. */
  event(event: WatchEvent<T>): unknown;
  /** Called once. A watch always ends some day; the informer decides what to do then. */
  closed(cause: ApiError | undefined): void;
}

/** The API server as one component sees it. Every implementation passes the cluster contract suite. */
export interface Cluster {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Promise<T>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>): Disposable;
  create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>, options?: WriteOptions): Promise<T>;
  /** Fails with Conflict unless `object.metadata.resourceVersion` is current. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: ChangeOptions): Promise<T>;
  /** `update` without a promise. Only views in the process of the server have it; whoever uses it can do without. */
  readonly sendUpdate?: SendUpdate | undefined;
  patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch, options?: ChangeOptions): Promise<T>;
  /** Posts to a subresource that answers another kind R: Status for binding and eviction, TokenRequest for token. */
  post<R>(
    resource: Resource<KubeObject>,
    key: ObjectKey,
    subresource: 'binding' | 'eviction' | 'token',
    body: object,
  ): Promise<R>;
  /** The object as it was when it went, or as it is now that it waits; undefined if the server answers a bare Status. */
  delete<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    of: ListOptions,
    options?: DeleteOptions,
  ): Promise<void>;
  /** The same view, whose writes name `reason` as what led to them. */
  because(reason: Reason): Cluster;
}
/** Calls `answered` once, with what `update` would have resolved to or rejected with. */
export type SendUpdate = <T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  answered: (answer: UpdateAnswer<T>) => unknown,
) => void;
export type UpdateAnswer<T> = { readonly object: T } | { readonly error: unknown };
export interface Disposable {
  dispose(): void;
}
/** Client-side limits. Settings with upstream's defaults, not constants. */
export interface ClientLimits {
  readonly qps: number;
  readonly burst: number;
}
/**
 * Hands each component its own view, so limits, latency, faults, audit and timeline are per actor.
 * A view passes the same authorization, admission and audit as a request over HTTP: `actor` is a user, not a key to the store.
 */
export interface ClusterAccess {
  as(actor: string, limits?: ClientLimits): Cluster;
}
