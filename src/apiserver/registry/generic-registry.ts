// One kind as clients see it: everything that all kinds share about reading and writing, with a strategy for the rest.
// Everything here is synchronous, so nothing can come between the read of the stored object and the write of its successor:
// a Conflict is always about what the client knew, never about a race inside the server.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import {
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
import { type KubeObject, type ObjectKey, type Resource, keyFrom, splitKey } from '../../kube/object.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from '../admission/admission.ts';
import type { Change, ObjectStore } from '../objectstore/object-store.ts';
import type { Call, StoredObject } from './generic-call.ts';
import { type Deletion, decideDeletion } from './generic-deletion.ts';
import {
  inNamespace,
  withGeneration,
  withSystemFields,
  withSystemFieldsOf,
  withoutSystemFields,
} from './generic-metadata.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go */
const NAME_GENERATION_TRIES_MAX = 8;

export interface RegistryServices {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: readonly AdmissionPlugin[];
  readonly reader: AdmissionReader;
  readonly committed: (change: Change, call: Call) => void;
}

/** What a DELETE answers: the object, or only the fact that it is gone. */
export type Deleted =
  | { readonly type: 'object'; readonly object: StoredObject }
  | { readonly type: 'gone'; readonly name: string; readonly uid: string };

export class GenericRegistry {
  readonly strategy: Strategy;
  readonly #resource: Resource<KubeObject>;
  readonly #services: RegistryServices;

  constructor(strategy: Strategy, services: RegistryServices) {
    this.strategy = strategy;
    this.#resource = strategy.resource;
    this.#services = services;
  }

  get(key: ObjectKey): StoredObject {
    const object = this.find(key);
    if (object === undefined) throw notFound(this.#resource, splitKey(key).name);
    return object;
  }

  find(key: ObjectKey): StoredObject | undefined {
    return this.#services.store.get(this.#resource, key) as StoredObject | undefined;
  }

  create(namespace: string | undefined, decoded: StoredObject, call: Call): StoredObject {
    const target = this.#resource.namespaced ? namespace : undefined;
    const object = this.#admit(inNamespace(withoutSystemFields(decoded), target), undefined, call);
    const generates = object.metadata.name === undefined || object.metadata.name === '';
    for (let tries = 1; ; tries++) {
      try {
        return this.#createOnce(object, call);
      } catch (error) {
        if (!generates || !isApiError(error, 'AlreadyExists') || tries === NAME_GENERATION_TRIES_MAX) throw error;
      }
    }
  }

  #createOnce(given: StoredObject, call: Call): StoredObject {
    const { clock, random, store } = this.#services;
    const { strategy } = this;
    let object = withSystemFields(given, { now: clock.now(), random });
    if (strategy.hasGeneration) object = withGeneration(object, 1);
    if (strategy.hasStatus) object = this.#withStatus(object, undefined);
    object = (strategy.prepareForCreate?.(object, { now: clock.now() }) ?? object) as StoredObject;
    this.#refuse(object, strategy.validate(object));
    call.warnings.push(...(strategy.warnings?.(object, undefined) ?? []));
    this.#review(object, undefined, call);
    if ((object.metadata.resourceVersion ?? '') !== '')
      throw unclassified('resourceVersion should not be set on objects to be created');
    const key = keyFrom(object.metadata.namespace, object.metadata.name);
    const existing = store.get(this.#resource, key);
    if (existing !== undefined) throw this.#exists(object, existing);
    return this.#put(key, object, call);
  }

  /** `edit` makes the wanted object of the stored one. The answer is the stored object itself if nothing changes. */
  update(key: ObjectKey, edit: (before: StoredObject) => StoredObject, call: Call): StoredObject {
    const before = this.get(key);
    return this.#replace(key, before, edit(before), call);
  }

  #replace(key: ObjectKey, before: StoredObject, wanted: StoredObject, call: Call): StoredObject {
    const { strategy } = this;
    this.#requireTarget(wanted, key);
    let object = this.#admit(inNamespace(wanted, before.metadata.namespace), before, call);
    object = this.#requireVersion(object, before);
    object = this.#prepared(object, before, call);
    this.#refuse(object, this.#updateFaults(object, before, call));
    if (call.subresource === undefined) call.warnings.push(...(strategy.warnings?.(object, before) ?? []));
    this.#review(object, before, call);
    if (endsDeletion(object, before)) {
      this.#remove(key, call);
      return object;
    }
    return sameValue(object, before) ? before : this.#put(key, object, call);
  }

  delete(key: ObjectKey, options: DeleteOptions, call: Call): Deleted {
    const before = this.get(key);
    this.#requirePreconditions(before, options.preconditions ?? {});
    this.#admitDeletion(before, call);
    const requested =
      options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds;
    const deletion = decideDeletion({
      metadata: before.metadata,
      policy: options.propagationPolicy,
      requestedGraceSeconds: requested,
      graceSeconds:
        this.strategy.gracePeriodSeconds === undefined
          ? undefined
          : (this.strategy.gracePeriodSeconds(before, requested) ?? 0),
      now: this.#services.clock.now(),
    });
    return this.#carryOut(deletion, key, before, call);
  }

