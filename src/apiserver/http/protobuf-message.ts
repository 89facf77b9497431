// One protobuf message as JSON, by the schema of its kind. What Go writes although it is not set (empty texts, zeros of fields
// that are left out when empty, times of no value) does not appear; what is set to zero on purpose does.
import { WireError } from '../../grpc/wire-error.ts';
import type { WireReader } from '../../grpc/wire-reader.ts';
import { formatDuration } from '../../kube/go-duration.ts';
import type { Either, Field, FieldType, MessageSchema, ScalarType } from '../../kube/schema.ts';

type Json = Record<string, unknown>;

interface NamedField extends Field {
  readonly name: string;
}
/** By number: a field, or the embedded message whose fields stand in the parent's JSON. */
type Numbered = ReadonlyMap<number, NamedField | { readonly embedded: Numbered }>;

/** One for each schema for as long as the schema lives. */
const NUMBERED = new WeakMap<MessageSchema, Numbered>();

function numbered(schema: MessageSchema): Numbered {
  const known = NUMBERED.get(schema);
  if (known !== undefined) return known;
  const made = new Map<number, NamedField | { readonly embedded: Map<number, NamedField> }>();
  const inside = (of: Map<number, unknown>, number: number): Map<number, unknown> => {
    const found = of.get(number) as { readonly embedded: Map<number, unknown> } | undefined;
    if (found !== undefined) return found.embedded;
    const embedded = new Map<number, unknown>();
    of.set(number, { embedded });
    return embedded;
  };
  for (const [name, field] of Object.entries(schema.fields)) {
    let place: Map<number, unknown> = made;
    if (field.via !== undefined) place = inside(place, field.via);
    if (field.viaInner !== undefined) place = inside(place, field.viaInner);
    place.set(field.tag, { ...field, name });
  }
  NUMBERED.set(schema, made);
  return made;
}

/** Throws a WireError. */
export function decodeMessage(schema: MessageSchema, reader: WireReader): Json {
  const json: Json = {};
  readFields(numbered(schema), reader, json);
  return json;
}

function readFields(fields: Numbered, reader: WireReader, into: Json): void {
  while (reader.next()) {
    const field = fields.get(reader.number);
    if (field === undefined) reader.skip();
    else if ('embedded' in field) readFields(field.embedded, reader.message(), into);
    else readField(field, reader, into);
  }
}

function readField({ name, of, presence }: NamedField, reader: WireReader, into: Json): void {
  switch (of.type) {
    case 'list': {
      const list = (into[name] ??= []) as unknown[];
      readInto(list, of.of, reader);
      return;
    }
    case 'map': {
      const map = (into[name] ??= {}) as Json;
      readEntry(map, of.of, reader.message());
      return;
    }
    default: {
      const value = readValue(of, reader);
      if (value === undefined || (presence === 'omitempty' && isZero(value))) delete into[name];
      else into[name] = value;
    }
  }
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false;

/** Go's encoder writes one field for each number; others may put many into one. */
function readInto(list: unknown[], of: FieldType, reader: WireReader): void {
  const isNumber = of.type === 'int32' || of.type === 'int64' || of.type === 'bool';
  if (!isNumber || reader.wireType !== 'bytes') {
    list.push(readValue(of, reader) ?? null);
    return;
  }
  const packed = reader.packed('varint');
  while (!packed.isAtEnd) list.push(readValue(of, packed));
}

function readEntry(map: Json, of: FieldType, reader: WireReader): void {
  let key = '';
  let value: unknown;
  while (reader.next()) {
    if (reader.number === 1) key = reader.string();
    else if (reader.number === 2) value = readValue(of, reader);
    else reader.skip();
  }
  // Defined, not assigned: a key may be called __proto__.
  Object.defineProperty(map, key, {
    value: value ?? zeroOf(of),
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function zeroOf(of: FieldType): unknown {
  switch (of.type) {
    case 'list':
      return [];
    case 'map':
    case 'message':
      return {};
    case 'quantity':
      return '0';
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    case 'bool':
      return false;
    case 'string':
    case 'bytes':
      return '';
    default:
      return null;
  }
}

/** Undefined for what is sent, but says nothing. */
function readValue(of: FieldType, reader: WireReader): unknown {
  switch (of.type) {
    case 'message':
      return decodeMessage(of.message, reader.message());
    case 'list': {
      // A list that is an element itself is a message with the list as field 1.
      const list: unknown[] = [];
      const items = reader.message();
      while (items.next()) {
        if (items.number === 1) readInto(list, of.of, items);
        else items.skip();
      }
      return list;
    }
    case 'map':
      throw new WireError('a map of maps');
    default:
      return of.either === undefined ? readScalar(of.type, reader) : readEither(of.either, reader.message());
  }
}

/** Go's encoder writes a flag also where there is a message; the message counts. */
function readEither({ message, tag, other, otherTag }: Either, reader: WireReader): unknown {
  let found: Json | undefined;
  const list: unknown[] = [];
  while (reader.next()) {
    if (reader.number === tag) found = decodeMessage(message, reader.message());
    else if (reader.number === otherTag) readInto(list, other.type === 'list' ? other.of : other, reader);
    else reader.skip();
  }
  return found ?? (other.type === 'list' ? list : list.at(-1));
}

function readScalar(type: ScalarType, reader: WireReader): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return reader.int64();
    case 'double':
      return reader.double();
    case 'quantity':
      return readQuantity(reader.message());
    case 'time':
    case 'microTime':
      return readTime(reader.message(), type === 'time' ? 0 : 6);
    case 'duration':
      return readDuration(reader.message());
    case 'intOrString':
      return readIntOrString(reader.message());
    case 'raw':
    case 'fieldsV1':
      return readRaw(reader.message());
  }
}

function readQuantity(reader: WireReader): string {
  let text = '';
  while (reader.next()) {
    if (reader.number === 1) text = reader.string();
    else reader.skip();
  }
  return text === '' ? '0' : text;
}

/** The years 0 to 9999, which are all that a time in JSON can name. */
const SECONDS_MIN = -62_167_219_200;
const SECONDS_MAX = 253_402_300_799;

/** A message without fields is the time of no value. */
function readTime(reader: WireReader, places: number): string | undefined {
  if (reader.isAtEnd) return undefined;
  let [seconds, nanos] = [0, 0];
  while (reader.next()) {
    if (reader.number === 1) seconds = reader.int64();
    else if (reader.number === 2) nanos = reader.int32();
    else reader.skip();
  }
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX)
    throw new WireError('a time outside of years that have four digits');
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = String(Math.trunc(Math.min(Math.max(nanos, 0), 999_999_999) / 10 ** (9 - places)));
  return places === 0 ? `${text}Z` : `${text}.${fraction.padStart(places, '0')}Z`;
}

function readDuration(reader: WireReader): string {
  let nanos = 0;
  while (reader.next()) {
    if (reader.number === 1) nanos = reader.int64();
    else reader.skip();
  }
  return formatDuration(nanos / 1e6);
}

function readIntOrString(reader: WireReader): string | number {
  let [type, number, text] = [0, 0, ''];
  while (reader.next()) {
    if (reader.number === 1) type = reader.int64();
    else if (reader.number === 2) number = reader.int32();
    else if (reader.number === 3) text = reader.string();
    else reader.skip();
  }
  return type === 1 ? text : number;
}

/** JSON as bytes: what the sender did not look into. */
function readRaw(reader: WireReader): unknown {
  let text = '';
  while (reader.next()) {
    if (reader.number === 1) text = reader.string();
    else reader.skip();
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WireError('a raw value that is no JSON');
  }
}
