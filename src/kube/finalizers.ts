// Edits of metadata.finalizers by path copy. An edit that changes nothing answers the same object, so callers can compare
// by identity and skip the write.
import type { KubeObject } from './object.ts';

export const hasFinalizer = (object: Pick<KubeObject, 'metadata'>, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) ?? false;

export function withFinalizer<T extends Pick<KubeObject, 'metadata'>>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/** An emptied list goes as a whole: it would not be stored. */
export function withoutFinalizer<T extends Pick<KubeObject, 'metadata'>>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const { finalizers: before = [], ...rest } = object.metadata;
  const finalizers = before.filter((each) => each !== finalizer);
  return { ...object, metadata: finalizers.length === 0 ? rest : { ...rest, finalizers } };
}
