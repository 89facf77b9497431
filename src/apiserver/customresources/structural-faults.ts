// Whether a schema is structural: every value it allows has one type that is said outside of all alternatives, so that objects
// can be pruned and defaulted by it.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{validation,complete}.go
import { type FieldError, forbidden, invalid, required } from '../../kube/field-error.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { goPattern } from './go-pattern.ts';
import { additionalOf, isEmbedded, itemsOf, preserves, propertiesOf, propertyOf } from './json-schema.ts';

type Faults = readonly FieldError[];
type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Sorted by their sentences: the fields of a schema have no order. */
export function structuralFaults(schema: JsonSchema, path: string): Faults {
  const faults = [...invariantFaults(schema, 'root', path), ...completenessFaults(schema, path)];
  return faults.toSorted((left, right) => (sentence(left) < sentence(right) ? -1 : 1));
}

const sentence = ({ field, text }: FieldError): string => `${field}: ${text}`;

function invariantFaults(schema: JsonSchema, level: Level, path: string): Faults {
  const { type = '' } = schema;
  const items = itemsOf(schema);
  const faults: FieldError[] = [];
  if (type === 'array' && items === undefined) faults.push(required(`${path}.items`, 'must be specified'));
  if (items !== undefined) faults.push(...invariantFaults(items, 'item', `${path}.items`));
  for (const [name, property] of propertiesOf(schema))
    faults.push(...invariantFaults(property, 'field', `${path}.properties[${name}]`));
  const additional = additionalOf(schema);
  if (schema.additionalProperties !== undefined && level === 'root')
    faults.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  if (additional !== undefined) faults.push(...invariantFaults(additional, 'field', `${path}.additionalProperties`));
  return [
    ...faults,
    ...extensionFaults(schema, path),
    ...alternativeFaults(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path),
    ...typeFaults(schema, level, path),
    ...metaFaults(schema, level, path),
  ];
}

function extensionFaults(schema: JsonSchema, path: string): Faults {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const faults: FieldError[] = [];
  const says = 'must be false if x-kubernetes-int-or-string is true';
  if (preserves(schema)) faults.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, says));
  if (isEmbedded(schema)) faults.push(invalid(`${path}.x-kubernetes-embedded-resource`, true, says));
  return faults;
}

