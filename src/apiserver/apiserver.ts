// The API server without a network: one synchronous call per request, for in-process views and for HTTP alike.
// A write goes: authorize, decode, defaults, admission, preparation, validation, review, commit, audit.
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type ApiError, isApiError, methodNotAllowed, noSuchResource } from '../kube/api-error.ts';
import type {
  DeleteOptions,
  Disposable,
  ListOptions,
  ObjectList,
  Patch,
  WatchOptions,
  WatchSink,
  WriteOptions,
} from '../kube/cluster.ts';
import {
  type KubeObject,
  type ObjectKey,
  type Resource,
  type ResourceName,
  keyFrom,
  splitKey,
} from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { AdmissionPlugin, AdmissionReader } from './admission/admission.ts';
import type { AuditSink } from './audit.ts';
import { type Authorizer, type User, type Verb, alwaysAllow, authorize } from './authorization.ts';
import type { Change, ObjectStore } from './objectstore/object-store.ts';
import type { Call, StoredObject } from './registry/generic-call.ts';
import { listObjects } from './registry/generic-list.ts';
import { type Deleted, GenericRegistry, type RegistryServices } from './registry/generic-registry.ts';
import { openWatch } from './registry/generic-watch.ts';
import type { Strategy } from './registry/strategy.ts';
import { mergePatch } from './stand-in.ts';

/** A write that was committed, with who did it and what led to it. */
export interface Commit extends Change {
  readonly user: string;
  readonly verb: Verb;
  readonly subresource: string | undefined;
  readonly reason: Reason | undefined;
}

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: ObjectStore;
  readonly strategies: readonly Strategy[];
  readonly admission?: readonly AdmissionPlugin[];
  readonly authorizer?: Authorizer;
  readonly audit?: AuditSink;
  /** Told of every committed write before the request is answered. */
  readonly onCommit?: (commit: Commit) => void;
}

interface On {
  readonly resource: ResourceName;
}
interface OnObject extends On {
  readonly key: ObjectKey;
  readonly subresource?: string;
}
export type ApiRequest =
  | (OnObject & { readonly verb: 'get'; readonly resourceVersion?: string })
  | (On & { readonly verb: 'list'; readonly options: ListOptions })
  | (On & {
      readonly verb: 'create';
      readonly namespace: string | undefined;
      readonly object: unknown;
      readonly options?: WriteOptions;
    })
  | (OnObject & { readonly verb: 'post'; readonly body: unknown; readonly options?: WriteOptions })
  | (OnObject & { readonly verb: 'update'; readonly object: unknown; readonly options?: WriteOptions })
  | (OnObject & { readonly verb: 'patch'; readonly patch: Patch; readonly options?: WriteOptions })
  | (OnObject & { readonly verb: 'delete'; readonly options?: DeleteOptions })
  | (On & { readonly verb: 'deletecollection'; readonly of: ListOptions; readonly options?: DeleteOptions });

/** `metav1.Status` of a success. */
export interface SuccessStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success';
  readonly code?: number;
  readonly details?: { readonly name?: string; readonly group?: string; readonly kind?: string; readonly uid?: string };
}

export type ApiAnswer = { readonly code: number; readonly warnings: readonly string[] } & (
  | { readonly type: 'object'; readonly object: KubeObject }
  | { readonly type: 'list'; readonly list: ObjectList<KubeObject> }
  | { readonly type: 'status'; readonly status: SuccessStatus }
);

