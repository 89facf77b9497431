// The part of metadata that belongs to the server, whatever the client sent. A field that must not be there is set to
// undefined: leaving it out of a copy costs ten times as much, and what is stored is shaped once more, which drops it.
// kubernetes:staging/src/k8s.io/apiserver/pkg/registry/rest/{meta,create,update}.go
import { type StatusError, badRequest } from '../../kube/api-error.ts';
import { generatedName } from '../../kube/generated-name.ts';
import type { Random } from '../../base/random.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import type { StoredObject } from './generic-call.ts';

/** Metadata in the making. */
type Unset<T> = { readonly [K in keyof T]?: T[K] | undefined };

const withMetadata = (object: StoredObject, metadata: Unset<ObjectMeta>): StoredObject => ({
  ...object,
  metadata: metadata as ObjectMeta,
});

/** Takes the namespace from the request, or refuses another one; cluster-scoped objects lose theirs. */
/** A body that does not say which object it is about. */
export const unnamed = (name: string): StatusError =>
  badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);

export function inNamespace(object: StoredObject, namespace: string | undefined): StoredObject {
  const given = object.metadata.namespace;
  if (given === namespace) return object;
  if (given !== undefined && given !== '' && namespace !== undefined) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return withMetadata(object, { ...object.metadata, namespace });
}

/** What a client says about the system's own fields of a new object does not count. */
export function withoutSystemFields(object: StoredObject): StoredObject {
  const { metadata } = object;
  const isClean = metadata.deletionTimestamp === undefined && metadata.deletionGracePeriodSeconds === undefined;
  if (isClean) return object;
  return withMetadata(object, { ...metadata, deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined });
}

export interface SystemFields {
  readonly createdAt: string;
  readonly random: Random;
  readonly managedFields: ObjectMeta['managedFields'];
}

export function withSystemFields(
  object: StoredObject,
  { createdAt, random, managedFields }: SystemFields,
): StoredObject {
  return withMetadata(object, {
    ...object.metadata,
    name: nameFor(object.metadata, random),
    uid: random.uid(),
    creationTimestamp: createdAt,
    managedFields,
  });
}

function nameFor({ name = '', generateName = '' }: Partial<ObjectMeta>, random: Random): string {
  return name === '' && generateName !== '' ? generatedName(generateName, random) : name;
}

/** An update never changes these fields; what it says about them is dropped, or refused where it would start a deletion. */
export function withSystemFieldsOf(
  object: StoredObject,
  before: StoredObject,
  managedFields: ObjectMeta['managedFields'],
): StoredObject {
  const { metadata } = object;
  const old = before.metadata;
  const uid = (metadata.uid ?? '') === '' ? old.uid : metadata.uid;
  const deletionTimestamp = old.deletionTimestamp ?? metadata.deletionTimestamp;
  const period = metadata.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds;
  const isSame =
    uid === metadata.uid &&
    metadata.managedFields === managedFields &&
    metadata.creationTimestamp === old.creationTimestamp &&
    metadata.deletionTimestamp === deletionTimestamp &&
    metadata.deletionGracePeriodSeconds === period;
  if (isSame) return object;
  return withMetadata(object, {
    ...metadata,
    uid,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds: period,
    managedFields,
  });
}

export function withGeneration(object: StoredObject, generation: number | undefined): StoredObject {
  if (object.metadata.generation === generation) return object;
  return withMetadata(object, { ...object.metadata, generation });
}
