// The shape an object takes by being decoded into its Go type and encoded again, which is what every write to an API
// server goes through: unknown fields and nulls go, zero values are written out or left out as the struct tags say,
// quantities and times become canonical, fields stand in the order of their declaration.
//
// The result is frozen to the bottom and shares nothing with the input but what is frozen already. A part that has its
// shape and is frozen is returned itself: shaping a stored object costs a walk and answers the same object.
// A schema is compiled into closures when it is first met. This runs on every write; measure before making it prettier.
import { deepFreeze, frozenCopy } from './deep-freeze.ts';
import { ScalarError, TypeMismatch, scalarShape } from './go-scalar.ts';
import { TimeError } from './go-time.ts';
import { type JsonObject, isJsonObject } from './json.ts';
import { type KubeObject, type Resource, apiVersionOf } from './object.ts';
import { QuantityError } from './quantity.ts';
import { metadata } from './resources/meta.ts';
import { type Field, type FieldType, type Fields, type MessageSchema, omitempty, string } from './schema.ts';

export { deepFreeze };

export interface ShapeOptions {
  /** Paths of fields that the schema does not have are added here, each once: `spec.containers[0].imag`. */
  readonly unknownFields?: string[];
}

/** The value cannot be decoded into the type. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
  /** The same, of a value that a strategic merge put together. */
  readonly restoring: string;

  constructor(message: string, restoring = message) {
    super(message);
    this.restoring = restoring;
  }
}

/** Where the walk stands. Numbers are list indices, texts with a dot before them keys of a map. */
interface Walk {
  readonly path: (string | number)[];
  /** Names of the struct and the scalar field at hand, for complaints. */
  struct: string;
  field: string;
  readonly unknownFields: string[] | undefined;
}

const newWalk = (unknownFields?: string[]): Walk => ({ path: [], struct: '', field: '', unknownFields });

interface Compiled {
  /** Never asked about null or undefined. */
  readonly shape: (value: unknown, walk: Walk) => unknown;
  readonly zero: () => unknown;
  readonly isContainer: boolean;
  /** A list or a map. */
  readonly isCollection: boolean;
  readonly goType: string;
}
interface CompiledField extends Compiled {
  readonly name: string;
  /** Its place in the declaration. */
  readonly index: number;
  readonly presence: Field['presence'];
  /** A text that is not empty is its own shape, whatever the presence. Most fields hold one. */
  readonly isText: boolean;
  /** Whether it is written out even when the input lacks it. */
  readonly isWritten: boolean;
}
interface CompiledMessage extends Compiled {
  readonly name: string;
  readonly fields: ReadonlyMap<string, CompiledField>;
  readonly written: readonly CompiledField[];
}

/** Compiled on first use, one for each schema for as long as the schema lives. */
const COMPILED = new WeakMap<MessageSchema, CompiledMessage>();

export function shapeOf<T>(schema: MessageSchema<T>, value: unknown, options: ShapeOptions = {}): T {
  const walk = newWalk(options.unknownFields);
  try {
    const shaped = compiledMessage(schema).shape(value ?? {}, walk);
    assertDescribed(shaped, schema);
    return shaped;
  } catch (error) {
    if (error instanceof TypeMismatch) throw new ShapeError(mismatchText(error, walk), error.restoring);
    if (error instanceof QuantityError || error instanceof TimeError || error instanceof ScalarError) {
      throw new ShapeError(error.message);
    }
    throw error;
  }
}

/** A whole object of a kind, which comes out with its kind and apiVersion. Kinds without any shape are only frozen. */
export function shapeObject<T extends KubeObject>(
  resource: Resource<T>,
  value: unknown,
  options: ShapeOptions = {},
): T {
  const named = isJsonObject(value) ? withTypeOf(resource, value) : value;
  const shaped = shapedBy(resource, named, options);
  assertOfKind(shaped, resource);
  return shaped;
}

function shapedBy({ schema, shape }: Resource<KubeObject>, value: unknown, options: ShapeOptions): unknown {
  if (schema !== undefined) return shapeOf(schema, value, options);
  return shape === undefined ? frozenCopy(value) : shape(value, options);
}

// The compiler cannot know that a compiled schema answers what the schema describes; these two tell it so.
function assertDescribed<T>(_shaped: unknown, _schema: MessageSchema<T>): asserts _shaped is T {}
function assertOfKind<T extends KubeObject>(_shaped: unknown, _resource: Resource<T>): asserts _shaped is T {}

function withTypeOf(resource: Resource<KubeObject>, value: JsonObject): JsonObject {
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  return value['kind'] === kind && value['apiVersion'] === apiVersion ? value : { ...value, kind, apiVersion };
}