  #carryOut(deletion: Deletion, key: ObjectKey, before: StoredObject, call: Call): Deleted {
    if (deletion.type === 'pending') return this.#deleted(before);
    if (deletion.type === 'remove') return this.#deleted(this.#remove(key, call));
    const marked = { ...before, metadata: deletion.metadata };
    const stored = sameValue(marked, before) ? before : this.#put(key, marked, call);
    if (deletion.type === 'mark') return { type: 'object', object: stored };
    return this.#deleted(call.dryRun ? stored : this.#remove(key, call));
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
    return { ...before, metadata: { ...before.metadata, resourceVersion: String(change.revision) } } as StoredObject;
  }

  #put(key: ObjectKey, object: StoredObject, call: Call): StoredObject {
    if (call.dryRun) return object;
    const change = this.#services.store.put(this.#resource, key, object);
    this.#services.committed(change, call);
    return change.after as StoredObject;
  }

  #exists(object: StoredObject, existing: KubeObject): Error {
    const { name, generateName } = object.metadata;
    const error =
      generateName === undefined || generateName === ''
        ? alreadyExists(this.#resource, name)
        : generateNameConflict(this.#resource, name);
    if (existing.metadata.deletionTimestamp !== undefined) error.message = `object is being deleted: ${error.message}`;
    return error;
  }

  #requireTarget(object: StoredObject, key: ObjectKey): void {
    const { name } = splitKey(key);
    const given = object.metadata.name ?? '';
    if (given === name) return;
    throw badRequest(
      given === ''
        ? 'name must be provided'
        : `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }

  #requireVersion(object: StoredObject, before: StoredObject): StoredObject {
    const given = object.metadata.resourceVersion ?? '';
    const { name, resourceVersion } = before.metadata;
    if (given === '' && this.strategy.requiresResourceVersion === true) {
      const fault = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid({ group: this.#resource.group, kind: this.#resource.plural }, name, [fault]);
    }
    if (given === '') return { ...object, metadata: { ...object.metadata, resourceVersion } };
    if (given !== resourceVersion) throw conflict(this.#resource, name);
    return object;
  }

  #requirePreconditions(
    object: StoredObject,
    { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']>,
  ): void {
    const { metadata } = object;
    const named = { group: this.#resource.group, plural: this.#resource.kind };
    if (uid !== undefined && uid !== metadata.uid) {
      const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
      throw conflict(named, metadata.name, why);
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
      throw conflict(named, metadata.name, why);
    }
  }

  #prepared(wanted: StoredObject, before: StoredObject, call: Call): StoredObject {
    const { strategy } = this;
    const context = { now: this.#services.clock.now() };
    const object = withGeneration(wanted, before.metadata.generation);
    if (call.subresource === 'status') {
      const split = { ...before, metadata: object.metadata, status: object['status'] } as StoredObject;
      const prepared = (strategy.prepareForStatusUpdate?.(split, before, context) ?? split) as StoredObject;
      return withSystemFieldsOf(prepared, before);
    }
    const split = strategy.hasStatus ? this.#withStatus(object, before) : object;
    const prepared = (strategy.prepareForUpdate?.(split, before, context) ?? split) as StoredObject;
    const generation = before.metadata.generation ?? 0;
    const bumps = strategy.hasGeneration && !sameSpec(prepared, before);
    return withSystemFieldsOf(bumps ? withGeneration(prepared, generation + 1) : prepared, before);
  }

  /** Status is written through its own path only: here it stays as it was, or starts empty. */
  #withStatus(object: StoredObject, before: StoredObject | undefined): StoredObject {
    const { status: _given, ...rest } = object;
    const status = before === undefined ? undefined : before['status'];
    return (status === undefined ? rest : { ...rest, status }) as StoredObject;
  }

  #updateFaults(object: StoredObject, before: StoredObject, call: Call): readonly FieldError[] {
    const { strategy } = this;
    if (call.subresource === 'status') return strategy.validateStatusUpdate?.(object, before) ?? [];
    return strategy.validateUpdate?.(object, before) ?? strategy.validate(object);
  }

  #refuse(object: StoredObject, faults: readonly FieldError[]): void {
    if (faults.length > 0) throw invalid(this.#resource, object.metadata.name, faults);
  }

  #admit(object: StoredObject, before: StoredObject | undefined, call: Call): StoredObject {
    let admitted = object;
    for (const plugin of this.#services.admission) {
      const request = this.#admissionRequest(admitted, before, call);
      admitted = (plugin.admit?.(request, this.#services.reader) ?? admitted) as StoredObject;
    }
    return admitted;
  }

  #review(object: StoredObject, before: StoredObject | undefined, call: Call): void {
    for (const plugin of this.#services.admission)
      plugin.review?.(this.#admissionRequest(object, before, call), this.#services.reader);
  }

  #admitDeletion(before: StoredObject, call: Call): void {
    const request = this.#admissionRequest(undefined, before, call);
    for (const plugin of this.#services.admission) plugin.admit?.(request, this.#services.reader);
    for (const plugin of this.#services.admission) plugin.review?.(request, this.#services.reader);
  }

  #admissionRequest(object: StoredObject | undefined, before: StoredObject | undefined, call: Call): AdmissionRequest {
    const { namespace, name } = (object ?? before)?.metadata ?? { namespace: undefined, name: '' };
    return {
      operation: object === undefined ? 'DELETE' : before === undefined ? 'CREATE' : 'UPDATE',
      resource: this.#resource,
      subresource: call.subresource,
      namespace,
      name: name ?? '',
      object,
      before,
      user: call.user.name,
      groups: call.user.groups,
      dryRun: call.dryRun,
    };
  }
}

/** The last finalizer of an object that is only waiting for it has gone. */
function endsDeletion({ metadata }: StoredObject, before: StoredObject): boolean {
  if ((metadata.finalizers?.length ?? 0) > 0 || before.metadata.deletionTimestamp === undefined) return false;
  return (before.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function sameSpec(object: StoredObject, before: StoredObject): boolean {
  const { metadata: _metadata, status: _status, ...spec } = object;
  const { metadata: _metadataBefore, status: _statusBefore, ...specBefore } = before;
  return sameValue(spec, specBefore);
}
