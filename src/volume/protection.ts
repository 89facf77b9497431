import { hasFinalizer } from '../kube/finalizers.ts';
import { type KubeObject } from '../kube/object.ts';

/** What an in-use protection has to do with an object. kubernetes:pkg/controller/util/protectionutil/utils.go */
export type Protection = 'nothing' | 'protect' | 'release if unused';

/** A living object carries the finalizer; one that is being deleted loses it when nobody uses the object. */
export function protectionOf(object: Pick<KubeObject, 'metadata'>, finalizer: string): Protection {
  if (object.metadata.deletionTimestamp === undefined) return hasFinalizer(object, finalizer) ? 'nothing' : 'protect';
  return hasFinalizer(object, finalizer) ? 'release if unused' : 'nothing';
}
