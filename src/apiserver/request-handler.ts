// What each request means, once it is allowed: the verbs on objects and collections, and the paths below an object.
import { unreachable } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import {
  isApiError,
  methodNotAllowed,
  noSuchResource,
  tooLargeResourceVersion,
  unclassified,
} from '../kube/api-error.ts';
import type { DeleteOptions, ListOptions, Patch } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type ResourceName, keyOf, splitKey } from '../kube/object.ts';
import { type Namespace, Namespaces } from '../kube/resources/namespace.ts';
import { PodDisruptionBudgets } from '../kube/resources/pod-disruption-budget.ts';
import { Pods } from '../kube/resources/pod.ts';
import type { AdmissionReader } from './admission/admission.ts';
import type { ApiAnswer, ApiRequest, SuccessStatus } from './api-request.ts';
import type { Access, User } from './authorization.ts';
import type { FieldWrite } from './managedfields/field-manager.ts';
import type { ObjectStore } from './objectstore/object-store.ts';
import type { PostedKind } from './posted-kind.ts';
import type { AdmissionChain } from './registry/generic-admission.ts';
import type { Call, StoredObject } from './registry/generic-call.ts';
import { type IsServed, decodeObject } from './registry/generic-decode.ts';
import { checkedDeleteOptions } from './registry/generic-delete-options.ts';
import { listObjects, notARevision } from './registry/generic-list.ts';
import { inNamespace } from './registry/generic-metadata.ts';
import type { Deleted, Replacement } from './registry/generic-registry.ts';
import { decideNamespaceDeletion } from './registry/subresources/namespace-deletion.ts';
import { Bindings, bindPod } from './registry/subresources/pod-binding.ts';
import { Evictions, evictPod } from './registry/subresources/pod-eviction.ts';
import { type ScaleChange, Scales, isScalable, rescaled, scaleOf } from './registry/subresources/scale.ts';
import type { ServedResource } from './served-resource.ts';

type RequestOf<V extends ApiRequest['verb']> = Extract<ApiRequest, { readonly verb: V }>;

export interface HandlerServices {
  readonly clock: Clock;
  readonly store: ObjectStore;
  readonly reader: AdmissionReader;
  /** Throws where no such resource is served. */
  readonly served: (resource: ResourceName) => ServedResource;
  /** Throws Forbidden. The request itself is already allowed; this is for what it does besides. */
  readonly authorize: (user: User, access: Access) => void;
  readonly admission: AdmissionChain;
  readonly isServed: IsServed;
  /** Kinds that are answered and never stored, by `postedName`. */
  readonly posted: ReadonlyMap<string, PostedKind>;
}

/** By what is posted: a kind's own path, or one below objects of another kind. */
export function postedName({ resource, below }: PostedKind): string {
  return below === undefined ? pathName(resource) : pathName(below.resource, below.subresource);
}

const pathName = ({ group, plural }: ResourceName, subresource = ''): string => `${plural}.${group}/${subresource}`;

export class RequestHandler {
  readonly #services: HandlerServices;

  constructor(services: HandlerServices) {
    this.#services = services;
  }

  answer(request: ApiRequest, call: Call): ApiAnswer {
    const posted = this.#answerPosted(request, call);
    if (posted !== undefined) return posted;
    const served = this.#services.served(request.resource);
    switch (request.verb) {
      case 'get':
        return this.#get(served, request, call);
      case 'list':
        return this.#list(served, request.options);
      case 'create':
        return this.#create(served, request, call);
      case 'post':
        return this.#post(served, request, call);
      case 'update':
        return (
          this.#renewal(served, request, call) ??
          this.#change(served, request.key, this.#byObject(served, request.object, call), call)
        );
      case 'patch':
        return this.#change(served, request.key, this.#byPatch(served, request.patch, call), call);
      case 'delete':
        return this.#delete(served, request, call);
      case 'deletecollection':
        return this.#deleteCollection(served, request, call);
      default:
        return unreachable(request);
    }
  }

