// What each scalar of the schema language becomes when it is decoded into its Go type and encoded again.
import { unreachable } from '../base/assert.ts';
import { frozenCopy } from './deep-freeze.ts';
import { formatDuration, parseDuration } from './go-duration.ts';
import { canonicalMicroTime, canonicalTime } from './go-time.ts';
import { canonicalQuantity } from './quantity.ts';
import type { ScalarType } from './schema.ts';

/** Thrown for a value of the wrong JSON type; who knows the path makes the sentence. */
export class TypeMismatch extends Error {
  override readonly name = 'TypeMismatch';
  /** What was found: `string`, `number`, `number 1.5` where an integer was wanted. */
  readonly found: string;
  readonly goType: string;
  /** What is said of it where a value is not read but put together from the parts of another: after a strategic merge. */
  readonly restoring: string | undefined;

  /** `readsItself`: of a type that knows how it is read, and is so whatever it comes from. */
  constructor(value: unknown, goType: string, readsItself = false) {
    super(goType);
    this.found = foundType(value, goType);
    this.goType = goType;
    this.restoring = readsItself ? undefined : restoringText(value, goType);
  }
}

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/runtime/converter.go */
function restoringText(value: unknown, goType: string): string {
  if (goType.startsWith('[]')) return `cannot restore slice from ${goKind(value)}`;
  if (goType.startsWith('map[')) return `cannot restore map from ${goKind(value)}`;
  if (goType.startsWith('v1.')) return `cannot restore struct from: ${goKind(value)}`;
  const isConvertible =
    typeof value === 'number' && (goType !== 'string' || Number.isInteger(value)) && goType !== 'bool';
  return isConvertible ? `cannot convert ${goKind(value)} to ${goType}` : `unrecognized type: ${goType}`;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map';
}

/** The right JSON type, but a text that does not parse. */
export class ScalarError extends Error {
  override readonly name = 'ScalarError';
}

function foundType(value: unknown, goType: string): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return goType.startsWith('int') ? `number ${value}` : 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export interface ScalarShape {
  /** Never asked about null: that is the zero value. */
  readonly shape: (value: unknown) => unknown;
  readonly zero: unknown;
  readonly goType: string;
}

const INT32_MAX = 2 ** 31 - 1;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeMismatch(value, 'string');
  return value;
}

/** What a type that reads itself reads. */
function ownText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeMismatch(value, 'string', true);
  return value;
}

const isInt32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1;

function int32(value: unknown): number {
  if (!isInt32(value)) throw new TypeMismatch(value, 'int32');
  return value;
}

function int64(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new TypeMismatch(value, 'int64');
  return value;
}

function bool(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeMismatch(value, 'bool');
  return value;
}

function double(value: unknown): number {
  if (typeof value !== 'number') throw new TypeMismatch(value, 'float64');
  return value;
}

/** A bare number is read as if it were quoted, and so is anything else: it then fails by the grammar. */
function quantity(value: unknown): string {
  if (typeof value === 'string') return canonicalQuantity(value.trim());
  return canonicalQuantity(JSON.stringify(value));
}

function bytes(value: unknown): string {
  const encoded = text(value).replace(/[\r\n]/g, '');
  if (!BASE64.test(encoded)) {
    const odd = encoded.search(/[^A-Za-z0-9+/]/);
    // What stops in the middle is odd from where its last four began.
    throw new ScalarError(`illegal base64 data at input byte ${odd < 0 ? encoded.length - (encoded.length % 4) : odd}`);
  }
  return encoded;
}

function duration(value: unknown): string {
  const written = ownText(value);
  const durationMs = parseDuration(written);
  if (durationMs === undefined) throw new ScalarError(`time: invalid duration "${written}"`);
  return formatDuration(durationMs);
}

function intOrString(value: unknown): number | string {
  if (typeof value !== 'string' && !isInt32(value)) throw new TypeMismatch(value, 'int32', true);
  return value;
}

function jsonObject(value: unknown): unknown {
  if (typeof value !== 'object' || Array.isArray(value)) throw new TypeMismatch(value, 'v1.FieldsV1', true);
  return frozenCopy(value);
}

/** The zero time is encoded as none. */
const unlessZero = (time: string): string | null => (time === '0001-01-01T00:00:00Z' ? null : time);

const NO_FIELDS = Object.freeze({});

export function scalarShape(type: ScalarType): ScalarShape {
  switch (type) {
    case 'string':
      return { shape: text, zero: '', goType: 'string' };
    case 'bytes':
      return { shape: bytes, zero: '', goType: '[]uint8' };
    case 'bool':
      return { shape: bool, zero: false, goType: 'bool' };
    case 'int32':
      return { shape: int32, zero: 0, goType: 'int32' };
    case 'int64':
      return { shape: int64, zero: 0, goType: 'int64' };
    case 'double':
      return { shape: double, zero: 0, goType: 'float64' };
    case 'quantity':
      return { shape: quantity, zero: '0', goType: 'resource.Quantity' };
    case 'time':
      return { shape: (value) => unlessZero(canonicalTime(ownText(value))), zero: null, goType: 'v1.Time' };
    case 'microTime':
      return { shape: (value) => canonicalMicroTime(ownText(value)), zero: null, goType: 'v1.MicroTime' };
    case 'duration':
      return { shape: duration, zero: '0s', goType: 'v1.Duration' };
    case 'intOrString':
      return { shape: intOrString, zero: 0, goType: 'intstr.IntOrString' };
    case 'raw':
      return { shape: frozenCopy, zero: null, goType: 'runtime.RawExtension' };
    case 'fieldsV1':
      return { shape: jsonObject, zero: NO_FIELDS, goType: 'v1.FieldsV1' };
    default:
      return unreachable(type);
  }
}
