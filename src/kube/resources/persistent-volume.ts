import {
  type Infer,
  always,
  embedded,
  list,
  map,
  message,
  of,
  omitempty,
  pointer,
  quantity,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';
import { PersistentVolumeSourceSchema, VolumeNodeAffinitySchema } from './persistent-volume-source.ts';
import { ObjectReferenceSchema } from './references.ts';

export const PersistentVolumeSpecSchema = message('io.k8s.api.core.v1.PersistentVolumeSpec', {
  // Never stored empty; of one that is sent empty is said something else than of none.
  capacity: pointer(1, map(quantity)),
  ...embedded(2, PersistentVolumeSourceSchema),
  accessModes: omitempty(3, list(string)),
  claimRef: pointer(4, of(ObjectReferenceSchema), { atomic: false }),
  persistentVolumeReclaimPolicy: omitempty(5, string),
  storageClassName: omitempty(6, string),
  mountOptions: omitempty(7, list(string)),
  volumeMode: pointer(8, string),
  nodeAffinity: pointer(9, of(VolumeNodeAffinitySchema)),
  volumeAttributesClassName: pointer(10, string),
});
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpecSchema> {}

const PersistentVolumeStatusSchema = message('io.k8s.api.core.v1.PersistentVolumeStatus', {
  phase: omitempty(1, string),
  message: omitempty(2, string),
  reason: omitempty(3, string),
  lastPhaseTransitionTime: pointer(4, time),
});
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatusSchema> {}

const PersistentVolumeSchema = message('io.k8s.api.core.v1.PersistentVolume', {
  metadata: always(1, metadata),
  spec: always(2, of(PersistentVolumeSpecSchema)),
  status: always(3, of(PersistentVolumeStatusSchema)),
});

export interface PersistentVolume extends Infer<typeof PersistentVolumeSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'PersistentVolume';
}

export const PersistentVolumes: Resource<PersistentVolume> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
  schema: PersistentVolumeSchema,
};
