// One kind as clients see it: everything that all kinds share about reading and writing, with a strategy for the rest.
// Everything here is synchronous, so nothing can come between the read of the stored object and the write of its successor:
// a Conflict is always about what the client knew, never about a race inside the server.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go
import type { Clock, InstantMs } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import {
  type StatusError,
  alreadyExists,
  badRequest,
  conflict,
  generateNameConflict,
  invalid,
  isApiError,
  notFound,
  unclassified,
} from '../../kube/api-error.ts';
import type { DeleteOptions } from '../../kube/cluster.ts';
import { type FieldError, invalid as invalidField } from '../../kube/field-error.ts';
import { deepFreeze } from '../../kube/deep-freeze.ts';
import { type KubeObject, type ObjectKey, type Resource, keyFrom, splitKey } from '../../kube/object.ts';
import type { FieldManager, FieldWrite } from '../managedfields/field-manager.ts';
import { type Entries, isSameButTimes } from '../managedfields/managed-fields.ts';
import type { Change } from '../objectstore/change-history.ts';
import type { ObjectStore } from '../objectstore/object-store.ts';
import type { AdmissionChain } from './generic-admission.ts';
import type { Call, StoredObject } from './generic-call.ts';
import { restored } from './generic-decode.ts';
import { type Deletion, decideDeletion } from './generic-deletion.ts';
import { inNamespace, unnamed, withSystemFields, withoutSystemFields } from './generic-metadata.ts';
import { AFTER_ADMISSION, withoutDuplicateOwners } from './generic-owners.ts';
import { preparedForCreate, preparedForUpdate } from './generic-preparation.ts';
import { createFaults, updateFaults, updateWarnings } from './generic-validation.ts';
import { sameJson, sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go */
const NAME_GENERATION_TRIES_MAX = 8;

export interface RegistryServices {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  readonly committed: (change: Change, call: Call) => void;
  /** RFC 3339 in whole seconds. */
  readonly timestampOf: (at: InstantMs) => string;
  /** Whether account is kept of who manages which field from the creation of an object on, or once it is applied to. */
  readonly tracksNewObjects: boolean;
}

/** What a DELETE answers: the object, or only the fact that it is gone. */
export type Deleted =
  | { readonly type: 'object'; readonly object: StoredObject }
  | { readonly type: 'gone'; readonly name: string; readonly uid: string };

/** The object that an update wants: whole (PUT), or made of the stored one. */
export type Replacement =
  | { readonly type: 'whole'; readonly object: StoredObject }
  | { readonly type: 'edit'; readonly edit: (before: StoredObject) => StoredObject }
  /** Made together with the record of who manages its fields. With `create` an object that is missing is made. */
  | {
      readonly type: 'managed';
      readonly edit: (before: StoredObject, write: FieldWrite) => ManagedObject;
      readonly create?: (write: FieldWrite) => ManagedObject;
    };
type ManagedReplacement = Extract<Replacement, { readonly type: 'managed' }>;

export interface ManagedObject {
  readonly object: StoredObject;
  readonly entries: Entries;
}

/** A stored object and what shall take its place. */
interface Exchange {
  readonly key: ObjectKey;
  readonly before: StoredObject;
  readonly wanted: StoredObject;
  /** Who manages which field then; found out from the objects where it is not given. */
  readonly entries?: Entries;
}

export interface Updated {
  readonly object: StoredObject;
  /** There was nothing to update. */
  readonly created: boolean;
}

export class GenericRegistry {
  readonly strategy: Strategy;
  readonly #resource: Resource<KubeObject>;
  /** What refusals call the resource: the view through which it was asked. */
  readonly #named: Resource<KubeObject>;
  readonly #fields: FieldManager;
  readonly #services: RegistryServices;

  constructor(
    strategy: Strategy,
    services: RegistryServices,
    { named, fields }: { readonly named: Resource<KubeObject>; readonly fields: FieldManager },
  ) {
    this.strategy = strategy;
    this.#resource = strategy.resource;
    this.#named = named;
    this.#fields = fields;
    this.#services = services;
  }

  get(key: ObjectKey): StoredObject {
    const object = this.find(key);
    if (object === undefined) throw notFound(this.#named, splitKey(key).name);
    return object;
  }

  find(key: ObjectKey): StoredObject | undefined {
    const stored = this.#services.store.get(this.#resource, key);
    return (stored === undefined ? stored : (this.strategy.asRead?.(stored) ?? stored)) as StoredObject | undefined;
  }

  create(namespace: string | undefined, decoded: StoredObject, call: Call): StoredObject {
    return this.#create(namespace, decoded, call, undefined);
  }

  /** Who manages which field is settled before admission: what admission adds is nobody's. */
  #create(
    namespace: string | undefined,
    decoded: StoredObject,
    call: Call,
    applied: Entries | undefined,
  ): StoredObject {
    const target = this.#resource.namespaced ? namespace : undefined;
    const given = withoutDuplicateOwners(inNamespace(withoutSystemFields(decoded), target), call, '');
    const entries = applied ?? this.#entriesOfNew(given, call);
    const resource = this.#resource;
    const admitted = this.#services.admission.admit({ resource, object: given, before: undefined }, call);
    const object = withoutDuplicateOwners(admitted, call, AFTER_ADMISSION);
    const generates = (object.metadata.name ?? '') === '';
    const warned = call.warnings.length;
    for (let tries = 1; ; tries++) {
      call.warnings.length = warned;
      try {
        return this.#createOnce(object, entries, call);
      } catch (error) {
        if (!generates || !isApiError(error, 'AlreadyExists') || tries === NAME_GENERATION_TRIES_MAX) throw error;
      }
    }
  }

  #createOnce(given: StoredObject, entries: Entries | undefined, call: Call): StoredObject {
    const { clock, random, store, admission } = this.#services;
    const { strategy } = this;
    const now = clock.now();
    const createdAt = this.#services.timestampOf(now);
    const filled = withSystemFields(given, { createdAt, random, managedFields: recordOf(entries) });
    call.warnings.push(...(strategy.draftWarnings?.(filled) ?? []));
    const object = restored(
      this.#resource,
      preparedForCreate(strategy, filled, { now, user: call.user, dryRun: call.dryRun }),
      given,
    );
    this.#refuse(object, createFaults(strategy, object));
    call.warnings.push(...(strategy.warnings?.(object, undefined) ?? []));
    admission.review({ resource: this.#resource, object, before: undefined }, call);
    if (Number(object.metadata.resourceVersion ?? '') > 0) {
      throw unclassified('resourceVersion should not be set on objects to be created');
    }
    const key = keyFrom(object.metadata.namespace, object.metadata.name);
    const existing = store.get(this.#resource, key);
    if (existing !== undefined) throw this.#exists(object, existing);
    return this.#put(key, object, call);
  }

  /** The answer is the stored object itself if nothing changes. */
  update(key: ObjectKey, replacement: Replacement, call: Call): Updated {
    if (replacement.type === 'whole') return this.#updateWhole(key, replacement.object, call);
    if (replacement.type === 'managed') return this.#updateManaged(key, replacement, call);
    const before = this.get(key);
    const object = this.#edit({ key, before, wanted: replacement.edit(before) }, call);
    return { object, created: false };
  }

  /** An update that the strategy knows at a glance; undefined where it has to go the whole way. Admission is asked as ever. */
  renew(key: ObjectKey, sent: object, call: Call): StoredObject | undefined {
    const { strategy } = this;
    if (strategy.renewed === undefined) return undefined;
    const before = this.find(key);
    if (before === undefined || before.metadata.managedFields !== undefined) return undefined;
    const object = strategy.renewed(sent, before) as StoredObject | undefined;
    if (object === undefined || before.metadata.deletionTimestamp !== undefined) return undefined;
    const admitted = { resource: this.#resource, object, before };
    if (this.#services.admission.admit(admitted, call) !== object) return undefined;
    this.#services.admission.review(admitted, call);
    return this.#put(key, deepFreeze(object), call);
  }

  #edit(exchange: Exchange, call: Call): StoredObject {
    const { key, before, wanted } = exchange;
    this.#requireName(wanted, key);
    const { namespace } = before.metadata;
    const given = wanted.metadata.namespace ?? namespace;
    if (namespace !== undefined && given !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    return this.#replace(exchange, call);
  }

  #updateManaged(key: ObjectKey, { edit, create }: ManagedReplacement, call: Call): Updated {
    const { namespace, name } = splitKey(key);
    const before = this.find(key);
    if (before !== undefined) {
      const { object: wanted, entries } = edit(before, this.#write(call));
      return { object: this.#edit({ key, before, wanted, entries }, call), created: false };
    }
    if (create === undefined) throw notFound(this.#named, name);
    const { object, entries } = create(this.#write(call));
    const uid: string | undefined = object.metadata.uid;
    if (uid !== undefined && uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(this.#named, name, why);
    }
    this.#requireName(object, key);
    const fresh = { ...object, metadata: { ...object.metadata, resourceVersion: '' } };
    return { object: this.#create(namespace, fresh, call, entries), created: true };
  }

  /** A whole object must say where it goes before it is asked what is there. */
  #updateWhole(key: ObjectKey, object: StoredObject, call: Call): Updated {
    const { namespace, name } = splitKey(key);
    const wanted = inNamespace(object, namespace);
    this.#requireName(wanted, key);
    const before = this.find(key);
    this.#requireUid(wanted.metadata.uid, before?.metadata.uid ?? '', key);
    if (before !== undefined) return { object: this.#replace({ key, before, wanted }, call), created: false };
    if (this.strategy.createsOnUpdate !== true || call.subresource !== undefined) throw notFound(this.#named, name);
    const fresh = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: '' } };
    return { object: this.create(namespace, fresh, call), created: true };
  }

  #replace({ key, before, wanted, entries: given }: Exchange, call: Call): StoredObject {
    const { admission } = this.#services;
    const { strategy } = this;
    const resource = this.#resource;
    const sent = call.verb === 'patch' ? wanted : withoutDuplicateOwners(wanted, call, '');
    const entries = given ?? this.#fields.updated(before, sent, this.#write(call));
    const admitted = admission.admit({ resource, object: inNamespace(sent, before.metadata.namespace), before }, call);
    const object = this.#stored(withoutDuplicateOwners(admitted, call, AFTER_ADMISSION), before, entries, call);
    this.#refuse(object, updateFaults(strategy, object, before, call.subresource));
    call.warnings.push(...updateWarnings(strategy, object, before, call.subresource));
    admission.review({ resource, object, before }, call);
    if (endsDeletion(object, before)) {
      this.#remove(key, call);
      return object;
    }
    return this.#isSameObject(object, before) ? before : this.#put(key, object, call);
  }

  /** What would be stored: of the right version, with what this path may not change put back. */
  #stored(admitted: StoredObject, before: StoredObject, entries: Entries | undefined, call: Call): StoredObject {
    const current = this.#requireVersion(admitted, before);
    const preparation = { call, now: this.#services.clock.now(), managedFields: recordOf(entries) };
    return restored(this.#resource, preparedForUpdate(this.strategy, current, before, preparation), before);
  }

  #entriesOfNew(given: StoredObject, call: Call): Entries | undefined {
    const isTracked = this.#services.tracksNewObjects || given.metadata.managedFields !== undefined;
    return isTracked ? this.#fields.updated(undefined, given, this.#write(call)) : undefined;
  }

  /** In process a client is its user. */
  #write({ fieldManager, user, subresource }: Call): FieldWrite {
    const { clock, timestampOf } = this.#services;
    return { manager: fieldManager ?? user.name, subresource, now: timestampOf(clock.now()) };
  }

  delete(key: ObjectKey, options: DeleteOptions, call: Call): Deleted {
    const before = this.get(key);
    this.#requirePreconditions(before, options.preconditions ?? {});
    this.#services.admission.reviewDeletion({ resource: this.#resource, object: undefined, before }, call);
    const { strategy } = this;
    const begun = strategy.beginDeletion?.(before, { now: this.#services.clock.now() });
    if (begun !== undefined) return { type: 'object', object: this.store(key, begun as StoredObject, call) };
    const { orphansByDefault } = strategy;
    if (orphansByDefault?.warning !== undefined && options.propagationPolicy === undefined)
      call.warnings.push(orphansByDefault.warning);
    const asked = options.gracePeriodSeconds;
    const requested = asked !== undefined && asked < 0 ? 1 : asked;
    const deletion = decideDeletion({
      metadata: before.metadata,
      policy: options.propagationPolicy ?? (orphansByDefault === undefined ? undefined : 'Orphan'),
      requestedGraceSeconds: requested,
      graceSeconds:
        strategy.gracePeriodSeconds === undefined ? undefined : (strategy.gracePeriodSeconds(before, requested) ?? 0),
      now: this.#services.clock.now(),
    });
    return this.#carryOut(deletion, key, before, call);
  }

  #carryOut(deletion: Deletion, key: ObjectKey, before: StoredObject, call: Call): Deleted {
    if (deletion.type === 'pending') return this.#deleted(before);
    if (deletion.type === 'remove') return this.#deleted(this.#remove(key, call));
    const stored = this.store(key, { ...before, metadata: deletion.metadata }, call);
    if (deletion.type === 'mark') return { type: 'object', object: stored };
    return this.#deleted(call.dryRun ? stored : this.#remove(key, call));
  }

  /** A deletion that begins by a mark of the kind's own. */
  mark(key: ObjectKey, marked: StoredObject, call: Call): StoredObject {
    this.#services.admission.reviewDeletion(
      { resource: this.#resource, object: undefined, before: this.get(key) },
      call,
    );
    return this.store(key, marked, call);
  }

  /** Writes past admission and validation: for the server's own changes to a stored object. */
  store(key: ObjectKey, object: StoredObject, call: Call): StoredObject {
    const before = this.get(key);
    const stored = restored(this.#resource, object, before);
    return this.#isSame(stored, before) ? before : this.#put(key, stored, call);
  }

  /** Takes an object away for good: all that its end waited for is done. */
  remove(key: ObjectKey, call: Call): void {
    this.#remove(key, call);
  }

  #isSame(object: StoredObject, before: StoredObject): boolean {
    return this.strategy.comparesExactly === true ? sameJson(object, before) : sameValue(object, before);
  }

  /**
   * A write that would change nothing but the times at which fields were taken changes nothing.
   * kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go
   */
  #isSameObject(object: StoredObject, before: StoredObject): boolean {
    const { managedFields } = before.metadata;
    const written = object.metadata.managedFields;
    if (written === managedFields || written === undefined || managedFields === undefined) {
      return this.#isSame(object, before);
    }
    if (!isSameButTimes(written, managedFields)) return false;
    return this.#isSame({ ...object, metadata: { ...object.metadata, managedFields } }, before);
  }

  #deleted(object: StoredObject): Deleted {
    if (this.strategy.answersDeletedObject === true) return { type: 'object', object };
    return { type: 'gone', name: object.metadata.name, uid: object.metadata.uid };
  }

  /** The last state under the revision of its removal, as watchers see it. */
  #remove(key: ObjectKey, call: Call): StoredObject {
    if (call.dryRun) return this.get(key);
    const change = this.#services.store.remove(this.#resource, key);
    this.#services.committed(change, call);
    const { before } = change;
    return deepFreeze({ ...before, metadata: { ...before.metadata, resourceVersion: String(change.revision) } });
  }

  #put(key: ObjectKey, object: StoredObject, call: Call): StoredObject {
    if (call.dryRun) return object;
    const change = this.#services.store.put(this.#resource, key, object);
    this.#services.committed(change, call);
    return change.after as StoredObject;
  }

  #exists(object: StoredObject, existing: KubeObject): StatusError {
    const { name, generateName = '' } = object.metadata;
    const error = generateName === '' ? alreadyExists(this.#named, name) : generateNameConflict(this.#named, name);
    if (existing.metadata.deletionTimestamp !== undefined) error.message = `object is being deleted: ${error.message}`;
    return error;
  }

  #requireName(object: StoredObject, key: ObjectKey): void {
    const { name } = splitKey(key);
    const given = object.metadata.name ?? '';
    if (given === '') throw unnamed(name);
    if (given !== name)
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }

  #requireUid(uid: string | undefined, stored: string, key: ObjectKey): void {
    if (uid === undefined || uid === '' || uid === stored) return;
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored}`;
    throw conflict(this.#named, splitKey(key).name, why);
  }

  #requireVersion(object: StoredObject, before: StoredObject): StoredObject {
    const given = object.metadata.resourceVersion ?? '';
    const { name, resourceVersion } = before.metadata;
    if (given === resourceVersion) return object;
    if (!/^[0-9]*$/.test(given)) throw unclassified(`strconv.ParseUint: parsing "${given}": invalid syntax`);
    if (Number(given) > 0) throw conflict(this.#named, name);
    if (this.strategy.requiresResourceVersion !== true)
      return { ...object, metadata: { ...object.metadata, resourceVersion } };
    const fault = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid({ group: this.#named.group, kind: this.#named.plural }, name, [fault]);
  }

  #requirePreconditions(
    { metadata }: StoredObject,
    { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']>,
  ): void {
    const named = { group: this.#named.group, plural: this.#named.kind };
    if (uid !== undefined && uid !== metadata.uid) {
      const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
      throw conflict(named, metadata.name, why);
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
      throw conflict(named, metadata.name, why);
    }
  }

  /** What is invalid is so in its stored shape, and is told under the name of that. */
  #refuse(object: StoredObject, faults: readonly FieldError[]): void {
    if (faults.length > 0) throw invalid(this.strategy.resource, object.metadata.name ?? '', faults);
  }
}

/** An object of which nobody manages a field has no record. */
const recordOf = (entries: Entries | undefined): Entries | undefined => (entries?.length === 0 ? undefined : entries);

/** The last finalizer of an object that is only waiting for it has gone. Namespaces have a second list in their spec. */
function endsDeletion(object: StoredObject, before: StoredObject): boolean {
  if (before.metadata.deletionTimestamp === undefined || (object.metadata.finalizers?.length ?? 0) > 0) return false;
  if (object.kind === 'Namespace' && hasSpecFinalizers(object['spec'])) return false;
  return (before.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function hasSpecFinalizers(spec: unknown): boolean {
  const { finalizers = [] } = (spec ?? {}) as { readonly finalizers?: readonly string[] };
  return finalizers.length > 0;
}
