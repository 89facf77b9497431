// Lists that are sets or maps hold nothing twice.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go
import { type FieldError, duplicate, invalid } from '../../kube/field-error.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, canonicalJson, itemsOf, propertyOf } from './json-schema.ts';

export function listTypeFaults(schema: JsonSchema | undefined, value: unknown, path = ''): readonly FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) return ofList(schema, value as readonly unknown[], path);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const property = propertyOf(schema, name);
    if (property !== undefined) return listTypeFaults(property, field, path === '' ? name : `${path}.${name}`);
    return listTypeFaults(additionalOf(schema), field, `${path}[${name}]`);
  });
}

function ofList(schema: JsonSchema, list: readonly unknown[], path: string): readonly FieldError[] {
  const below = list.flatMap((member, index) => listTypeFaults(itemsOf(schema), member, `${path}[${index}]`));
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return [...repeated(list).map((index) => duplicate(`${path}[${index}]`, list[index])), ...below];
    case 'map':
      return [...ofMap(schema, list, path), ...below];
    default:
      return below;
  }
}

function ofMap(schema: JsonSchema, list: readonly unknown[], path: string): readonly FieldError[] {
  const stranger = list.findIndex((member) => member !== null && !isJsonObject(member));
  if (stranger >= 0)
    return [invalid(`${path}[${stranger}]`, list[stranger], 'must be an object for an array of list-type map')];
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const keys = list.map((member) =>
    Object.fromEntries(
      names
        .filter((name) => isJsonObject(member) && Object.hasOwn(member, name))
        .map((name) => [name, fieldOf(member, name)]),
    ),
  );
  return repeated(keys).map((index) => duplicate(`${path}[${index}]`, keys[index]));
}

const fieldOf = (member: unknown, name: string): unknown => (isJsonObject(member) ? member[name] : undefined);

/** Where a value stands for the second time; a third one is not told again. */
function repeated(list: readonly unknown[]): readonly number[] {
  const times = new Map<string, number>();
  const indices: number[] = [];
  for (const [index, member] of list.entries()) {
    const text = canonicalJson(member);
    const seen = times.get(text) ?? 0;
    if (seen === 1) indices.push(index);
    times.set(text, seen + 1);
  }
  return indices;
}
