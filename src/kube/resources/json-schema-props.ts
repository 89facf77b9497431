// The schemas that clients send inside a CustomResourceDefinition. A schema holds schemas, so its message is closed over
// itself; the places where JSON allows a schema or something else (`items`, `additionalProperties`) are kept as they come, and
// only protobuf needs to know what else.
import {
  type Field,
  type MessageSchema,
  always,
  bool,
  double,
  either,
  int64,
  list,
  map,
  message,
  of,
  omitempty,
  pointer,
  raw,
  string,
} from '../schema.ts';

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** What a value must be. Keywords are those of OpenAPI v3 and Kubernetes' own. */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>>;
  readonly additionalItems?: JsonSchema | boolean;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

const PACKAGE = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const ValidationRuleSchema = message(`${PACKAGE}.ValidationRule`, {
  rule: always(1, string),
  message: omitempty(2, string),
  messageExpression: omitempty(3, string),
  reason: pointer(4, string),
  fieldPath: omitempty(5, string),
  optionalOldSelf: pointer(6, bool),
});

const ExternalDocumentationSchema = message(`${PACKAGE}.ExternalDocumentation`, {
  description: omitempty(1, string),
  url: omitempty(2, string),
});

/** kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go */
function jsonSchemaPropsSchema(): MessageSchema<JsonSchema> {
  const fields: Record<string, Field> = {};
  const itself: MessageSchema<JsonSchema> = { name: `${PACKAGE}.JSONSchemaProps`, fields };
  const nested = of(itself);
  const atomic = { atomic: true };
  const orList = either({ message: itself, tag: 1, other: list(nested), otherTag: 2 });
  const orBool = either({ message: itself, tag: 2, other: bool, otherTag: 1 });
  const orNames = either({ message: itself, tag: 1, other: list(string), otherTag: 2 });
  Object.assign(fields, {
    id: omitempty(1, string),
    $schema: omitempty(2, string),
    $ref: pointer(3, string),
    description: omitempty(4, string),
    type: omitempty(5, string),
    format: omitempty(6, string),
    title: omitempty(7, string),
    default: pointer(8, raw),
    maximum: pointer(9, double),
    exclusiveMaximum: omitempty(10, bool),
    minimum: pointer(11, double),
    exclusiveMinimum: omitempty(12, bool),
    maxLength: pointer(13, int64),
    minLength: pointer(14, int64),
    pattern: omitempty(15, string),
    maxItems: pointer(16, int64),
    minItems: pointer(17, int64),
    uniqueItems: omitempty(18, bool),
    multipleOf: pointer(19, double),
    enum: omitempty(20, list(raw)),
    maxProperties: pointer(21, int64),
    minProperties: pointer(22, int64),
    required: omitempty(23, list(string)),
    items: pointer(24, orList),
    allOf: omitempty(25, list(nested)),
    oneOf: omitempty(26, list(nested)),
    anyOf: omitempty(27, list(nested)),
    not: pointer(28, nested),
    properties: omitempty(29, map(nested)),
    additionalProperties: pointer(30, orBool),
    patternProperties: omitempty(31, map(nested)),
    dependencies: omitempty(32, map(orNames), atomic),
    additionalItems: pointer(33, orBool),
    definitions: omitempty(34, map(nested)),
    externalDocs: pointer(35, of(ExternalDocumentationSchema)),
    example: pointer(36, raw),
    nullable: omitempty(37, bool),
    'x-kubernetes-preserve-unknown-fields': pointer(38, bool),
    'x-kubernetes-embedded-resource': omitempty(39, bool),
    'x-kubernetes-int-or-string': omitempty(40, bool),
    'x-kubernetes-list-map-keys': omitempty(41, list(string)),
    'x-kubernetes-list-type': pointer(42, string),
    'x-kubernetes-map-type': pointer(43, string),
    'x-kubernetes-validations': omitempty(
      44,
      list(of(ValidationRuleSchema), { merge: { key: 'rule' }, apply: { type: 'map', keys: ['rule'] } }),
    ),
  });
  return itself;
}

export const JsonSchemaPropsSchema = jsonSchemaPropsSchema();