  /** The answer to what is never stored; undefined for all else. */
  #answerPosted(request: ApiRequest, call: Call): ApiAnswer | undefined {
    if (request.verb !== 'create' && request.verb !== 'post') return undefined;
    const { resource } = request;
    const isBelow = request.verb === 'post';
    const kind = this.#services.posted.get(pathName(resource, isBelow ? request.subresource : ''));
    if (kind === undefined) return undefined;
    const { namespace, name } = isBelow ? splitKey(request.key) : { namespace: request.namespace, name: '' };
    const decoded = decodeObject(kind.resource, isBelow ? request.body : request.object, call, this.#services.isServed);
    const object = inNamespace(decoded as StoredObject, kind.resource.namespaced ? namespace : undefined);
    if (isBelow)
      this.#services.admission.admitPosted(
        { resource, subresource: request.subresource, namespace, name, object },
        call,
      );
    return {
      type: 'object',
      code: 201,
      object: kind.answer({ object, namespace, name }, call),
      warnings: call.warnings,
    };
  }

  #get(served: ServedResource, { key, resourceVersion = '' }: RequestOf<'get'>, call: Call): ApiAnswer {
    requireSubresource(served, call);
    const { revision } = this.#services.store;
    if (!/^[0-9]*$/.test(resourceVersion)) throw unclassified(notARevision(resourceVersion));
    if (Number(resourceVersion) > revision) throw tooLargeResourceVersion(resourceVersion, revision);
    return objectAnswer(200, served, served.registry.get(key), call);
  }

  #list(served: ServedResource, options: ListOptions): ApiAnswer {
    const list = listObjects(this.#services.store, served.strategy, options);
    return { type: 'list', code: 200, warnings: [], list: served.showList(list) };
  }

  #create(served: ServedResource, { namespace, object }: RequestOf<'create'>, call: Call): ApiAnswer {
    const created = served.registry.create(namespace, served.decode(object, call), call);
    return objectAnswer(201, served, created, call);
  }

  #change(served: ServedResource, key: ObjectKey, replacement: Replacement, call: Call): ApiAnswer {
    requireSubresource(served, call);
    const { registry, strategy, resource } = served;
    const mayCreate =
      replacement.type === 'managed'
        ? replacement.create !== undefined
        : strategy.createsOnUpdate === true && replacement.type === 'whole';
    if (mayCreate && registry.find(key) === undefined) {
      this.#services.authorize(call.user, {
        verb: 'create',
        resource,
        subresource: call.subresource,
        ...splitKey(key),
      });
    }
    const { object, created } = registry.update(key, replacement, call);
    return objectAnswer(created ? 201 : 200, served, object, call);
  }

  /** Undefined unless the update is one that the kind knows at a glance. */
  #renewal(served: ServedResource, { key, object }: RequestOf<'update'>, call: Call): ApiAnswer | undefined {
    const stored = served.renew(key, object, call);
    return stored === undefined ? undefined : objectAnswer(200, served, stored, call);
  }

  #byObject(served: ServedResource, raw: unknown, call: Call): Replacement {
    if (call.subresource === 'scale') {
      return rescaling(served, { type: 'whole', scale: decodeObject(Scales, raw, call, () => false) }, call);
    }
    return { type: 'whole', object: served.decode(raw, call) };
  }

  #byPatch(served: ServedResource, patch: Patch, call: Call): Replacement {
    if (call.subresource === 'scale') return rescaling(served, { type: 'patch', patch }, call);
    if (patch.type !== 'apply') return { type: 'edit', edit: (before) => served.patched(before, patch, call) };
    return {
      type: 'managed',
      edit: (before, write) => served.applied(before, patch, write, call),
      ...(call.subresource === undefined
        ? { create: (write: FieldWrite) => served.applied(undefined, patch, write, call) }
        : {}),
    };
  }

  #post(served: ServedResource, { key, subresource, body }: RequestOf<'post'>, call: Call): ApiAnswer {
    const { reader, clock } = this.#services;
    const { plural, group } = served.resource;
    const admitted = <T extends KubeObject>(object: T): T => {
      this.#services.admission.admitPosted({ resource: served.resource, subresource, ...splitKey(key), object }, call);
      return object;
    };
    const on = { pods: served.registry, reader, now: clock.now() };
    if (group !== '' || plural !== Pods.plural) throw noSuchResource();
    switch (subresource) {
      case 'binding':
        bindPod(on, key, admitted(decodeObject(Bindings, body, call, () => false)), call);
        return statusAnswer(call);
      case 'eviction': {
        const budgets = this.#services.served(PodDisruptionBudgets).registry;
        evictPod({ ...on, budgets }, key, admitted(decodeObject(Evictions, body, call, () => false)), call);
        return statusAnswer(call);
      }
      default:
        throw noSuchResource();
    }
  }

  #delete(served: ServedResource, { key, options = {} }: RequestOf<'delete'>, call: Call): ApiAnswer {
    if (call.subresource !== undefined) throw methodNotAllowed();
    const deleted = this.#deleted(served, key, checkedDeleteOptions(options), call);
    return deletedAnswer(served, deleted, call);
  }

  #deleted({ registry, resource }: ServedResource, key: ObjectKey, options: DeleteOptions, call: Call): Deleted {
    if (resource.plural !== Namespaces.plural || resource.group !== '') return registry.delete(key, options, call);
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
    served: ServedResource,
    { of, options = {} }: RequestOf<'deletecollection'>,
    call: Call,
  ): ApiAnswer {
    const checked = checkedDeleteOptions(options);
    const list = listObjects(this.#services.store, served.strategy, of);
    for (const object of list.items) {
      try {
        this.#deleted(served, keyOf(object), checked, call);
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
    return { type: 'list', code: 200, warnings: call.warnings, list: served.showList(list) };
  }
}

function rescaling({ strategy, resource }: ServedResource, change: ScaleChange, call: Call): Replacement {
  const { scale: paths } = strategy;
  return { type: 'managed', edit: (before, write) => rescaled(before, change, { resource, paths, call, write }) };
}

/** Kinds without a status, a scale or the like have no such path. */
function requireSubresource({ strategy, resource }: ServedResource, { subresource }: Call): void {
  if (subresource === undefined) return;
  const isServed =
    (subresource === 'status' && strategy.hasStatus) ||
    (subresource === 'scale' && (strategy.scale !== undefined || isScalable(resource))) ||
    strategy.subresources?.[subresource] !== undefined;
  if (!isServed) throw noSuchResource();
}

function objectAnswer(
  code: number,
  served: ServedResource,
  stored: StoredObject,
  { warnings, subresource }: Call,
): ApiAnswer {
  const object = subresource === 'scale' ? scaleOf(stored, served.strategy.scale) : served.show(stored);
  return { type: 'object', code, object, warnings };
}

const SUCCESS: SuccessStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

function statusAnswer({ warnings }: Call): ApiAnswer {
  return { type: 'status', code: 201, warnings, status: { ...SUCCESS, code: 201 } };
}

function deletedAnswer(served: ServedResource, deleted: Deleted, call: Call): ApiAnswer {
  if (deleted.type === 'object') return objectAnswer(200, served, deleted.object, call);
  const { group, plural: kind } = served.resource;
  const { name, uid } = deleted;
  const details = { name, ...(group === '' ? {} : { group }), kind, uid };
  return { type: 'status', code: 200, warnings: call.warnings, status: { ...SUCCESS, details } };
}
