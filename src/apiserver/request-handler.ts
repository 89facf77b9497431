// What each request means, once it is allowed: the verbs on objects and collections, and the paths below an object.
import { assert, unreachable } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import {
  isApiError,
  methodNotAllowed,
  noSuchResource,
  tooLargeResourceVersion,
  unclassified,
} from '../kube/api-error.ts';
import type { DeleteOptions } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type ResourceName, keyOf } from '../kube/object.ts';
import type { Binding } from '../kube/resources/binding.ts';
import type { Eviction } from '../kube/resources/eviction.ts';
import { type Namespace, Namespaces } from '../kube/resources/namespace.ts';
import { PodDisruptionBudgets } from '../kube/resources/pod-disruption-budget.ts';
import type { Scale } from '../kube/resources/scale.ts';
import type { AdmissionReader } from './admission/admission.ts';
import type { ApiAnswer, ApiRequest, SuccessStatus } from './api-request.ts';
import type { ObjectStore } from './objectstore/object-store.ts';
import type { Call, StoredObject } from './registry/generic-call.ts';
import { type IsServed, decodeObject, decodePatched } from './registry/generic-decode.ts';
import { checkedDeleteOptions } from './registry/generic-delete-options.ts';
import { listObjects } from './registry/generic-list.ts';
import type { Deleted, GenericRegistry, Replacement } from './registry/generic-registry.ts';
import { mergePatch } from './stand-in.ts';
import { decideNamespaceDeletion } from './registry/subresources/namespace-deletion.ts';
import { bindPod } from './registry/subresources/pod-binding.ts';
import { evictPod } from './registry/subresources/pod-eviction.ts';
import { scaleOf, scaled } from './registry/subresources/scale.ts';

type RequestOf<V extends ApiRequest['verb']> = Extract<ApiRequest, { readonly verb: V }>;

export interface HandlerServices {
  readonly clock: Clock;
  readonly store: ObjectStore;
  readonly reader: AdmissionReader;
  /** Throws where no such resource is served. */
  readonly registryOf: (resource: ResourceName) => GenericRegistry;
  readonly isServed: IsServed;
}

export class RequestHandler {
  readonly #services: HandlerServices;

  constructor(services: HandlerServices) {
    this.#services = services;
  }