export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #registries = new Map<string, GenericRegistry>();
  readonly #reader: AdmissionReader;
  /** What led to the request being served now; the core is synchronous, so there is only one. */
  #reason: Reason | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { store } = options;
    this.#reader = {
      get: <T extends KubeObject>(resource: Resource<T>, key: ObjectKey) => store.get(resource, key) as T | undefined,
      all: <T extends KubeObject>(resource: Resource<T>, namespace?: string) =>
        store.all(resource, namespace) as readonly T[],
    };
    const services: RegistryServices = {
      store,
      clock: options.clock,
      random: options.random,
      admission: options.admission ?? [],
      reader: this.#reader,
      committed: (change, call) => this.#committed(change, call),
    };
    for (const strategy of options.strategies) {
      this.#registries.set(nameOf(strategy.resource), new GenericRegistry(strategy, services));
    }
  }

  get revision(): number {
    return this.#options.store.revision;
  }

  handle(request: ApiRequest, user: User, reason?: Reason): ApiAnswer {
    this.#reason = reason;
    try {
      const answer = this.#answer(request, user);
      this.#record(request, user, answer.code, undefined);
      return answer;
    } catch (error) {
      if (isApiError(error)) this.#record(request, user, error.code, error);
      throw error;
    } finally {
      this.#reason = undefined;
    }
  }

  /** Events that are already known come before this returns; later ones as they are committed. Throws what a request would. */
  watch(resource: ResourceName, options: WatchOptions, user: User, sink: WatchSink<KubeObject>): Disposable {
    const registry = this.#registry(resource);
    authorize(this.#options.authorizer ?? alwaysAllow, user, {
      verb: 'watch',
      resource,
      subresource: undefined,
      namespace: options.namespace,
      name: '',
    });
    return openWatch(this.#options.store, registry.strategy, options, sink);
  }

  #answer(request: ApiRequest, user: User): ApiAnswer {
    const registry = this.#registry(request.resource);
    const call = callFor(request, user);
    authorize(this.#options.authorizer ?? alwaysAllow, user, accessOf(request));
    switch (request.verb) {
      case 'get':
        return objectAnswer(200, registry.get(request.key), call);
      case 'list':
        return {
          type: 'list',
          code: 200,
          warnings: [],
          list: listObjects(this.#options.store, registry.strategy, request.options),
        };
      case 'create':
        return objectAnswer(201, registry.create(request.namespace, decoded(request.object, registry), call), call);
      case 'update':
        return objectAnswer(
          200,
          registry.update(request.key, () => decoded(request.object, registry), call),
          call,
        );
      case 'patch':
        return objectAnswer(
          200,
          registry.update(request.key, (before) => decoded(mergePatch(before, request.patch), registry), call),
          call,
        );
      case 'delete':
        return deletedAnswer(registry.delete(request.key, request.options ?? {}, call), request.resource, call);
      default:
        throw methodNotAllowed();
    }
  }

  #registry(resource: ResourceName): GenericRegistry {
    const registry = this.#registries.get(nameOf(resource));
    if (registry === undefined) throw noSuchResource();
    return registry;
  }

  #committed(change: Change, call: Call): void {
    const { user, verb, subresource } = call;
    this.#options.onCommit?.({ ...change, user: user.name, verb, subresource, reason: this.#reason });
  }

  #record(request: ApiRequest, user: User, code: number, error: ApiError | undefined): void {
    const access = accessOf(request);
    this.#options.audit?.record({
      at: this.#options.clock.now(),
      user: user.name,
      verb: access.verb,
      resource: request.resource,
      key: keyFrom(access.namespace, access.name),
      subresource: access.subresource,
      code,
      reason: error?.reason,
      dryRun: isDryRun(request),
    });
  }
}

const nameOf = (resource: ResourceName): string => `${resource.plural}.${resource.group}`;

function decoded(raw: unknown, registry: GenericRegistry): StoredObject {
  return registry.strategy.applyDefaults(raw as StoredObject) as StoredObject;
}

function callFor(request: ApiRequest, user: User): Call {
  const access = accessOf(request);
  const options = 'options' in request ? (request.options as WriteOptions) : undefined;
  return {
    user,
    verb: access.verb,
    subresource: access.subresource,
    dryRun: isDryRun(request),
    fieldValidation: options?.fieldValidation ?? 'Warn',
    fieldManager: options?.fieldManager,
    warnings: [],
  };
}

function isDryRun(request: ApiRequest): boolean {
  return (
    'options' in request &&
    request.options !== undefined &&
    'dryRun' in request.options &&
    request.options.dryRun === true
  );
}

function accessOf(request: ApiRequest): {
  verb: Verb;
  resource: ResourceName;
  subresource: string | undefined;
  namespace: string | undefined;
  name: string;
} {
  const { resource } = request;
  const verb = request.verb === 'post' ? 'create' : request.verb;
  if ('key' in request)
    return { verb, resource, subresource: request.subresource ?? resource.subresource, ...splitKey(request.key) };
  const namespace =
    request.verb === 'create'
      ? request.namespace
      : request.verb === 'list'
        ? request.options.namespace
        : request.of.namespace;
  return { verb, resource, subresource: resource.subresource, namespace, name: '' };
}

function objectAnswer(code: number, object: StoredObject, call: Call): ApiAnswer {
  return { type: 'object', code, object, warnings: call.warnings };
}

function deletedAnswer(deleted: Deleted, resource: ResourceName, call: Call): ApiAnswer {
  if (deleted.type === 'object') return objectAnswer(200, deleted.object, call);
  const { name, uid } = deleted;
  const details = { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, uid };
  return {
    type: 'status',
    code: 200,
    warnings: call.warnings,
    status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
  };
}