function compiledMessage(schema: MessageSchema): CompiledMessage {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  // Registered before its fields are compiled: a message may contain itself.
  const fields = new Map<string, CompiledField>();
  const written: CompiledField[] = [];
  let zero: unknown;
  const message: CompiledMessage = {
    name: structOf(schema),
    goType: `v1.${structOf(schema)}`,
    fields,
    written,
    isContainer: true,
    isCollection: false,
    shape: (value, walk) => shapeMessage(message, value, walk),
    zero: () => (zero ??= shapeMessage(message, {}, newWalk())),
  };
  COMPILED.set(schema, message);
  for (const [name, field] of Object.entries(declaredFields(schema))) {
    const compiled = compiledField(field, name, fields.size);
    fields.set(name, compiled);
    if (compiled.isWritten) written.push(compiled);
  }
  return message;
}

/** All in one literal: fields of one hidden class are what makes the walk fast. */
function compiledField({ of, presence }: Field, name: string, index: number): CompiledField {
  const { shape, zero, isContainer, isCollection, goType } = compiledType(of);
  const isText = of.type === 'string';
  const isWritten = presence === 'always' || presence === 'nullable';
  return { shape, zero, isContainer, isCollection, goType, name, index, presence, isText, isWritten };
}

const structOf = (schema: MessageSchema): string => schema.name.slice(schema.name.lastIndexOf('.') + 1);

/** Kinds, which are told by their metadata, also have a kind and an apiVersion, even inside another: claim templates. */
function declaredFields(schema: MessageSchema): Fields {
  if (schema.fields['metadata']?.of !== metadata) return schema.fields;
  return { kind: omitempty(0, string), apiVersion: omitempty(0, string), ...schema.fields };
}

function compiledType(type: FieldType): Compiled {
  switch (type.type) {
    case 'message':
      return lazily(type.message);
    case 'list':
      return compiledList(compiledType(type.of));
    case 'map':
      return compiledMap(compiledType(type.of));
    default: {
      const { shape, zero, goType } = scalarShape(type.type);
      return { shape, zero: () => zero, isContainer: false, isCollection: false, goType };
    }
  }
}

/** Kinds are many and few are used in a run: a message inside another is compiled when a value of it comes by. */
function lazily(schema: MessageSchema): Compiled {
  let message: CompiledMessage | undefined;
  const compiled = (): CompiledMessage => (message ??= compiledMessage(schema));
  return {
    shape: (value, walk) => shapeMessage(compiled(), value, walk),
    zero: () => compiled().zero(),
    isContainer: true,
    isCollection: false,
    goType: `v1.${structOf(schema)}`,
  };
}

function shapeMessage(message: CompiledMessage, value: unknown, walk: Walk): unknown {
  if (!isJsonObject(value)) throw new TypeMismatch(value, message.goType);
  const input = value;
  const outerStruct = walk.struct;
  walk.struct = message.name;
  const fields: CompiledField[] = [];
  const values: unknown[] = [];
  let hasSameValues = true;
  let isOrdered = true;
  let last = -1;
  let writtenCount = 0;
  for (const key of Object.keys(input)) {
    const field = message.fields.get(key);
    if (field === undefined) {
      isOrdered = false;
      if (walk.unknownFields !== undefined) noteUnknown(walk, key);
      continue;
    }
    const given = input[key];
    const kept = field.isText && typeof given === 'string' && given !== '' ? given : shapedField(field, given, walk);
    if (kept !== given) hasSameValues = false;
    if (kept === undefined || field.index < last) isOrdered = false;
    if (field.isWritten) writtenCount++;
    last = field.index;
    fields.push(field);
    values.push(kept);
  }
  walk.struct = outerStruct;
  if (!isOrdered || writtenCount < message.written.length) return assembled(message, fields, values);
  return hasSameValues && Object.isFrozen(input) ? input : replaced(input, fields, values);
}

/** A copy with the same fields, some of other value. Cloning and replacing is much faster than assembling. */
function replaced(input: JsonObject, fields: readonly CompiledField[], values: readonly unknown[]): unknown {
  const output: Record<string, unknown> = Object.assign({}, input);
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index];
    if (field !== undefined && (field.isContainer || output[field.name] !== values[index]))
      output[field.name] = values[index];
  }
  return Object.freeze(output);
}

