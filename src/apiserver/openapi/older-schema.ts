// A schema that clients define in words of OpenAPI v2, as far as it has them: what it lacks is left out, and what kubectl
// would take for more than it is loses its type.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';

type Members = Readonly<Record<string, JsonSchema>>;

export function olderSchema(schema: JsonSchema): JsonSchema {
  const { allOf: _allOf, oneOf: _oneOf, anyOf: _anyOf, not: _not, nullable, ...told } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { items, properties, type, required, additionalProperties, ...rest } = told;
  const hasParts = nullable !== true && !isOpen;
  const shownItems = hasParts && isOne(items) ? { items: olderSchema(items) } : {};
  const shownProperties = hasParts && properties !== undefined ? { properties: mapped(properties) } : {};
  const isTyped =
    type !== undefined &&
    nullable !== true &&
    (type !== 'array' || 'items' in shownItems) &&
    !(isOpen && type === 'object');
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const needed = neededOf(required, hasParts ? properties : undefined, values);
  return {
    ...(isTyped ? { type } : {}),
    ...rest,
    ...(needed.length === 0 ? {} : { required: needed }),
    ...shownItems,
    ...shownProperties,
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: values === undefined ? additionalProperties : olderSchema(values) }),
  };
}

const isOne = (items: JsonSchema['items']): items is JsonSchema => items !== undefined && !Array.isArray(items);

const mapped = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, olderSchema(member)]));

/** What may be null cannot be asked for where there is no null. */
function neededOf(
  required: readonly string[] = [],
  properties: Members = {},
  values: JsonSchema | undefined,
): readonly string[] {
  if (values?.nullable === true) return [];
  return required.filter((name) => properties[name]?.nullable !== true);
}
