import type { KubeObject, ObjectKey, Resource } from '../kube/object.ts';
import type { AdmissionReader } from './admission/admission.ts';
import type { ObjectStore } from './objectstore/object-store.ts';

/** What admission and access control may see of the store. */
export function readerOf(store: ObjectStore): AdmissionReader {
  return {
    get: <T extends KubeObject>(resource: Resource<T>, key: ObjectKey) => store.get(resource, key) as T | undefined,
    all: <T extends KubeObject>(resource: Resource<T>, namespace?: string) =>
      store.all(resource, namespace) as readonly T[],
  };
}