/** Puts the fields into the order of their declaration, with those that are written out though the input lacks them. */
function assembled(message: CompiledMessage, fields: readonly CompiledField[], values: readonly unknown[]): unknown {
  const entries = fields.map((field, index) => ({ field, value: values[index] }));
  for (const field of message.written) {
    if (!fields.includes(field)) entries.push({ field, value: keptValue(field, undefined) });
  }
  entries.sort((left, right) => left.field.index - right.field.index);
  const output: Record<string, unknown> = {};
  for (const { field, value } of entries) if (value !== undefined) output[field.name] = value;
  return Object.freeze(output);
}

/** What is written for the field, undefined if it is left out. */
function shapedField(field: CompiledField, value: unknown, walk: Walk): unknown {
  return keptValue(field, value === undefined || value === null ? undefined : shapeField(field, value, walk));
}

function shapeField(field: CompiledField, value: unknown, walk: Walk): unknown {
  if (!field.isContainer) {
    walk.field = field.name;
    return field.shape(value, walk);
  }
  walk.path.push(field.name);
  walk.field = '';
  const shaped = field.shape(value, walk);
  walk.path.pop();
  return shaped;
}

/** What is written for a shaped value, undefined for what is left out. */
function keptValue(field: CompiledField, shaped: unknown): unknown {
  switch (field.presence) {
    case 'pointer':
      return shaped ?? undefined;
    case 'omitempty':
      return shaped === undefined || isEmpty(shaped) ? undefined : shaped;
    case 'always':
      return shaped === undefined ? field.zero() : shaped;
    case 'nullable':
      // Stored objects know no empty lists and maps: they come back as none.
      return shaped === undefined || (field.isCollection && isEmpty(shaped)) ? null : shaped;
  }
}

function isEmpty(shaped: unknown): boolean {
  if (typeof shaped !== 'object') return shaped === '' || shaped === 0 || shaped === false;
  if (shaped === null) return true;
  if (Array.isArray(shaped)) return shaped.length === 0;
  return Object.keys(shaped).length === 0;
}

function compiledList(member: Compiled): Compiled {
  const none = Object.freeze([]);
  return {
    shape: (value, walk) => shapeList(member, value, walk),
    zero: () => none,
    isContainer: true,
    isCollection: true,
    goType: `[]${member.goType}`,
  };
}

function shapeList(member: Compiled, value: unknown, walk: Walk): unknown {
  if (!Array.isArray(value)) throw new TypeMismatch(value, `[]${member.goType}`);
  const input: readonly unknown[] = value;
  const output: unknown[] = [];
  let isSame = true;
  for (let index = 0; index < input.length; index++) {
    const given = input[index];
    if (member.isContainer) walk.path.push(index);
    const shaped = given === undefined || given === null ? member.zero() : member.shape(given, walk);
    if (member.isContainer) walk.path.pop();
    if (shaped !== given) isSame = false;
    output.push(shaped);
  }
  return isSame && Object.isFrozen(input) ? input : Object.freeze(output);
}

function compiledMap(member: Compiled): Compiled {
  const none = Object.freeze({});
  return {
    shape: (value, walk) => shapeMap(member, value, walk),
    zero: () => none,
    isContainer: true,
    isCollection: true,
    goType: `map[string]${member.goType}`,
  };
}

function shapeMap(member: Compiled, value: unknown, walk: Walk): unknown {
  if (!isJsonObject(value)) throw new TypeMismatch(value, `map[string]${member.goType}`);
  const input = value;
  const output: Record<string, unknown> = {};
  let isSame = true;
  for (const key of Object.keys(input)) {
    const given = input[key];
    if (member.isContainer) walk.path.push(`.${key}`);
    const shaped = given === undefined || given === null ? member.zero() : member.shape(given, walk);
    if (member.isContainer) walk.path.pop();
    if (shaped !== given) isSame = false;
    if (key === '__proto__') Object.defineProperty(output, key, { value: shaped, enumerable: true });
    else output[key] = shaped;
  }
  return isSame && Object.isFrozen(input) ? input : Object.freeze(output);
}

function noteUnknown(walk: Walk, key: string): void {
  let path = '';
  for (const part of [...walk.path, key]) {
    if (typeof part === 'number') path += `[${part}]`;
    else if (part.startsWith('.') && part !== key) path += part;
    else path += path === '' ? part : `.${part}`;
  }
  if (walk.unknownFields?.includes(path) === false) walk.unknownFields.push(path);
}

function mismatchText({ found, goType }: TypeMismatch, walk: Walk): string {
  const names = walk.path.filter((part) => typeof part === 'string' && !part.startsWith('.'));
  if (walk.field !== '') names.push(walk.field);
  const place = names.length === 0 ? 'value' : `struct field ${walk.struct}.${names.join('.')}`;
  return `json: cannot unmarshal ${found} into Go ${place} of type ${goType}`;
}
