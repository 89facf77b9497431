// kubernetes:plugin/pkg/admission/storage/persistentvolume/resize/admission.go
import { annotationOf } from '../../kube/annotations.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import type { AdmissionPlugin, AdmissionReader } from './admission.ts';
import { refusal, replacedObject, writtenObject } from './written-object.ts';

const UNBOUND = 'Only bound persistent volume claims can be expanded';
const NOT_EXPANDABLE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** A claim grows only while it is bound and its class allows it. Only the class is asked, not who made the volume. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  review(request, reader) {
    const claim = writtenObject(request, PersistentVolumeClaims);
    const before = replacedObject(request, PersistentVolumeClaims);
    if (claim === undefined || before === undefined) return;
    if (compareQuantities(sizeOf(claim), sizeOf(before)) <= 0) return;
    if (before.status.phase !== 'Bound') throw refusal(request, UNBOUND);
    if (!allowsExpansion(claim, before, reader)) throw refusal(request, NOT_EXPANDABLE);
  },
};

const sizeOf = (claim: PersistentVolumeClaim): string => claim.spec.resources.requests?.['storage'] ?? '0';

const classOf = (claim: PersistentVolumeClaim): string =>
  annotationOf(claim, 'volume.beta.kubernetes.io/storage-class') ?? claim.spec.storageClassName ?? '';

function allowsExpansion(
  claim: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
  reader: AdmissionReader,
): boolean {
  const name = classOf(claim);
  if (name === '' || name !== classOf(before)) return false;
  return reader.get(StorageClasses, name)?.allowVolumeExpansion === true;
}
