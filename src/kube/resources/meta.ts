import type { ObjectMeta } from '../object.ts';
import {
  type FieldType,
  type Infer,
  always,
  bool,
  fieldsV1,
  int64,
  list,
  map,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';

const OwnerReferenceSchema = message(
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
  {
    apiVersion: always(5, string),
    kind: always(1, string),
    name: always(3, string),
    uid: always(4, string),
    controller: pointer(6, bool),
    blockOwnerDeletion: pointer(7, bool),
  },
  { atomic: true },
);

const ManagedFieldsEntrySchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry', {
  manager: omitempty(1, string),
  operation: omitempty(2, string),
  apiVersion: omitempty(3, string),
  time: pointer(4, time),
  fieldsType: omitempty(6, string),
  fieldsV1: pointer(7, fieldsV1),
  subresource: omitempty(8, string),
});

const ObjectMetaSchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', {
  name: omitempty(1, string),
  generateName: omitempty(2, string),
  namespace: omitempty(3, string),
  selfLink: omitempty(4, string),
  uid: omitempty(5, string),
  resourceVersion: omitempty(6, string),
  generation: omitempty(7, int64),
  creationTimestamp: omitempty(8, time),
  deletionTimestamp: pointer(9, time),
  deletionGracePeriodSeconds: pointer(10, int64),
  labels: omitempty(11, map(string)),
  annotations: omitempty(12, map(string)),
  ownerReferences: omitempty(
    13,
    list(of(OwnerReferenceSchema), { merge: { key: 'uid' }, apply: { type: 'map', keys: ['uid'] } }),
  ),
  finalizers: omitempty(14, list(string, { merge: {}, apply: { type: 'set' } })),
  managedFields: omitempty(17, list(of(ManagedFieldsEntrySchema))),
});

const LabelSelectorRequirementSchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement', {
  key: always(1, string),
  operator: always(2, string),
  values: omitempty(3, list(string)),
});
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirementSchema> {}

export const LabelSelectorSchema = message(
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
  {
    matchLabels: omitempty(1, map(string)),
    matchExpressions: omitempty(2, list(of(LabelSelectorRequirementSchema))),
  },
  { atomic: true },
);
export interface LabelSelector extends Infer<typeof LabelSelectorSchema> {}

export const ConditionSchema = message('io.k8s.apimachinery.pkg.apis.meta.v1.Condition', {
  type: always(1, string),
  status: always(2, string),
  observedGeneration: omitempty(3, int64),
  lastTransitionTime: nullable(4, time),
  reason: always(5, string),
  message: always(6, string),
});
export interface Condition extends Infer<typeof ConditionSchema> {}

/** The metadata of a stored object: the server has filled name, uid, resourceVersion and creationTimestamp. */
export const metadata: FieldType<ObjectMeta> = { type: 'message', message: ObjectMetaSchema };
/** The metadata of a template: nothing is filled in. */
export const templateMetadata: FieldType<Partial<ObjectMeta>> = { type: 'message', message: ObjectMetaSchema };
