// What a schema in a definition may say: which keywords exist, what they need beside them.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, isEmbedded, itemsOf, propertiesOf, propertyOf } from './json-schema.ts';
import { ruleDefinitionFaults } from './rule-definition-faults.ts';
import type { SchemaPlace } from './schema-place.ts';

type Faults = readonly FieldError[];

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);
const UNSUPPORTED = ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

export function schemaDefinitionFaults(schema: JsonSchema, place: SchemaPlace): Faults {
  const own = [
    ...keywordFaults(schema, place),
    ...additionalFaults(schema, place.path),
    ...mapFaults(schema, place.path),
    ...listFaults(schema, place.path),
  ];
  const below = [...partFaults(schema, place), ...alternativeFaults(schema, place)];
  const rules = ruleDefinitionFaults(schema, place, own.length + below.length > 0);
  return [...own, ...below, ...rules];
}

function keywordFaults(schema: JsonSchema, { path, noDefaultBecause, isInsideMeta }: SchemaPlace): Faults {
  const { type = '', items } = schema;
  const faults: FieldError[] = [];
  if (type !== '' && !TYPES.includes(type)) faults.push(notSupported(`${path}.type`, type, TYPES));
  if (schema.default !== undefined && noDefaultBecause !== undefined)
    faults.push(forbidden(`${path}.default`, `must not be set ${noDefaultBecause}`));
  if (schema.id !== undefined) faults.push(forbidden(`${path}.id`, 'id is not supported'));
  for (const name of UNSUPPORTED)
    if (schema[name] !== undefined) faults.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  if (type === 'null')
    faults.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
  if (Array.isArray(items) && items.length > 0)
    faults.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  if (isInsideMeta && isEmbedded(schema))
    faults.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'));
  if (schema.uniqueItems === true) {
    const says = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    faults.push(forbidden(`${path}.uniqueItems`, says));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    faults.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  return faults;
}

function additionalFaults({ additionalProperties, properties = {} }: JsonSchema, path: string): Faults {
  if (additionalProperties === undefined || additionalProperties === true) return [];
  if (Object.keys(properties).length === 0) return [];
  const says = 'additionalProperties and properties are mutual exclusive';
  return [forbidden(`${path}.additionalProperties`, says)];
}

/** `type` must be the one that a keyword is for. */
function typeFor(wanted: string, keyword: string, { type = '' }: JsonSchema, path: string): Faults {
  if (type === wanted) return [];
  const says = `must be ${wanted} if ${keyword} is specified`;
  return [type === '' ? required(`${path}.type`, says) : invalid(`${path}.type`, type, says)];
}

function mapFaults(schema: JsonSchema, path: string): Faults {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const isKnown = mapType === 'atomic' || mapType === 'granular';
  return [
    ...typeFor('object', 'x-kubernetes-map-type', schema, path),
    ...(isKnown ? [] : [notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])]),
  ];
}

function listFaults(schema: JsonSchema, path: string): Faults {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const faults: FieldError[] = [];
  if (listType !== undefined) {
    const types = typeFor('array', 'x-kubernetes-list-type', schema, path);
    faults.push(...types, ...(types.length === 0 && listType === 'set' ? setFaults(schema, path) : []));
    if (!['atomic', 'set', 'map'].includes(listType))
      faults.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const says = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    faults.push(listType === undefined ? required(at, says) : invalid(at, listType, says));
  }
  if (listType === 'map') faults.push(...mapListFaults(schema, keys, path));
  if (listType === 'map' || listType === 'set') faults.push(...keyFaults(schema, listType, keys, path));
  return faults;
}

/** Members of a set are told apart as a whole. */
function setFaults(schema: JsonSchema, path: string): Faults {
  const items = itemsOf(schema);
  const says = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const inner = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && inner !== undefined && inner !== 'atomic')
    return [invalid(`${path}.items.x-kubernetes-list-type`, inner, says)];
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalid(`${path}.items.x-kubernetes-map-type`, null, says)];
  return [];
}

function mapListFaults(schema: JsonSchema, keys: readonly string[], path: string): Faults {
  const items = itemsOf(schema);
  const at = `${path}.x-kubernetes-list-map-keys`;
  const faults: FieldError[] = [];
  if (keys.length === 0) faults.push(required(at, 'must not be empty if x-kubernetes-list-type is map'));
  if (items === undefined)
    return [...faults, required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (items.type !== 'object') {
    const says = "must be object if parent array's x-kubernetes-list-type is map";
    return [...faults, invalid(`${path}.items.type`, items.type ?? '', says)];
  }
  for (const [index, key] of keys.entries()) {
    const property = propertyOf(items, key);
    const scalar = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    if (property === undefined) faults.push(invalid(at, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object')
      faults.push(invalid(`${path}.items.properties[${key}].type`, items.type, scalar));
    if (keys.indexOf(key) !== index) faults.push(invalid(at, keys, 'must not contain duplicate entries'));
  }
  return faults;
}

/** What tells members apart must always be there. */
function keyFaults(schema: JsonSchema, listType: string, keys: readonly string[], path: string): Faults {
  const items = itemsOf(schema);
  if (items === undefined) return [];
  const faults: FieldError[] = [];
  if (items.nullable === true)
    faults.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  for (const key of listType === 'map' ? keys : []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const why = 'this property is in x-kubernetes-list-map-keys, so it';
    if (items.required?.includes(key) !== true && property.default === undefined)
      faults.push(required(`${at}.default`, `${why} must have a default or be a required property`));
    if (property.nullable === true) faults.push(forbidden(`${at}.nullable`, `${why} cannot be nullable`));
  }
  return faults;
}

function partFaults(schema: JsonSchema, place: SchemaPlace): Faults {
  const { path, isRoot, isInsideMeta } = place;
  const below = { ...place, isRoot: false };
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  const faults: FieldError[] = [];
  if (additional !== undefined) {
    const because = isInsideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaultBecause;
    const inside = { ...below, path: `${path}.additionalProperties`, noDefaultBecause: because };
    faults.push(...schemaDefinitionFaults(additional, inside));
  }
  for (const [name, property] of propertiesOf(schema)) {
    const isMeta = (isRoot || isEmbedded(schema)) && META_FIELDS.has(name);
    const inside = {
      ...below,
      path: `${path}.properties[${name}]`,
      isInsideMeta: isInsideMeta || isMeta,
      noDefaultBecause: isMeta && isRoot ? `in top-level ${name}` : place.noDefaultBecause,
    };
    faults.push(...schemaDefinitionFaults(property, inside));
  }
  if (items !== undefined) {
    const since =
      schema['x-kubernetes-list-type'] === 'map' ? place.uncorrelatedSince : (place.uncorrelatedSince ?? path);
    faults.push(...schemaDefinitionFaults(items, { ...below, path: `${path}.items`, uncorrelatedSince: since }));
  }
  return faults;
}

function alternativeFaults({ not, allOf = [], oneOf = [], anyOf = [] }: JsonSchema, place: SchemaPlace): Faults {
  const judge = (schema: JsonSchema, name: string): Faults =>
    schemaDefinitionFaults(schema, { ...place, path: `${place.path}.${name}`, isRoot: false, checksRules: false });
  return [
    ...(not === undefined ? [] : judge(not, 'not')),
    ...allOf.flatMap((each, index) => judge(each, `allOf[${index}]`)),
    ...oneOf.flatMap((each, index) => judge(each, `oneOf[${index}]`)),
    ...anyOf.flatMap((each, index) => judge(each, `anyOf[${index}]`)),
  ];
}
