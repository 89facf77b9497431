import type { ListOptions, ObjectList } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import { type ObjectStore, keyRange } from '../objectstore/object-store.ts';
import type { Strategy } from './strategy.ts';

export function listObjects(store: ObjectStore, strategy: Strategy, options: ListOptions): ObjectList<KubeObject> {
  const items: KubeObject[] = [];
  store.visit(strategy.resource, keyRange(options.namespace), (object) => items.push(object) > 0);
  return { items, resourceVersion: String(store.revision) };
}
