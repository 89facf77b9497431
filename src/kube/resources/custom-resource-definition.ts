import { type Resource } from '../object.ts';
import {
  type Infer,
  always,
  bool,
  bytes,
  int32,
  int64,
  list,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';
import { JsonSchemaPropsSchema } from './json-schema-props.ts';
import { metadata } from './meta.ts';

const PACKAGE = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const NamesSchema = message(`${PACKAGE}.CustomResourceDefinitionNames`, {
  plural: always(1, string),
  singular: omitempty(2, string),
  shortNames: omitempty(3, list(string)),
  kind: always(4, string),
  listKind: omitempty(5, string),
  categories: omitempty(6, list(string)),
});
export interface DefinitionNames extends Infer<typeof NamesSchema> {}

const ServiceReferenceSchema = message(`${PACKAGE}.ServiceReference`, {
  namespace: always(1, string),
  name: always(2, string),
  path: pointer(3, string),
  port: pointer(4, int32),
});

const WebhookConversionSchema = message(`${PACKAGE}.WebhookConversion`, {
  clientConfig: pointer(
    2,
    of(
      message(`${PACKAGE}.WebhookClientConfig`, {
        url: pointer(3, string),
        service: pointer(1, of(ServiceReferenceSchema)),
        caBundle: omitempty(2, bytes),
      }),
    ),
  ),
  conversionReviewVersions: nullable(3, list(string)),
});

const ConversionSchema = message(`${PACKAGE}.CustomResourceConversion`, {
  strategy: always(1, string),
  webhook: pointer(2, of(WebhookConversionSchema)),
});
export interface DefinitionConversion extends Infer<typeof ConversionSchema> {}

const ScaleSubresourceSchema = message(`${PACKAGE}.CustomResourceSubresourceScale`, {
  specReplicasPath: always(1, string),
  statusReplicasPath: always(2, string),
  labelSelectorPath: pointer(3, string),
});
export interface ScaleSubresource extends Infer<typeof ScaleSubresourceSchema> {}

const SubresourcesSchema = message(`${PACKAGE}.CustomResourceSubresources`, {
  status: pointer(1, of(message(`${PACKAGE}.CustomResourceSubresourceStatus`, {}))),
  scale: pointer(2, of(ScaleSubresourceSchema)),
});
export interface DefinitionSubresources extends Infer<typeof SubresourcesSchema> {}

const ColumnSchema = message(`${PACKAGE}.CustomResourceColumnDefinition`, {
  name: always(1, string),
  type: always(2, string),
  format: omitempty(3, string),
  description: omitempty(4, string),
  priority: omitempty(5, int32),
  jsonPath: always(6, string),
});
export interface ColumnDefinition extends Infer<typeof ColumnSchema> {}

const VersionSchema = message(`${PACKAGE}.CustomResourceDefinitionVersion`, {
  name: always(1, string),
  served: always(2, bool),
  storage: always(3, bool),
  deprecated: omitempty(7, bool),
  deprecationWarning: pointer(8, string),
  schema: pointer(
    4,
    of(message(`${PACKAGE}.CustomResourceValidation`, { openAPIV3Schema: pointer(1, of(JsonSchemaPropsSchema)) })),
  ),
  subresources: pointer(5, of(SubresourcesSchema)),
  additionalPrinterColumns: omitempty(6, list(of(ColumnSchema))),
  selectableFields: omitempty(9, list(of(message(`${PACKAGE}.SelectableField`, { jsonPath: always(1, string) })))),
});
export interface DefinitionVersion extends Infer<typeof VersionSchema> {}

const ConditionSchema = message(`${PACKAGE}.CustomResourceDefinitionCondition`, {
  type: always(1, string),
  status: always(2, string),
  lastTransitionTime: nullable(3, time),
  reason: omitempty(4, string),
  message: omitempty(5, string),
  observedGeneration: omitempty(6, int64),
});
export interface DefinitionCondition extends Infer<typeof ConditionSchema> {}

const SpecSchema = message(`${PACKAGE}.CustomResourceDefinitionSpec`, {
  group: always(1, string),
  names: always(3, of(NamesSchema)),
  scope: always(4, string),
  versions: nullable(7, list(of(VersionSchema))),
  conversion: pointer(9, of(ConversionSchema)),
  preserveUnknownFields: omitempty(10, bool),
});
export interface DefinitionSpec extends Infer<typeof SpecSchema> {}

const StatusSchema = message(`${PACKAGE}.CustomResourceDefinitionStatus`, {
  conditions: nullable(1, list(of(ConditionSchema), { apply: { type: 'map', keys: ['type'] } })),
  acceptedNames: always(2, of(NamesSchema)),
  storedVersions: nullable(3, list(string)),
  observedGeneration: omitempty(4, int64),
});
export interface DefinitionStatus extends Infer<typeof StatusSchema> {}

const CustomResourceDefinitionSchema = message(`${PACKAGE}.CustomResourceDefinition`, {
  metadata: always(1, metadata),
  spec: always(2, of(SpecSchema)),
  status: always(3, of(StatusSchema)),
});
export interface CustomResourceDefinition extends Infer<typeof CustomResourceDefinitionSchema> {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
}

export const CustomResourceDefinitions: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  schema: CustomResourceDefinitionSchema,
};
