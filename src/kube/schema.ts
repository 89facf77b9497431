// The language in which kinds are declared. One declaration a kind is the single source of its TypeScript type, of what
// a stored object looks like (which zero values are written out, which are left out), of its merge keys, of its protobuf
// field numbers and of its OpenAPI schema. Upstream keeps the same facts in struct tags; a wrong word here is a wire bug.

/**
 * When a field appears in an encoded object.
 * - `always`: written even when it is zero (`"replicas": 0`, `"status": {}`).
 * - `omitempty`: left out when zero: empty string, 0, false, empty list or map.
 * - `pointer`: left out only when unset; an explicit zero (`storageClassName: ""`) is kept.
 * - `nullable`: written as null when unset (`"drivers": null`).
 */
export type Presence = 'always' | 'omitempty' | 'pointer' | 'nullable';

export type ScalarType =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'quantity'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'intOrString'
  /** Any JSON value, kept as it came. */
  | 'raw'
  /** A JSON object kept as it came: managed fields. */
  | 'fieldsV1';

/** JSON that is one of two things; protobuf has a message with a field for each. What is sent of `message` counts first. */
export interface Either {
  readonly message: MessageSchema;
  readonly tag: number;
  readonly other: FieldType;
  readonly otherTag: number;
}

/** What a field holds. `T` is only for the compiler. */
export type FieldType<T = unknown> = (
  | { readonly type: ScalarType; readonly either?: Either }
  | { readonly type: 'list'; readonly of: FieldType; readonly list: ListType }
  | { readonly type: 'map'; readonly of: FieldType }
  | { readonly type: 'message'; readonly message: MessageSchema }
) & { readonly __holds?: T };

/** How a list merges: by strategic patch (`mergeKey`, or `set` of scalars) and by server-side apply (`applyKeys`). */
export interface ListType {
  /** Strategic merge: `merge` with a key merges objects, without one unites scalars. Absent: the list is replaced. */
  readonly merge?: { readonly key?: string };
  /** Server-side apply; absent is atomic. */
  readonly apply?: { readonly type: 'map'; readonly keys: readonly string[] } | { readonly type: 'set' };
}

export interface Field<T = unknown, P extends Presence = Presence> {
  /** Protobuf field number. */
  readonly tag: number;
  readonly presence: P;
  readonly of: FieldType<T>;
  /** Strategic merge: members of the same union that the patch does not name are cleared. */
  readonly retainKeys?: boolean;
  /** The field stands in the parent's JSON object, but in protobuf inside the embedded message with this number. */
  readonly via?: number;
  /** The embedded message embeds in turn: the number inside of the one of `via`. */
  readonly viaInner?: number;
  /** Server-side apply treats the whole value as one, or (false) not, though its message says so. */
  readonly atomic?: boolean;
  /** What OpenAPI declares; server-side apply fills it into the keys of list members that lack it. */
  readonly default?: string | number;
}

export type Fields = Readonly<Record<string, Field>>;

export interface MessageSchema<T = unknown> {
  /** Name in OpenAPI: `io.k8s.api.core.v1.PodSpec`. */
  readonly name: string;
  readonly fields: Fields;
  /** Server-side apply treats a value of this message as one, wherever it stands. */
  readonly atomic?: boolean;
  readonly __holds?: T;
}

type Present<F> = F extends Field<infer T, infer P> ? (P extends 'nullable' ? T | null : T) : never;
type Held<F extends Fields> = {
  readonly [K in keyof F as F[K]['presence'] extends 'always' | 'nullable' ? K : never]: Present<F[K]>;
} & {
  readonly [K in keyof F as F[K]['presence'] extends 'always' | 'nullable' ? never : K]?: Present<F[K]>;
};

/** The TypeScript type of what a message schema describes, as the API server answers it. */
export type Infer<S> = S extends MessageSchema<infer T> ? T : never;

export function message<const F extends Fields>(
  name: string,
  fields: F,
  options: { readonly atomic?: boolean } = {},
): MessageSchema<Held<F>> & { readonly fields: F } {
  return { name, fields, ...options };
}

/** The fields of a message that upstream embeds: spread them into the parent's. */
export function embedded<F extends Fields>(tag: number, schema: { readonly fields: F }): F {
  const entries = Object.entries(schema.fields).map(([name, field]) => [
    name,
    { ...field, via: tag, ...(field.via === undefined ? {} : { viaInner: field.via }) },
  ]);
  return Object.fromEntries(entries) as F;
}

const scalar = <T>(type: ScalarType): FieldType<T> => ({ type });
export const string = scalar<string>('string');
export const bytes = scalar<string>('bytes');
export const bool = scalar<boolean>('bool');
export const int32 = scalar<number>('int32');
export const int64 = scalar<number>('int64');
export const double = scalar<number>('double');
export const quantity = scalar<string>('quantity');
export const time = scalar<string>('time');
export const microTime = scalar<string>('microTime');
export const duration = scalar<string>('duration');
export const intOrString = scalar<number | string>('intOrString');
export const raw = scalar<unknown>('raw');
export const either = (alternatives: Either): FieldType<unknown> => ({ type: 'raw', either: alternatives });
export const fieldsV1 = scalar<object>('fieldsV1');

export const list = <T>(of: FieldType<T>, options: ListType = {}): FieldType<readonly T[]> => ({
  type: 'list',
  of,
  list: options,
});
export const map = <T>(of: FieldType<T>): FieldType<Readonly<Record<string, T>>> => ({ type: 'map', of });
export const of = <T>(schema: MessageSchema<T>): FieldType<T> => ({ type: 'message', message: schema });

export interface FieldOptions {
  readonly retainKeys?: boolean;
  readonly atomic?: boolean;
  readonly default?: string | number;
}
const field =
  <P extends Presence>(presence: P) =>
  <T>(tag: number, type: FieldType<T>, options: FieldOptions = {}): Field<T, P> => ({
    tag,
    presence,
    of: type,
    ...options,
  });
export const always = field('always');
export const omitempty = field('omitempty');
export const pointer = field('pointer');
export const nullable = field('nullable');