  answer(request: ApiRequest, call: Call): ApiAnswer {
    const registry = this.#services.registryOf(request.resource);
    switch (request.verb) {
      case 'get':
        return this.#get(registry, request, call);
      case 'list':
        return {
          type: 'list',
          code: 200,
          warnings: [],
          list: listObjects(this.#services.store, registry.strategy, request.options),
        };
      case 'create':
        return this.#create(registry, request, call);
      case 'post':
        return this.#post(registry, request, call);
      case 'update':
        return this.#change(registry, request.key, this.#byObject(registry, request.object, call), call);
      case 'patch':
        return this.#change(registry, request.key, this.#byPatch(registry, request, call), call);
      case 'delete':
        return this.#delete(registry, request, call);
      case 'deletecollection':
        return this.#deleteCollection(registry, request, call);
      default:
        return unreachable(request);
    }
  }

  #get(registry: GenericRegistry, { key, resourceVersion = '' }: RequestOf<'get'>, call: Call): ApiAnswer {
    requireSubresource(registry, call);
    const { revision } = this.#services.store;
    if (!/^[0-9]*$/.test(resourceVersion))
      throw unclassified(`strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
    if (Number(resourceVersion) > revision) throw tooLargeResourceVersion(resourceVersion, revision);
    return objectAnswer(200, registry.get(key), call);
  }

  #create(registry: GenericRegistry, request: RequestOf<'create'>, call: Call): ApiAnswer {
    const object = decodeObject(registry.strategy, request.object, call, this.#services.isServed);
    return objectAnswer(201, registry.create(request.namespace, object, call), call);
  }

  #change(registry: GenericRegistry, key: ObjectKey, replacement: Replacement, call: Call): ApiAnswer {
    requireSubresource(registry, call);
    const { object, created } = registry.update(key, replacement, call);
    return objectAnswer(created ? 201 : 200, object, call);
  }

  #byObject(registry: GenericRegistry, raw: unknown, call: Call): Replacement {
    if (call.subresource === 'scale') {
      return { wanted: (before) => scaled(present(before), raw as Scale, registry.strategy.resource) };
    }
    const object = decodeObject(registry.strategy, raw, call, this.#services.isServed);
    return { uid: object.metadata.uid, wanted: () => object };
  }

  #byPatch(registry: GenericRegistry, { patch }: RequestOf<'patch'>, call: Call): Replacement {
    const { strategy } = registry;
    return {
      wanted: (stored) => {
        const before = present(stored);
        if (call.subresource !== 'scale')
          return decodePatched(strategy, mergePatch(before, patch), call, this.#services.isServed);
        return scaled(before, mergePatch(scaleOf(before), patch) as Scale, strategy.resource);
      },
    };
  }

  #post(registry: GenericRegistry, { key, subresource, body }: RequestOf<'post'>, call: Call): ApiAnswer {
    const { reader, clock, registryOf } = this.#services;
    const { plural, group } = registry.strategy.resource;
    const now = clock.now();
    if (group === '' && plural === 'pods' && subresource === 'binding') {
      bindPod({ pods: registry, reader, now }, key, body as Binding, call);
      return statusAnswer(call);
    }
    if (group === '' && plural === 'pods' && subresource === 'eviction') {
      evictPod({ pods: registry, budgets: registryOf(PodDisruptionBudgets), reader, now }, key, body as Eviction, call);
      return statusAnswer(call);
    }
    throw noSuchResource();
  }

  #delete(registry: GenericRegistry, { key, options = {} }: RequestOf<'delete'>, call: Call): ApiAnswer {
    if (call.subresource !== undefined) throw methodNotAllowed();
    const deleted = this.#deleted(registry, key, checkedDeleteOptions(options), call);
    return deletedAnswer(deleted, registry.strategy.resource, call);
  }

  #deleted(registry: GenericRegistry, key: ObjectKey, options: DeleteOptions, call: Call): Deleted {
    if (registry.strategy.resource.plural !== Namespaces.plural || registry.strategy.resource.group !== '') {
      return registry.delete(key, options, call);
    }
    const stored = registry.get(key);
    const decision = decideNamespaceDeletion(stored as unknown as Namespace, options, this.#services.clock.now());
    switch (decision.type) {
      case 'terminate':
        return { type: 'object', object: registry.mark(key, decision.namespace as unknown as StoredObject, call) };
      case 'wait':
        return { type: 'object', object: stored };
      case 'delete':
        return registry.delete(key, options, call);
      default:
        return unreachable(decision);
    }
  }

  /** Every object on its own: one that is already gone is no failure. The answer is what the list was. */
  #deleteCollection(
    registry: GenericRegistry,
    { of, options = {} }: RequestOf<'deletecollection'>,
    call: Call,
  ): ApiAnswer {
    const checked = checkedDeleteOptions(options);
    const list = listObjects(this.#services.store, registry.strategy, of);
    for (const object of list.items) {
      try {
        this.#deleted(registry, keyOf(object), checked, call);
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    return { type: 'list', code: 200, warnings: call.warnings, list };
  }
}

/** Kinds without a status, a scale or the like have no such path. */
function requireSubresource({ strategy }: GenericRegistry, { subresource }: Call): void {
  if (subresource === undefined) return;
  const { group, plural } = strategy.resource;
  const isServed =
    (subresource === 'status' && strategy.hasStatus) ||
    (subresource === 'scale' && SCALED.includes(`${plural}.${group}`)) ||
    (subresource === 'finalize' && group === '' && plural === Namespaces.plural) ||
    (subresource === 'ephemeralcontainers' && group === '' && plural === 'pods');
  if (!isServed) throw noSuchResource();
}

const SCALED: readonly string[] = ['deployments.apps', 'replicasets.apps', 'statefulsets.apps'];

function present(before: StoredObject | undefined): StoredObject {
  assert(before !== undefined, 'only stored objects are patched or scaled');
  return before;
}

function objectAnswer(code: number, object: KubeObject, { warnings, subresource }: Call): ApiAnswer {
  const answered = subresource === 'scale' ? scaleOf(object as StoredObject) : object;
  return { type: 'object', code, object: answered, warnings };
}

function statusAnswer({ warnings }: Call): ApiAnswer {
  return { type: 'status', code: 201, warnings, status: { ...SUCCESS, code: 201 } };
}

const SUCCESS: SuccessStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

function deletedAnswer(deleted: Deleted, { group, plural }: ResourceName, call: Call): ApiAnswer {
  if (deleted.type === 'object') return objectAnswer(200, deleted.object, call);
  const { name, uid } = deleted;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { type: 'status', code: 200, warnings: call.warnings, status: { ...SUCCESS, details } };
}
