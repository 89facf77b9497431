import { type Infer, always, bool, embedded, message, nullable, omitempty, pointer, string } from '../schema.ts';

export const LocalObjectReferenceSchema = message(
  'io.k8s.api.core.v1.LocalObjectReference',
  {
    name: omitempty(1, string, { default: '' }),
  },
  { atomic: true },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReferenceSchema> {}

export const ObjectReferenceSchema = message(
  'io.k8s.api.core.v1.ObjectReference',
  {
    kind: omitempty(1, string),
    namespace: omitempty(2, string),
    name: omitempty(3, string),
    uid: omitempty(4, string),
    apiVersion: omitempty(5, string),
    resourceVersion: omitempty(6, string),
    fieldPath: omitempty(7, string),
  },
  { atomic: true },
);
export interface ObjectReference extends Infer<typeof ObjectReferenceSchema> {}

export const SecretReferenceSchema = message(
  'io.k8s.api.core.v1.SecretReference',
  {
    name: omitempty(1, string),
    namespace: omitempty(2, string),
  },
  { atomic: true },
);
export interface SecretReference extends Infer<typeof SecretReferenceSchema> {}

export const TypedLocalObjectReferenceSchema = message(
  'io.k8s.api.core.v1.TypedLocalObjectReference',
  {
    apiGroup: nullable(1, string),
    kind: always(2, string),
    name: always(3, string),
  },
  { atomic: true },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReferenceSchema> {}

export const TypedObjectReferenceSchema = message('io.k8s.api.core.v1.TypedObjectReference', {
  apiGroup: nullable(1, string),
  kind: always(2, string),
  name: always(3, string),
  namespace: pointer(4, string),
});
export interface TypedObjectReference extends Infer<typeof TypedObjectReferenceSchema> {}

export const SecretKeySelectorSchema = message(
  'io.k8s.api.core.v1.SecretKeySelector',
  {
    ...embedded(1, LocalObjectReferenceSchema),
    key: always(2, string),
    optional: pointer(3, bool),
  },
  { atomic: true },
);
export interface SecretKeySelector extends Infer<typeof SecretKeySelectorSchema> {}
