// Parts of a definition as upstream's refusals print them: with the names of its internal types, all fields in their order.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/types{,_jsonschema}.go
import type { DefinitionVersion } from '../../kube/resources/custom-resource-definition.ts';
import type { JsonSchema, ValidationRule } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, itemsOf } from './json-schema.ts';

/** Fields of a schema that are texts or truths there, by their internal names; all others are null where they are not set. */
const TEXTS: ReadonlySet<string> = new Set(['ID', 'Schema', 'Description', 'Type', 'Format', 'Title', 'Pattern']);
const TRUTHS: ReadonlySet<string> = new Set(
  'Nullable ExclusiveMaximum ExclusiveMinimum UniqueItems XEmbeddedResource XIntOrString'.split(' '),
);
const FIELDS =
  'ID Schema Ref Description Type Nullable Format Title Default Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Enum MaxProperties MinProperties Required Items AllOf OneOf AnyOf Not Properties AdditionalProperties PatternProperties Dependencies AdditionalItems Definitions ExternalDocs Example XPreserveUnknownFields XEmbeddedResource XIntOrString XListMapKeys XListType XMapType XValidations'.split(
    ' ',
  );
const KEYWORDS: Readonly<Record<string, string>> = {
  ID: 'id',
  Schema: '$schema',
  Ref: '$ref',
  XPreserveUnknownFields: 'x-kubernetes-preserve-unknown-fields',
  XEmbeddedResource: 'x-kubernetes-embedded-resource',
  XIntOrString: 'x-kubernetes-int-or-string',
  XListMapKeys: 'x-kubernetes-list-map-keys',
  XListType: 'x-kubernetes-list-type',
  XMapType: 'x-kubernetes-map-type',
};

const keywordOf = (field: string): string => KEYWORDS[field] ?? `${field.charAt(0).toLowerCase()}${field.slice(1)}`;

export function internalSchema(schema: JsonSchema): object {
  const all = (schemas: readonly JsonSchema[] | undefined): unknown => schemas?.map(internalSchema) ?? null;
  const named = (schemas: Readonly<Record<string, JsonSchema>> | undefined): unknown =>
    schemas === undefined
      ? null
      : Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, internalSchema(each)]));
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const { additionalProperties } = schema;
  const nested: Readonly<Record<string, unknown>> = {
    Items: items === undefined ? null : { Schema: internalSchema(items), JSONSchemas: null },
    AllOf: all(schema.allOf),
    OneOf: all(schema.oneOf),
    AnyOf: all(schema.anyOf),
    Not: schema.not === undefined ? null : internalSchema(schema.not),
    Properties: named(schema.properties),
    AdditionalProperties:
      additionalProperties === undefined
        ? null
        : {
            Allows: additionalProperties !== false,
            Schema: additional === undefined ? null : internalSchema(additional),
          },
    XValidations: schema['x-kubernetes-validations']?.map(internalRule) ?? null,
  };
  const plain: Readonly<Record<string, unknown>> = { ...schema };
  return Object.fromEntries(
    FIELDS.map((field) => {
      if (Object.hasOwn(nested, field)) return [field, nested[field]];
      return [field, plain[keywordOf(field)] ?? (TEXTS.has(field) ? '' : TRUTHS.has(field) ? false : null)];
    }),
  );
}

export const internalRule = (rule: ValidationRule): object => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

/** What all versions share stands elsewhere; of the rest only names and flags are worth a look. */
export const internalVersions = (versions: readonly DefinitionVersion[]): readonly object[] =>
  versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated === true,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