function typeFaults(schema: JsonSchema, level: Level, path: string): Faults {
  const { type = '' } = schema;
  const faults: FieldError[] = [];
  const isFree = schema['x-kubernetes-int-or-string'] === true || preserves(schema);
  if (isEmbedded(schema) && type !== 'object') {
    const says = 'must be object if x-kubernetes-embedded-resource is true';
    faults.push(type === '' ? required(`${path}.type`, says) : invalid(`${path}.type`, type, says));
  } else if (type === '' && !isFree) faults.push(required(`${path}.type`, EMPTY_TYPE[level]));
  if (isEmbedded(schema) && schema.additionalProperties !== undefined) {
    const says = 'must not be used if x-kubernetes-embedded-resource is set';
    faults.push(forbidden(`${path}.additionalProperties`, says));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    faults.push(invalid(`${path}.type`, type, 'must be object at the root'));
  return faults;
}

/** Metadata are the same for all kinds: a schema may narrow their names and nothing else. */
function metaFaults(schema: JsonSchema, level: Level, path: string): Faults {
  const faults: FieldError[] = [];
  const isObject = level === 'root' || isEmbedded(schema);
  for (const name of isObject ? ['kind', 'apiVersion'] : []) {
    const type = propertyOf(schema, name)?.type;
    if (propertyOf(schema, name) !== undefined && type !== 'string')
      faults.push(invalid(`${path}.properties[${name}].type`, type ?? '', 'must be string'));
  }
  const metadata = propertyOf(schema, 'metadata');
  const at = `${path}.properties[metadata]`;
  if (metadata !== undefined) {
    if (isObject && metadata.type !== 'object')
      faults.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
    if (level === 'root' && !namesOnly(metadata)) {
      const says = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      faults.push(forbidden(at, says));
    }
  }
  if (isEmbedded(schema) && !preserves(schema) && Object.keys(schema.properties ?? {}).length === 0) {
    const says =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    faults.push(required(`${path}.properties`, says));
  }
  return faults;
}

function namesOnly({ type: _type, properties = {}, default: _default, ...rest }: JsonSchema): boolean {
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

/** `anyOf: [{type: integer}, {type: string}]`, the one place where alternatives may name types. */
function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  if (anyOf?.length !== 2) return false;
  return anyOf.every((each, index) => Object.keys(each).length === 1 && each.type === ['integer', 'string'][index]);
}

function alternativeFaults(schema: JsonSchema, skipsAnyOf: boolean, skipsFirst: boolean, path: string): Faults {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  const faults: FieldError[] = [];
  if (!skipsAnyOf)
    for (const [index, each] of anyOf.entries()) faults.push(...nestedFaults(each, `${path}.anyOf[${index}]`));
  for (const [index, each] of allOf.entries())
    faults.push(...nestedFaults(each, `${path}.allOf[${index}]`, skipsFirst && index === 0));
  for (const [index, each] of oneOf.entries()) faults.push(...nestedFaults(each, `${path}.oneOf[${index}]`));
  if (not !== undefined) faults.push(...nestedFaults(not, `${path}.not`));
  if (pattern !== '' && goPattern(pattern) === undefined) {
    const says = `must be a valid regular expression, but isn't: error parsing regexp: ${patternFault(pattern)}`;
    faults.push(invalid(`${path}.pattern`, pattern, says));
  }
  return faults;
}

/** The commonest faults in Go's words. */
function patternFault(pattern: string): string {
  const open = pattern.lastIndexOf('[');
  if (open >= 0 && !pattern.slice(open + 1).includes(']')) return `missing closing ]: \`${pattern.slice(open)}\``;
  const opened = pattern.split('(').length - pattern.split(')').length;
  if (opened > 0) return `missing closing ): \`${pattern}\``;
  return opened < 0 ? `unexpected ): \`${pattern}\`` : `invalid expression: \`${pattern}\``;
}

/** What may not be said inside an alternative. */
const FORBIDDEN_INSIDE: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function nestedFaults(schema: JsonSchema, path: string, skipsAnyOf = false): Faults {
  const items = itemsOf(schema);
  const faults: FieldError[] = [...alternativeFaults(schema, skipsAnyOf, false, path)];
  if (items !== undefined) faults.push(...nestedFaults(items, `${path}.items`));
  for (const [name, property] of propertiesOf(schema))
    faults.push(...nestedFaults(property, `${path}.properties[${name}]`));
  for (const [name, says] of FORBIDDEN_INSIDE)
    if (schema[name] !== undefined && schema[name] !== false) faults.push(forbidden(`${path}.${name}`, says));
  if (propertyOf(schema, 'metadata') !== undefined)
    faults.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  return faults;
}

/** What an alternative speaks of must be there outside of it. Upstream looks at those of the root only. */
function completenessFaults(schema: JsonSchema, path: string): Faults {
  return alternativesOf(schema, path).flatMap(([each, at]) => incompleteFaults(each, schema, path, at));
}

function alternativesOf(schema: JsonSchema, path: string): readonly (readonly [JsonSchema, string])[] {
  const { not, anyOf = [], allOf = [], oneOf = [] } = schema;
  return [
    ...(not === undefined ? [] : [[not, `${path}.not`] as const]),
    ...allOf.map((each, index) => [each, `${path}.allOf[${index}]`] as const),
    ...anyOf.map((each, index) => [each, `${path}.anyOf[${index}]`] as const),
    ...oneOf.map((each, index) => [each, `${path}.oneOf[${index}]`] as const),
  ];
}

function incompleteFaults(inside: JsonSchema, outside: JsonSchema | undefined, path: string, at: string): Faults {
  if (outside === undefined) return [required(path, `because it is defined in ${at}`)];
  const items = itemsOf(inside);
  return [
    ...alternativesOf(inside, at).flatMap(([each, place]) => incompleteFaults(each, outside, path, place)),
    ...(items === undefined ? [] : incompleteFaults(items, itemsOf(outside), `${path}.items`, `${at}.items`)),
    ...propertiesOf(inside).flatMap(([name, each]) =>
      incompleteFaults(each, propertyOf(outside, name), `${path}.properties[${name}]`, `${at}.properties[${name}]`),
    ),
  ];
}
