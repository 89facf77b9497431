// kubernetes:plugin/pkg/admission/storage/storageclass/setdefault/admission.go
import { annotationOf } from '../../kube/annotations.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type StorageClass, StorageClasses } from '../../kube/resources/storage-class.ts';
import type { AdmissionPlugin } from './admission.ts';
import { writtenObject } from './written-object.ts';

const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** A new claim that says nothing about a class gets the default one. The empty class is something said. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  admit(request, reader) {
    const claim = request.operation === 'CREATE' ? writtenObject(request, PersistentVolumeClaims) : undefined;
    if (claim === undefined || claim.spec.storageClassName !== undefined) return undefined;
    if (annotationOf(claim, BETA_STORAGE_CLASS) !== undefined) return undefined;
    const chosen = newestDefault(reader.all(StorageClasses));
    if (chosen === undefined) return undefined;
    return { ...claim, spec: { ...claim.spec, storageClassName: chosen.metadata.name } };
  },
};

/** Of several defaults the newest, of equally old ones the first by name. */
function newestDefault(classes: Iterable<StorageClass>): StorageClass | undefined {
  let chosen: StorageClass | undefined;
  for (const storageClass of classes) {
    if (!DEFAULT_MARKS.some((mark) => annotationOf(storageClass, mark) === 'true')) continue;
    if (chosen === undefined || precedes(storageClass, chosen)) chosen = storageClass;
  }
  return chosen;
}

function precedes({ metadata: left }: StorageClass, { metadata: right }: StorageClass): boolean {
  if (left.creationTimestamp !== right.creationTimestamp) return left.creationTimestamp > right.creationTimestamp;
  return left.name < right.name;
}
