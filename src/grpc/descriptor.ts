// How messages are declared: a table of messages, each a table of fields, each a line such as `'3 repeated KeyValue'`. The
// same lines are read by the compiler, which knows the type of every message from them, and by the codec.
//
//   '1 string'             a plain field: zero when it is not sent
//   '2 optional int64'     undefined when it is not sent; also the members of a oneof
//   '3 KeyValue'           another message of the table: undefined when it is not sent
//   '4 repeated string'    a list, empty when nothing is sent
//   '5 map string bytes'   a map from text
//
// Whole numbers of 64 bits are numbers, exact up to 2^53; those that use all bits (ids) are declared `bigint64` or `biguint64`.
// Enumerations are `int32`.

/** What each scalar word holds. */
interface Scalars {
  readonly string: string;
  readonly bytes: Uint8Array;
  readonly bool: boolean;
  readonly int32: number;
  readonly int64: number;
  readonly uint32: number;
  readonly uint64: number;
  readonly bigint64: bigint;
  readonly biguint64: bigint;
  readonly double: number;
  readonly float: number;
}
export type ScalarWord = keyof Scalars;

export type MessageTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

type WordsOf<Line> = Line extends `${number} ${infer Words}` ? Words : never;

type DecodedWord<T, Word> = Word extends ScalarWord ? Scalars[Word] : Word extends keyof T ? Decoded<T, Word> : never;
type DecodedField<T, Words> = Words extends `repeated ${infer Each}`
  ? readonly DecodedWord<T, Each>[]
  : Words extends `map string ${infer Value}`
    ? Readonly<Record<string, DecodedWord<T, Value>>>
    : Words extends `optional ${infer Scalar}`
      ? DecodedWord<T, Scalar> | undefined
      : Words extends ScalarWord
        ? Scalars[Words]
        : DecodedWord<T, Words> | undefined;

/** A received message: every field is there, unset messages and optional fields as undefined. */
export type Decoded<T, Name extends keyof T> = {
  readonly [Field in keyof T[Name]]: DecodedField<T, WordsOf<T[Name][Field]>>;
};

type GivenWord<T, Word> = Word extends ScalarWord ? Scalars[Word] : Word extends keyof T ? Given<T, Word> : never;
type GivenField<T, Words> = Words extends `repeated ${infer Each}`
  ? readonly GivenWord<T, Each>[]
  : Words extends `map string ${infer Value}`
    ? Readonly<Record<string, GivenWord<T, Value>>>
    : Words extends `optional ${infer Scalar}`
      ? GivenWord<T, Scalar>
      : GivenWord<T, Words>;

/** A message to be sent: what is left out is not sent. */
export type Given<T, Name extends keyof T> = {
  readonly [Field in keyof T[Name]]?: GivenField<T, WordsOf<T[Name][Field]>> | undefined;
};

const SCALAR_WORDS: ReadonlySet<string> = new Set<ScalarWord>([
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'bigint64',
  'biguint64',
  'double',
  'float',
]);
export const isScalarWord = (word: string): word is ScalarWord => SCALAR_WORDS.has(word);

export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly shape: 'plain' | 'optional' | 'repeated' | 'map';
  /** A scalar word or the name of a message; of a map, what its values are. */
  readonly word: string;
}

const LINE = /^(\d+) (?:(optional|repeated|map string) )?([\w.]+)$/;

export function fieldDescriptor(name: string, line: string): FieldDescriptor {
  const [, number, shape, word = ''] = LINE.exec(line) ?? [];
  if (number === undefined) throw new TypeError(`field ${name} is declared as ${JSON.stringify(line)}`);
  const shapes = { optional: 'optional', repeated: 'repeated', 'map string': 'map' } as const;
  const isShape = (text: string): text is keyof typeof shapes => Object.hasOwn(shapes, text);
  return { name, number: Number(number), shape: shape !== undefined && isShape(shape) ? shapes[shape] : 'plain', word };
}
