// Reading schemas: what stands below a schema, and how values are compared and walked by it.
import { shapeOf } from '../../kube/go-shape.ts';
import { isJsonObject } from '../../kube/json.ts';
import { type JsonSchema, JsonSchemaPropsSchema } from '../../kube/resources/json-schema-props.ts';

/** The schema of all members of a list; undefined where there is none, or one for each place. */
export function itemsOf({ items }: JsonSchema): JsonSchema | undefined {
  return items === undefined || isList(items) ? undefined : items;
}

/** The schema of what is not a named property; undefined where any value, or none, is allowed. */
export function additionalOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

export const preserves = (schema: JsonSchema | undefined): boolean =>
  schema?.['x-kubernetes-preserve-unknown-fields'] === true;

export const isEmbedded = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value);

/** The own property of this name: `toString` is no property of a schema that does not declare it. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Properties by name, in a fixed order: of several faults the same one comes first whatever order a client wrote. */
export const propertiesOf = ({ properties = {} }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(properties).toSorted(([left], [right]) => (left < right ? -1 : 1));

/** Every schema inside a schema, itself first. */
export function* schemasIn(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const { items, allOf = [], anyOf = [], oneOf = [], not, additionalItems, patternProperties = {} } = schema;
  const { properties = {}, definitions = {}, dependencies = {} } = schema;
  const below: readonly unknown[] = [
    ...(items === undefined ? [] : isList(items) ? items : [items]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    not,
    ...Object.values(properties),
    schema.additionalProperties,
    ...Object.values(patternProperties),
    additionalItems,
    ...Object.values(definitions),
    ...Object.values(dependencies),
  ];
  for (const each of below) if (isJsonObject(each)) yield* schemasIn(each);
}

/**
 * A schema in the form that is stored: nested schemas stand where JSON allows other things too, and a shape by declaration
 * does not reach there.
 */
export function normalSchema(schema: JsonSchema): JsonSchema {
  const nested = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(nested);
    return isJsonObject(value) ? normalSchema(shapeOf(JsonSchemaPropsSchema, value)) : value;
  };
  const all = <T>(values: Readonly<Record<string, T>>): Record<string, unknown> =>
    Object.fromEntries(sortedEntries(values).map(([name, value]) => [name, nested(value)]));
  const changed: Record<string, unknown> = {};
  for (const name of ['items', 'additionalProperties', 'additionalItems', 'not', 'allOf', 'anyOf', 'oneOf'] as const)
    if (schema[name] !== undefined) changed[name] = nested(schema[name]);
  for (const name of ['properties', 'patternProperties', 'definitions'] as const)
    if (schema[name] !== undefined) changed[name] = all(schema[name]);
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}

/** Maps are written in the order of their keys. */
const sortedEntries = <T>(values: Readonly<Record<string, T>>): readonly (readonly [string, T])[] =>
  Object.entries(values).toSorted(([left], [right]) => (left < right ? -1 : 1));

/** JSON with the fields of objects in a fixed order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
