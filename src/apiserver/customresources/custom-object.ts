// A custom object on its way in: decoded by the schema of its version as a built-in one is by its Go type. Maps have no order
// of their own, so fields stand in the order of their names, as upstream writes them.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer)
import { type ShapeOptions, ShapeError } from '../../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { defaulted, withoutNulls } from './defaulting.ts';
import { EmbeddedError, coerced, shapedMetadata } from './embedded-objects.ts';
import { prunedObject } from './pruning.ts';

/** The object in its shape, frozen; without defaults. Throws ShapeError. */
export function shapedObject(value: unknown, schema: JsonSchema, { unknownFields = [] }: ShapeOptions): JsonObject {
  if (!isJsonObject(value))
    throw new ShapeError('json: cannot unmarshal into Go value of type map[string]interface {}');
  const pruned: string[] = [];
  const found: string[] = [];
  const metadata = shapedMetadata(value['metadata'] ?? {}, 'metadata', found);
  const known = withoutNulls(prunedObject(value, schema, pruned), schema);
  const embedded: string[] = [];
  const shaped = withEmbedded(known, schema, embedded) as JsonObject;
  unknownFields.push(...found.toSorted(), ...pruned.toSorted(), ...embedded.toSorted());
  return ordered({ ...shaped, metadata }) as JsonObject;
}

function withEmbedded(value: unknown, schema: JsonSchema, unknown: string[]): unknown {
  try {
    return coerced(value, schema, unknown);
  } catch (error) {
    throw error instanceof EmbeddedError ? new ShapeError(error.message) : error;
  }
}

/** A stored object as this version shows it: what is unknown now is gone, what has a default now has it. */
export function shownObject(stored: JsonObject, schema: JsonSchema): JsonObject {
  const known = withoutNulls(prunedObject(stored, schema, []), schema) as JsonObject;
  const filled = withDefaults(known, schema);
  return filled === stored ? stored : (ordered(filled) as JsonObject);
}

/** Type and metadata have no defaults, whatever the schema says. */
export function withDefaults(object: JsonObject, schema: JsonSchema): JsonObject {
  return defaulted(object, schema) as JsonObject;
}

/** A frozen copy with all fields in the order of their names, without those that are undefined. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(ordered));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value).toSorted()) {
    const field = value[name];
    if (field === undefined) continue;
    Object.defineProperty(copy, name, { value: ordered(field), enumerable: true, configurable: true, writable: true });
  }
  return Object.freeze(copy);
}
