import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { type KubeObject, type Resource, isOf } from '../kube/object.ts';

/** All objects of a kind, as the store has them. */
export function storedObjects<T extends KubeObject>(store: ObjectStore, resource: Resource<T>): readonly T[] {
  return store.all(resource).filter((object) => isOf(resource, object));
}
