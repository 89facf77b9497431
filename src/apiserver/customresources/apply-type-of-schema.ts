// What server-side apply has to know of a custom kind, from its schema.
// kube-openapi:pkg/schemaconv, kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { type ApplyType, type MapApply, type NamedField, applyTypeOf } from '../managedfields/apply-type.ts';
import { fieldElement } from '../managedfields/path-element.ts';
import { additionalOf, isEmbedded, itemsOf, preserves, propertyOf } from './json-schema.ts';

/** Anything, part by part as it comes. */
const DEDUCED: ApplyType = { type: 'any', isGranular: true };

/** A whole object of a custom kind. */
export function applyTypeOfSchema(schema: JsonSchema): MapApply {
  return objectType(schema, true);
}

function objectType(schema: JsonSchema, isObject: boolean): MapApply {
  const additional = additionalOf(schema);
  const fields = new Map<string, NamedField>();
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    fields.set(name, { step: fieldElement(name), of: typeOf(property) });
  if (isObject) for (const [name, field] of applyTypeOf(undefined).fields) fields.set(name, field);
  const isOpen = preserves(schema) || schema.additionalProperties === true;
  return {
    type: 'map',
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    others: additional === undefined ? (isOpen ? DEDUCED : undefined) : typeOf(additional),
  };
}

function typeOf(schema: JsonSchema): ApplyType {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: 'scalar', holds: 'untyped' };
  switch (schema.type) {
    case 'object':
      return objectType(schema, isEmbedded(schema));
    case 'array':
      return listType(schema);
    case 'string':
      return { type: 'scalar', holds: 'string' };
    case 'integer':
    case 'number':
      return { type: 'scalar', holds: 'numeric' };
    case 'boolean':
      return { type: 'scalar', holds: 'boolean' };
    default:
      return DEDUCED;
  }
}

function listType(schema: JsonSchema): ApplyType {
  const items = itemsOf(schema);
  const relation = schema['x-kubernetes-list-type'];
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  return {
    type: 'list',
    relation: relation === 'map' || relation === 'set' ? relation : 'atomic',
    keys: names.map((name) => ({
      name,
      default: defaultOf(items === undefined ? undefined : propertyOf(items, name)),
    })),
    of: items === undefined ? DEDUCED : typeOf(items),
  };
}

function defaultOf(schema: JsonSchema | undefined): string | number | boolean | undefined {
  const value = schema?.default;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
