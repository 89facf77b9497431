// A custom object on its way in: decoded by the schema of its version as a built-in one is by its Go type. Maps have no order
// of their own, so fields stand in the order of their names, as upstream writes them.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go (unstructuredSchemaCoercer)
import { badRequest, invalid } from '../../kube/api-error.ts';
import { invalid as invalidField } from '../../kube/field-error.ts';
import { type ShapeOptions, ShapeError } from '../../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { defaulted, withoutNulls } from './defaulting.ts';
import { EmbeddedError, coerced, shapedMetadata } from './embedded-objects.ts';
import { prunedObject } from './pruning.ts';

/** How much of what was sent a refusal repeats. */
const PREVIEW_LENGTH = 30;

/** A custom object says what it is, and is what its path says. */
export function requireType(raw: unknown, resource: Resource<KubeObject>): void {
  if (!isJsonObject(raw)) return;
  const { kind, apiVersion = '' } = raw;
  const expected = apiVersionOf(resource);
  if (kind === undefined || kind === '') {
    const text = JSON.stringify(raw);
    const preview = text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)} ...` : text;
    const why = `Object 'Kind' is missing in '${text}' (${preview})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
  }
  if (apiVersion !== expected) {
    const given = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
  }
  if (typeof kind !== 'string' || kind === resource.kind) return;
  const metadata = isJsonObject(raw['metadata']) ? raw['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  throw invalid({ group: resource.group, kind }, name, [invalidField('kind', kind, `must be ${resource.kind}`)]);
}

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
