import {
  type Infer,
  always,
  list,
  map,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  quantity,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { LabelSelectorSchema, metadata } from './meta.ts';
import { TypedLocalObjectReferenceSchema, TypedObjectReferenceSchema } from './references.ts';

const VolumeResourceRequirementsSchema = message('io.k8s.api.core.v1.VolumeResourceRequirements', {
  limits: omitempty(1, map(quantity)),
  requests: omitempty(2, map(quantity)),
});
export interface VolumeResourceRequirements extends Infer<typeof VolumeResourceRequirementsSchema> {}

export const PersistentVolumeClaimSpecSchema = message('io.k8s.api.core.v1.PersistentVolumeClaimSpec', {
  accessModes: omitempty(1, list(string)),
  selector: pointer(4, of(LabelSelectorSchema)),
  resources: always(2, of(VolumeResourceRequirementsSchema)),
  volumeName: omitempty(3, string),
  storageClassName: pointer(5, string),
  volumeMode: pointer(6, string),
  dataSource: pointer(7, of(TypedLocalObjectReferenceSchema)),
  dataSourceRef: pointer(8, of(TypedObjectReferenceSchema)),
  volumeAttributesClassName: pointer(9, string),
});
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpecSchema> {}

const PersistentVolumeClaimConditionSchema = message('io.k8s.api.core.v1.PersistentVolumeClaimCondition', {
  type: always(1, string),
  status: always(2, string),
  lastProbeTime: nullable(3, time),
  lastTransitionTime: nullable(4, time),
  reason: omitempty(5, string),
  message: omitempty(6, string),
});
export interface PersistentVolumeClaimCondition extends Infer<typeof PersistentVolumeClaimConditionSchema> {}

const ModifyVolumeStatusSchema = message('io.k8s.api.core.v1.ModifyVolumeStatus', {
  targetVolumeAttributesClassName: omitempty(1, string),
  status: always(2, string),
});
export interface ModifyVolumeStatus extends Infer<typeof ModifyVolumeStatusSchema> {}

const PersistentVolumeClaimStatusSchema = message('io.k8s.api.core.v1.PersistentVolumeClaimStatus', {
  phase: omitempty(1, string),
  accessModes: omitempty(2, list(string)),
  capacity: omitempty(3, map(quantity)),
  conditions: omitempty(
    4,
    list(of(PersistentVolumeClaimConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  allocatedResources: omitempty(5, map(quantity)),
  allocatedResourceStatuses: omitempty(7, map(string)),
  currentVolumeAttributesClassName: pointer(8, string),
  modifyVolumeStatus: pointer(9, of(ModifyVolumeStatusSchema)),
});
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatusSchema> {}

export const PersistentVolumeClaimSchema = message('io.k8s.api.core.v1.PersistentVolumeClaim', {
  metadata: always(1, metadata),
  spec: always(2, of(PersistentVolumeClaimSpecSchema)),
  status: always(3, of(PersistentVolumeClaimStatusSchema)),
});

export interface PersistentVolumeClaim extends Infer<typeof PersistentVolumeClaimSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'PersistentVolumeClaim';
}

export const PersistentVolumeClaims: Resource<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
  schema: PersistentVolumeClaimSchema,
};
