// The part of metadata that belongs to the server, whatever the client sent.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/rest/{meta,create,update}.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { badRequest } from '../../kube/api-error.ts';
import { generatedName } from '../../kube/generated-name.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import type { StoredObject } from './generic-call.ts';

/** Takes the namespace from the request, or refuses another one; cluster-scoped objects lose theirs. */
export function inNamespace(object: StoredObject, namespace: string | undefined): StoredObject {
  const { namespace: given, ...rest } = object.metadata;
  if (given === namespace) return object;
  if (namespace === undefined) return { ...object, metadata: rest };
  if (given === undefined || given === '') return { ...object, metadata: { ...object.metadata, namespace } };
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** What a client says about the system's own fields of a new object does not count. */
export function withoutSystemFields(object: StoredObject): StoredObject {
  const {
    uid: _uid,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    managedFields: _managed,
    ...kept
  } = object.metadata;
  return { ...object, metadata: { ...kept, uid: '', creationTimestamp: '' } };
}

export function withSystemFields(
  object: StoredObject,
  system: { readonly now: InstantMs; readonly random: Random },
): StoredObject {
  const metadata: ObjectMeta = {
    ...object.metadata,
    name: nameFor(object.metadata, system.random),
    uid: system.random.uid(),
    creationTimestamp: timestamp(system.now),
  };
  return { ...object, metadata };
}

function nameFor(metadata: ObjectMeta, random: Random): string {
  const { name, generateName } = metadata;
  if (name !== undefined && name !== '') return name;
  return generateName === undefined || generateName === '' ? '' : generatedName(generateName, random);
}

/** An update never changes these fields; what it says about them is dropped. */
export function withSystemFieldsOf(object: StoredObject, before: StoredObject): StoredObject {
  const old = before.metadata;
  const {
    managedFields: _managed,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: grace,
    ...kept
  } = object.metadata;
  const period = grace ?? old.deletionGracePeriodSeconds;
  const metadata: ObjectMeta = {
    ...kept,
    uid: kept.uid === undefined || kept.uid === '' ? old.uid : kept.uid,
    creationTimestamp: old.creationTimestamp,
    ...(old.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.deletionTimestamp }),
    ...(period === undefined ? {} : { deletionGracePeriodSeconds: period }),
  };
  return { ...object, metadata };
}

export function withGeneration(object: StoredObject, generation: number | undefined): StoredObject {
  if (object.metadata.generation === generation) return object;
  const { generation: _given, ...rest } = object.metadata;
  return { ...object, metadata: generation === undefined ? rest : { ...rest, generation } };
}
