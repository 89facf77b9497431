// The older OpenAPI document as protobuf, the only form in which kubectl asks for it: before it applies a List, and for kinds
// that the newer documents do not have. Definitions only: clients read which parameters a path takes from the newer ones.
// gnostic-models:openapiv2/OpenAPIv2.proto
import { type JsonObject, isJsonObject } from '../../kube/json.ts';

export const OPENAPI_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const DOCUMENT = { swagger: 1, info: 2, definitions: 9 } as const;
const INFO = { title: 1, version: 2 } as const;
/** Fields of a schema that are texts, or lists of texts. */
const TEXTS: Readonly<Record<string, number>> = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 };
const SCHEMA = { default: 5, required: 19, enum: 20, additional: 21, type: 22, items: 23, properties: 25 } as const;
const EXTENSION = 31;
const NAMED = { name: 1, value: 2 } as const;
const ANY_YAML = 2;
const ADDITIONAL = { schema: 1, boolean: 2 } as const;

const LENGTH_DELIMITED = 2;

/** `text` is the document as JSON. */
export function openApiProtobuf(text: string): Buffer {
  const document: unknown = JSON.parse(text);
  const { swagger, info, definitions } = part(document);
  const { title, version } = part(info);
  return Buffer.concat([
    field(DOCUMENT.swagger, textOf(swagger)),
    field(DOCUMENT.info, Buffer.concat([field(INFO.title, textOf(title)), field(INFO.version, textOf(version))])),
    field(DOCUMENT.definitions, namedSchemas(part(definitions))),
  ]);
}

const part = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const namedSchemas = (schemas: JsonObject): Buffer =>
  Buffer.concat(
    Object.entries(schemas).map(([name, schema]) =>
      field(1, Buffer.concat([field(NAMED.name, name), field(NAMED.value, schemaOf(part(schema)))])),
    ),
  );

function schemaOf(schema: JsonObject): Buffer {
  const { type, items, properties, additionalProperties, required } = schema;
  const texts = Object.entries(TEXTS).flatMap(([name, number]) =>
    typeof schema[name] === 'string' ? [field(number, textOf(schema[name]))] : [],
  );
  const extensions = Object.entries(schema).flatMap(([name, value]) =>
    name.startsWith('x-') ? [field(EXTENSION, namedAny(name, value))] : [],
  );
  return Buffer.concat([
    ...texts,
    ...(schema['default'] === undefined ? [] : [field(SCHEMA.default, anyOf(schema['default']))]),
    ...listOf(required).map((name) => field(SCHEMA.required, textOf(name))),
    ...listOf(schema['enum']).map((value) => field(SCHEMA.enum, anyOf(value))),
    ...(additionalProperties === undefined ? [] : [field(SCHEMA.additional, additionalOf(additionalProperties))]),
    ...(typeof type === 'string' ? [field(SCHEMA.type, field(1, type))] : []),
    ...(isJsonObject(items) ? [field(SCHEMA.items, field(1, schemaOf(items)))] : []),
    ...(isJsonObject(properties) ? [field(SCHEMA.properties, namedSchemas(properties))] : []),
    ...extensions,
  ]);
}

const additionalOf = (value: unknown): Buffer =>
  isJsonObject(value)
    ? field(ADDITIONAL.schema, schemaOf(value))
    : Buffer.from([ADDITIONAL.boolean * 8, value === true ? 1 : 0]);

const namedAny = (name: string, value: unknown): Buffer =>
  Buffer.concat([field(NAMED.name, name), field(NAMED.value, anyOf(value))]);

/** Any value as YAML, of which JSON is a part. */
const anyOf = (value: unknown): Buffer => field(ANY_YAML, JSON.stringify(value));

function field(number: number, value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}
