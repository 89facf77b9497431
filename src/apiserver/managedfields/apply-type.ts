// What server-side apply has to know of a kind: which values are one, which merge part by part, and what tells the members of
// a list apart. Compiled from the declaration of the kind, once for as long as it lives.
// structured-merge-diff:schema/elements.go, kube-openapi:pkg/schemaconv
import { unreachable } from '../../base/assert.ts';
import { metadata } from '../../kube/resources/meta.ts';
import {
  type Field,
  type FieldType,
  type MessageSchema,
  type ScalarType,
  omitempty,
  string,
} from '../../kube/schema.ts';
import { fieldElement } from './path-element.ts';

export type ApplyType = PlainApply | AnyApply;
export type PlainApply = ScalarApply | ListApply | MapApply;

export interface ScalarApply {
  readonly type: 'scalar';
  readonly holds: 'string' | 'numeric' | 'boolean' | 'untyped';
}
export interface ListApply {
  readonly type: 'list';
  /** `atomic` lists are one value; members of a `set` are told apart by value, those of a `map` by their keys. */
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly ListKey[];
  readonly of: ApplyType;
}
export interface ListKey {
  readonly name: string;
  /** What a member without this key has; undefined if nothing is declared. */
  readonly default: string | number | boolean | undefined;
}
/** A message, which has named fields only, or a map, which has none. */
export interface MapApply {
  readonly type: 'map';
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, NamedField>;
  /** Type of what is not a named field; undefined if nothing else may be there. */
  readonly others: ApplyType | undefined;
}
export interface NamedField {
  readonly step: string;
  readonly of: ApplyType;
}
/** Any JSON: lists and scalars are one value, and so are objects unless they are granular. */
export interface AnyApply {
  readonly type: 'any';
  readonly isGranular: boolean;
}

const UNTYPED: ScalarApply = { type: 'scalar', holds: 'untyped' };
const ANYTHING: AnyApply = { type: 'any', isGranular: false };
const DEDUCED: AnyApply = { type: 'any', isGranular: true };
const NO_NAMES: ReadonlyMap<string, NamedField> = new Map();
const ANY_LIST: ListApply = { type: 'list', relation: 'atomic', keys: [], of: ANYTHING };
const ATOMIC_MAP: MapApply = { type: 'map', isAtomic: true, fields: NO_NAMES, others: ANYTHING };
const GRANULAR_MAP: MapApply = { type: 'map', isAtomic: false, fields: NO_NAMES, others: DEDUCED };

/** The type that a value has where any is allowed. */
export function deduced(type: ApplyType, value: unknown): PlainApply {
  if (type.type !== 'any') return type;
  if (Array.isArray(value)) return ANY_LIST;
  if (typeof value === 'object' || value === undefined) return type.isGranular ? GRANULAR_MAP : ATOMIC_MAP;
  return UNTYPED;
}

interface Compiled extends MapApply {
  readonly fields: Map<string, NamedField>;
}

const COMPILED = new WeakMap<MessageSchema, Compiled>();

/** A whole object. Of a kind without a declaration only the metadata are known; all else is granular as it comes. */
export function applyTypeOf(schema: MessageSchema | undefined): MapApply {
  return schema === undefined ? { ...compiledMessage(UNDECLARED), others: DEDUCED } : compiledMessage(schema);
}

const UNDECLARED: MessageSchema = { name: '', fields: { metadata: omitempty(0, metadata) } };

function compiledMessage(schema: MessageSchema): Compiled {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  // Registered before its fields are compiled: a message may contain itself.
  const fields = new Map<string, NamedField>();
  const compiled: Compiled = { type: 'map', isAtomic: schema.atomic === true, fields, others: undefined };
  COMPILED.set(schema, compiled);
  for (const [name, field] of Object.entries(schema.fields)) fields.set(name, compiledField(name, field));
  if (schema.fields['metadata']?.of === metadata) {
    for (const name of ['kind', 'apiVersion']) fields.set(name, compiledField(name, omitempty(0, string)));
  }
  return compiled;
}

function compiledField(name: string, { of, atomic }: Field): NamedField {
  const type = compiledType(of);
  const isOverruled = atomic !== undefined && type.type === 'map' && type.isAtomic !== atomic;
  return { step: fieldElement(name), of: isOverruled ? { ...type, isAtomic: atomic } : type };
}

function compiledType(type: FieldType): ApplyType {
  switch (type.type) {
    case 'message':
      return compiledMessage(type.message);
    case 'map':
      return { type: 'map', isAtomic: false, fields: NO_NAMES, others: compiledType(type.of) };
    case 'list': {
      const { apply } = type.list;
      const keys = apply?.type === 'map' ? apply.keys.map((name) => listKey(name, type.of)) : [];
      return { type: 'list', relation: apply?.type ?? 'atomic', keys, of: compiledType(type.of) };
    }
    default:
      return compiledScalar(type.type);
  }
}

/** OpenAPI gives every field that is always written its zero value as default. */
function listKey(name: string, member: FieldType): ListKey {
  const field = member.type === 'message' ? member.message.fields[name] : undefined;
  const zero = field?.presence === 'always' ? ZEROS[compiledScalarKind(field.of)] : undefined;
  return { name, default: field?.default ?? zero };
}

const ZEROS = { string: '', numeric: 0, boolean: false, untyped: undefined } as const;

function compiledScalarKind(type: FieldType): ScalarApply['holds'] {
  const compiled = compiledType(type);
  return compiled.type === 'scalar' ? compiled.holds : 'untyped';
}

function compiledScalar(type: ScalarType): ApplyType {
  switch (type) {
    case 'string':
    case 'bytes':
      return { type: 'scalar', holds: 'string' };
    case 'bool':
      return { type: 'scalar', holds: 'boolean' };
    case 'int32':
    case 'int64':
    case 'double':
      return { type: 'scalar', holds: 'numeric' };
    case 'quantity':
    case 'time':
    case 'microTime':
    case 'duration':
    case 'intOrString':
      return UNTYPED;
    case 'raw':
    case 'fieldsV1':
      return ANYTHING;
    default:
      return unreachable(type);
  }
}
