import { type Infer, always, bool, list, message, of, omitempty, pointer } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';
import { LocalObjectReferenceSchema, ObjectReferenceSchema } from './references.ts';

const ServiceAccountSchema = message('io.k8s.api.core.v1.ServiceAccount', {
  metadata: always(1, metadata),
  secrets: omitempty(
    2,
    list(of(ObjectReferenceSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  imagePullSecrets: omitempty(3, list(of(LocalObjectReferenceSchema))),
  automountServiceAccountToken: pointer(4, bool),
});

export interface ServiceAccount extends Infer<typeof ServiceAccountSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'ServiceAccount';
}

export const ServiceAccounts: Resource<ServiceAccount> = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
  schema: ServiceAccountSchema,
};
