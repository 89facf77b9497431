// Edits of metadata.annotations by path copy. An edit that changes nothing answers the same object.
import type { KubeObject } from './object.ts';

export const annotationOf = (object: Pick<KubeObject, 'metadata'>, key: string): string | undefined => {
  const annotations = object.metadata.annotations;
  return annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
};

export function withAnnotation<T extends Pick<KubeObject, 'metadata'>>(object: T, key: string, value: string): T {
  if (annotationOf(object, key) === value) return object;
  const annotations = { ...object.metadata.annotations, [key]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export function withoutAnnotation<T extends Pick<KubeObject, 'metadata'>>(object: T, key: string): T {
  if (annotationOf(object, key) === undefined) return object;
  const { annotations: before = {}, ...rest } = object.metadata;
  const { [key]: _removed, ...annotations } = before;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? rest : { ...rest, annotations } };
}
