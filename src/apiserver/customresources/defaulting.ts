// Fills in what a schema declares as default, and drops nulls where the schema allows none.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, itemsOf, propertyOf } from './json-schema.ts';

/** The value with its defaults; the value itself if nothing is missing. */
export function defaulted(value: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return defaultedList(value as readonly unknown[], itemsOf(schema));
  return isJsonObject(value) ? defaultedObject(value, schema) : value;
}

function defaultedObject(object: JsonObject, schema: JsonSchema): JsonObject {
  const changed: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue;
    if (!Object.hasOwn(object, name) || isUnwantedNull(object[name], property)) changed[name] = property.default;
  }
  for (const name of new Set([...Object.keys(object), ...Object.keys(changed)])) {
    const given = Object.hasOwn(changed, name) ? changed[name] : object[name];
    const filled = defaultedField(name, given, schema);
    if (filled !== object[name]) changed[name] = filled;
  }
  return Object.keys(changed).length === 0 ? object : { ...object, ...changed };
}

function defaultedField(name: string, value: unknown, schema: JsonSchema): unknown {
  const property = propertyOf(schema, name);
  if (property !== undefined) return defaulted(value, property);
  const additional = additionalOf(schema);
  return defaulted(isUnwantedNull(value, additional) ? (additional?.default ?? null) : value, additional);
}

function defaultedList(list: readonly unknown[], items: JsonSchema | undefined): unknown {
  if (items === undefined) return list;
  const members = list.map((member) =>
    defaulted(isUnwantedNull(member, items) ? (items.default ?? null) : member, items),
  );
  return members.every((member, index) => member === list[index]) ? list : members;
}

const isUnwantedNull = (value: unknown, schema: JsonSchema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

/** The value without nulls that no schema allows and no default replaces. */
export function withoutNulls(value: unknown, schema: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    const items = schema === undefined ? undefined : itemsOf(schema);
    const members = list.map((member) => withoutNulls(member, items));
    return members.every((member, index) => member === list[index]) ? list : members;
  }
  if (!isJsonObject(value)) return value;
  const kept: [string, unknown][] = [];
  let isSame = true;
  for (const [name, given] of Object.entries(value)) {
    const below = schema === undefined ? undefined : (propertyOf(schema, name) ?? additionalOf(schema));
    const isDropped = isUnwantedNull(given, below) && (below?.default ?? null) === null;
    const result = isDropped ? undefined : withoutNulls(given, below);
    if (result !== given) isSame = false;
    if (!isDropped) kept.push([name, result]);
  }
  return isSame ? value : Object.fromEntries(kept);
}
