import { annotationOf } from '../kube/annotations.ts';
import { type StorageClass } from '../kube/resources/storage-class.ts';
import { BETA_IS_DEFAULT_CLASS, IS_DEFAULT_CLASS } from './annotations.ts';

export function isDefaultClass(storageClass: Pick<StorageClass, 'metadata'>): boolean {
  return (
    annotationOf(storageClass, IS_DEFAULT_CLASS) === 'true' ||
    annotationOf(storageClass, BETA_IS_DEFAULT_CLASS) === 'true'
  );
}

/** Of several defaults the newest; of equally new ones the first by name. kubernetes:pkg/volume/util/storageclass.go */
export function defaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  let best: StorageClass | undefined;
  for (const candidate of classes) {
    if (isDefaultClass(candidate) && (best === undefined || goesBefore(candidate, best))) best = candidate;
  }
  return best;
}

function goesBefore(a: StorageClass, b: StorageClass): boolean {
  const [createdA, createdB] = [Date.parse(a.metadata.creationTimestamp), Date.parse(b.metadata.creationTimestamp)];
  return createdA === createdB ? a.metadata.name < b.metadata.name : createdA > createdB;
}
