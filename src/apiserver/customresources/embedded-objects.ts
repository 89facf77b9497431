// Objects inside objects (`x-kubernetes-embedded-resource`): their metadata have the shape of all metadata, and their type
// must be said.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import { ShapeError, shapeOf } from '../../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { faultsOfName } from '../../kube/names.ts';
import { validateObjectMeta } from '../../kube/object-meta-validation.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { metadata } from '../../kube/resources/meta.ts';
import type { MessageSchema } from '../../kube/schema.ts';
import { additionalOf, canonicalJson, isEmbedded, itemsOf, propertyOf } from './json-schema.ts';

/** Something about an embedded object cannot be decoded. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}

const { message: METADATA } = metadata as { readonly message: MessageSchema<ObjectMeta> };

/** Metadata in their shape; paths of unknown fields are added to `unknown`. */
export function shapedMetadata(value: unknown, path: string, unknown: string[]): ObjectMeta {
  const found: string[] = [];
  const shaped = shapeOf(METADATA, value, { unknownFields: found });
  unknown.push(...found.map((each) => `${path}.${each}`));
  return shaped;
}

/** The value with all objects embedded in it in shape. */
export function coerced(value: unknown, schema: JsonSchema | undefined, unknown: string[], path = ''): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    const members = list.map((each, index) => coerced(each, itemsOf(schema), unknown, `${path}[${index}]`));
    return members.every((member, index) => member === list[index]) ? list : members;
  }
  if (!isJsonObject(value)) return value;
  const object = isEmbedded(schema) ? coercedObject(value, unknown, path) : value;
  const changed: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(object)) {
    const below = propertyOf(schema, name) ?? additionalOf(schema);
    const result = coerced(field, below, unknown, path === '' ? name : `${path}.${name}`);
    if (result !== field) changed[name] = result;
  }
  return Object.keys(changed).length === 0 ? object : { ...object, ...changed };
}

function coercedObject(object: JsonObject, unknown: string[], path: string): JsonObject {
  for (const name of ['apiVersion', 'kind'])
    if (Object.hasOwn(object, name) && typeof object[name] !== 'string')
      throw new EmbeddedError(`${path}.${name}: Invalid value: ${JSON.stringify(object[name])}: must be a string`);
  if (!Object.hasOwn(object, 'metadata')) return object;
  try {
    return { ...object, metadata: shapedMetadata(object['metadata'], `${path}.metadata`, unknown) };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const given = canonicalJson(object['metadata']);
    throw new EmbeddedError(`${path}.metadata: Invalid value: ${given}: ${error.message}`);
  }
}

/** What is wrong with the objects embedded in a value. */
export function embeddedFaults(value: unknown, schema: JsonSchema | undefined, path = ''): readonly FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((each, index) => embeddedFaults(each, itemsOf(schema), `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  const own = isEmbedded(schema) ? objectFaults(value, path) : [];
  const below = Object.entries(value).flatMap(([name, field]) => {
    const property = propertyOf(schema, name);
    if (property !== undefined) return embeddedFaults(field, property, path === '' ? name : `${path}.${name}`);
    return embeddedFaults(field, additionalOf(schema), `${path}[${name}]`);
  });
  return [...own, ...below];
}

function objectFaults(object: JsonObject, path: string): readonly FieldError[] {
  const { apiVersion, kind } = object;
  const faults: FieldError[] = [];
  if (apiVersion === undefined) faults.push(required(`${path}.apiVersion`));
  if (kind === undefined) faults.push(required(`${path}.kind`));
  if (apiVersion === '') faults.push(invalid(`${path}.apiVersion`, apiVersion, 'must not be empty'));
  else if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
    faults.push(invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  if (kind === '') faults.push(invalid(`${path}.kind`, kind, 'must not be empty'));
  else if (typeof kind === 'string') {
    const sentences = faultsOfName('service', kind.toLowerCase());
    const says = `may have mixed case, but should otherwise match: ${sentences.join(',')}`;
    if (sentences.length > 0) faults.push(invalid(`${path}.kind`, kind, says));
  }
  const meta = object['metadata'];
  return isJsonObject(meta) ? [...faults, ...metadataFaults(meta, `${path}.metadata`)] : faults;
}

/** A name is not needed, but one that is given must be one. */
function metadataFaults(meta: JsonObject, path: string): readonly FieldError[] {
  const named = { ...meta, name: meta['name'] ?? 'fakename' } as unknown as ObjectMeta;
  const namespaced = (named.namespace ?? '') !== '';
  return validateObjectMeta(named, { namespaced, nameRule: 'path-segment' }).map((fault) => ({
    ...fault,
    field: fault.field.replace(/^metadata/, path),
  }));
}
