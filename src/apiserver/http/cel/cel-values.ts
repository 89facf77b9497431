// JSON as the expression language sees it: typed by the schema, with field names that the language can write.
// kubernetes:staging/src/k8s.io/apiserver/pkg/cel/{escaping,common/values}.go
import { type JsonObject, isJsonObject } from '../../../kube/json.ts';
import type { JsonSchema } from '../../../kube/resources/json-schema-props.ts';
import type { RuleScope } from '../../customresources/rule-engine.ts';
import { additionalOf, isEmbedded, itemsOf, preserves, propertyOf } from '../../customresources/json-schema.ts';

/** Words of the language. */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: readonly (readonly [RegExp, string])[] = [
  [/__/g, '__underscores__'],
  [/\./g, '__dot__'],
  [/-/g, '__dash__'],
  [/\//g, '__slash__'],
];

/** The name by which a rule reaches a field. */
export function escapedName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return ESCAPES.reduce((text, [pattern, word]) => text.replace(pattern, word), name);
}

const NAME: JsonSchema = { type: 'string' };
/** Of the metadata rules see the names only. */
const OBJECT_FIELDS: Readonly<Record<string, JsonSchema>> = {
  apiVersion: NAME,
  kind: NAME,
  metadata: { type: 'object', properties: { name: NAME, generateName: NAME } },
};

/** The schema of what a rule is about. */
export function scopeSchema({ schema, isObject }: RuleScope): JsonSchema {
  return isObject ? withObjectFields(schema) : schema;
}

const withObjectFields = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, ...OBJECT_FIELDS },
});

/** What only the language can make. */
export interface CelMakers {
  duration(text: string): unknown;
}

export function celValue(value: unknown, schema: JsonSchema | undefined, makers: CelMakers): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value === 'number') return numberOf(value, schema);
  if (typeof value === 'string') return textOf(value, schema, makers);
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema);
    return value.map((each) => celValue(each, items, makers));
  }
  return isJsonObject(value) ? objectOf(value, schema, makers) : value;
}

const numberOf = (value: number, schema: JsonSchema | undefined): unknown =>
  schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;

function textOf(value: string, schema: JsonSchema | undefined, makers: CelMakers): unknown {
  if (schema?.type !== 'string') return value;
  switch (schema.format) {
    case 'date':
    case 'date-time': {
      const time = new Date(value);
      return Number.isNaN(time.getTime()) ? value : time;
    }
    case 'duration':
      return makers.duration(value);
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}

/** Only declared fields are seen, unless any are allowed. Keys of maps are values, and stay as they are. */
function objectOf(value: JsonObject, schema: JsonSchema | undefined, makers: CelMakers): unknown {
  if (schema === undefined)
    return entriesOf(Object.entries(value).map(([name, each]) => [name, celValue(each, undefined, makers)]));
  const declared = isEmbedded(schema) ? withObjectFields(schema) : schema;
  const isMap = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  const fields: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const property = propertyOf(declared, name);
    if (property !== undefined) fields.push([escapedName(name), celValue(each, property, makers)]);
    else if (isMap) fields.push([name, celValue(each, additionalOf(schema), makers)]);
    else if (preserves(schema)) fields.push([escapedName(name), celValue(each, undefined, makers)]);
  }
  return entriesOf(fields);
}

const entriesOf = (fields: readonly (readonly [string, unknown])[]): unknown => Object.fromEntries(fields);
