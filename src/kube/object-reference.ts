import type { KubeObject } from './object.ts';
import type { ObjectReference } from './resources/references.ts';

/** What an event says it is about. `fieldPath` names a part of the object: `spec.containers{db}`. */
export function referenceTo(object: KubeObject, fieldPath?: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    kind: object.kind,
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    name,
    uid,
    apiVersion: object.apiVersion,
    ...(resourceVersion === undefined || resourceVersion === '' ? {} : { resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}
