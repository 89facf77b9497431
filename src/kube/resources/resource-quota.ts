import { type Infer, always, list, map, message, of, omitempty, pointer, quantity, string } from '../schema.ts';
import { type Resource } from '../object.ts';
import { metadata } from './meta.ts';

const ScopedResourceSelectorRequirementSchema = message('io.k8s.api.core.v1.ScopedResourceSelectorRequirement', {
  scopeName: always(1, string),
  operator: always(2, string),
  values: omitempty(3, list(string)),
});
export interface ScopedResourceSelectorRequirement extends Infer<typeof ScopedResourceSelectorRequirementSchema> {}

const ScopeSelectorSchema = message(
  'io.k8s.api.core.v1.ScopeSelector',
  {
    matchExpressions: omitempty(1, list(of(ScopedResourceSelectorRequirementSchema))),
  },
  { atomic: true },
);
export interface ScopeSelector extends Infer<typeof ScopeSelectorSchema> {}

const ResourceQuotaSpecSchema = message('io.k8s.api.core.v1.ResourceQuotaSpec', {
  hard: omitempty(1, map(quantity)),
  scopes: omitempty(2, list(string)),
  scopeSelector: pointer(3, of(ScopeSelectorSchema)),
});
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpecSchema> {}

const ResourceQuotaStatusSchema = message('io.k8s.api.core.v1.ResourceQuotaStatus', {
  hard: omitempty(1, map(quantity)),
  used: omitempty(2, map(quantity)),
});
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatusSchema> {}

const ResourceQuotaSchema = message('io.k8s.api.core.v1.ResourceQuota', {
  metadata: always(1, metadata),
  spec: always(2, of(ResourceQuotaSpecSchema)),
  status: always(3, of(ResourceQuotaStatusSchema)),
});

export interface ResourceQuota extends Infer<typeof ResourceQuotaSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'ResourceQuota';
}

export const ResourceQuotas: Resource<ResourceQuota> = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
  schema: ResourceQuotaSchema,
};
