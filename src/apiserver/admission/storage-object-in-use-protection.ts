// kubernetes:plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go
import { withFinalizer } from '../../kube/finalizers.ts';
import type { KubeObject } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import type { AdmissionPlugin } from './admission.ts';
import { writtenObject } from './written-object.ts';

/** New claims, volumes and attributes classes stay until nothing uses them; the protection controllers decide when. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  admit(request) {
    if (request.operation !== 'CREATE') return undefined;
    return (
      protectedBy(writtenObject(request, PersistentVolumes), 'kubernetes.io/pv-protection') ??
      protectedBy(writtenObject(request, PersistentVolumeClaims), 'kubernetes.io/pvc-protection') ??
      protectedBy(writtenObject(request, VolumeAttributesClasses), 'kubernetes.io/vac-protection')
    );
  },
};

const protectedBy = (object: KubeObject | undefined, finalizer: string): KubeObject | undefined =>
  object === undefined ? undefined : withFinalizer(object, finalizer);
