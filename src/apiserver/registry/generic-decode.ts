// The door of the server: what a client sent becomes an object of the kind the path names, shaped and defaulted, or is refused.
import { type StatusError, badRequest } from '../../kube/api-error.ts';
import { ShapeError, shapeObject, shapeOf } from '../../kube/go-shape.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { Field, MessageSchema } from '../../kube/schema.ts';
import type { Call, StoredObject, TextFault } from './generic-call.ts';

type Json = JsonObject;

/** What kinds the server knows besides the one at hand: they are refused with other words than words without a meaning. */
export type IsServed = (apiVersion: string, kind: string) => boolean;

/** The body of a create or an update, as an object of the kind that the path names. */
export function decodeObject<T extends KubeObject>(
  resource: Resource<T>,
  raw: unknown,
  call: Call,
  isServed: IsServed,
): T {
  const { kind } = resource;
  if (!isJsonObject(raw)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error`,
    );
  }
  const { named, apiVersion, why } = mismatchOf(resource, raw, isServed);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const refuse = (fault: string): Error => unhandled({ kind, version }, fault, named);
  if (why !== undefined) throw refuse(why);
  return decoded(resource, raw, call, { refuse });
}

/** A body that is of the right kind, or should be, and cannot be read as one. */
export const unhandled = (
  { kind, version }: Pick<Resource<KubeObject>, 'kind' | 'version'>,
  fault: string,
  named = kind,
): StatusError => badRequest(`${named} in version "${version}" cannot be handled as a ${kind}: ${fault}`);

/** A field that the kind does not have is told once, and nothing below it. */
const isOfKnown = ({ path }: TextFault, unknownFields: readonly string[]): boolean =>
  !unknownFields.some(
    (unknown) => path === unknown || path.startsWith(`${unknown}.`) || path.startsWith(`${unknown}[`),
  );

/** `restoring` is what is said of a result that a strategic merge put together. */
export type Refuse = (fault: string, restoring?: string) => Error;

/** The result of a patch: what is wrong with it is the patch's fault, and `refuse` says so. */
export function decodePatched<T extends KubeObject>(
  resource: Resource<T>,
  raw: unknown,
  call: Call,
  { isServed, refuse }: { readonly isServed: IsServed; readonly refuse: Refuse },
): T {
  if (!isJsonObject(raw)) throw refuse('json: cannot unmarshal into Go value');
  const { why } = mismatchOf(resource, raw, isServed);
  if (why !== undefined) throw refuse(why);
  return decoded(resource, raw, call, { refuse, order: byKeys });
}

/** Between a patch and the object upstream has a map, so what is unknown in it is told in the order of keys. */
const byKeys = (one: string, other: string): number => {
  const [left, right] = [one, other].map((path) => path.split(/[.[]/));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? 0;
  return (left?.[at] ?? '') < (right?.[at] ?? '') ? -1 : 1;
};

function decoded<T extends KubeObject>(
  resource: Resource<T>,
  raw: Json,
  call: Call,
  { refuse, order }: { readonly refuse: Refuse; readonly order?: (one: string, other: string) => number },
): T {
  const unknownFields: string[] = [];
  const shaped = shape(resource, raw, call.fieldValidation === 'Ignore' ? undefined : unknownFields, refuse);
  if (order !== undefined) unknownFields.sort(order);
  const { textFaults = [] } = call;
  if (unknownFields.length === 0 && textFaults.length === 0) return shaped;
  const faults = inOrder(resource, [
    ...textFaults.filter((fault) => isOfKnown(fault, unknownFields)),
    ...unknownFields.map((path) => ({ path, says: `unknown field "${path}"` })),
  ]);
  if (call.fieldValidation === 'Ignore') return shaped;
  if (call.fieldValidation === 'Strict') throw refuse(`strict decoding error: ${refusalOf(faults)}`);
  call.warnings.push(...faults.map(({ says }) => says));
  return shaped;
}

/** Built-in kinds are decoded while they are read: faults are found as they stand in the text. */
function inOrder({ schema }: Resource<KubeObject>, faults: readonly TextFault[]): readonly TextFault[] {
  const places = schema === undefined ? undefined : faults[0]?.places;
  const placeOf = ({ path }: TextFault): number => places?.get(path) ?? 0;
  return faults.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** All of them in one sentence. Those with a heading come first. */
function refusalOf(faults: readonly TextFault[]): string {
  const headed = faults.filter(({ heading }) => heading !== undefined);
  const others = faults.filter(({ heading }) => heading === undefined).map(({ says }) => says);
  return [...(headed.length === 0 ? [] : [textOfHeaded(headed)]), ...others].join(', ');
}

const textOfHeaded = (faults: readonly TextFault[]): string =>
  `${faults[0]?.heading ?? ''}${faults.map(({ says }) => says).join('\n  ')}`;

/** What is wrong with the text of an applied object is told when it was applied, before what is wrong with the result. */
export function judgeAppliedText({ textFaults = [], fieldValidation, warnings }: Call): void {
  if (textFaults.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict')
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${textOfHeaded(textFaults)}`);
  warnings.push(...textFaults.map(({ says }) => says));
}

function shape<T extends KubeObject>(
  resource: Resource<T>,
  raw: Json,
  unknownFields: string[] | undefined,
  refuse: Refuse,
): T {
  try {
    const kept = withReset(raw);
    const shaped = shapeObject(resource, kept, unknownFields === undefined ? {} : { unknownFields });
    return shaped.metadata === undefined ? { ...shaped, metadata: {} as KubeObject['metadata'] } : shaped;
  } catch (error) {
    if (error instanceof ShapeError) throw refuse(error.message, error.restoring);
    throw error;
  }
}

/** An empty record of managed fields asks to forget it. A shape knows no empty lists, so it is written in the other way. */
function withReset(raw: Json): Json {
  const { metadata } = raw;
  if (!isJsonObject(metadata) || !Array.isArray(metadata['managedFields'])) return raw;
  return metadata['managedFields'].length > 0 ? raw : { ...raw, metadata: { ...metadata, managedFields: [{}] } };
}

/** An object without kind or apiVersion is taken for what the path says. */
function mismatchOf(
  resource: Resource<KubeObject>,
  raw: Json,
  isServed: IsServed,
): { readonly named: string; readonly apiVersion: string; readonly why?: string } {
  const expected = apiVersionOf(resource);
  const apiVersion = textOf(raw['apiVersion']) ?? expected;
  const named = textOf(raw['kind']) ?? resource.kind;
  if (apiVersion === expected && named === resource.kind) return { named, apiVersion };
  const why = isServed(apiVersion, named)
    ? `converting (${apiVersion}.${named}) to (${expected}.${resource.kind}): unknown conversion`
    : `no kind "${named}" is registered for version "${apiVersion}"`;
  return { named, apiVersion, why };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

type ShapePart = (value: unknown) => unknown;

/** For each field of a kind how to shape it alone, made once for as long as the schema lives. */
const PARTS = new WeakMap<MessageSchema, ReadonlyMap<string, ShapePart>>();

function partsOf(schema: MessageSchema): ReadonlyMap<string, ShapePart> {
  const known = PARTS.get(schema);
  if (known !== undefined) return known;
  const parts = new Map(Object.entries(schema.fields).map(([name, field]) => [name, partOf(name, field)]));
  PARTS.set(schema, parts);
  return parts;
}

function partOf(name: string, field: Field): ShapePart {
  const { of, presence } = field;
  if (of.type === 'message' && (presence === 'always' || presence === 'pointer')) {
    return (value) => (value === undefined && presence === 'pointer' ? undefined : shapeOf(of.message, value));
  }
  const alone: MessageSchema = { name, fields: { [name]: field } };
  return (value) => (shapeOf(alone, { [name]: value }) as Json)[name];
}

/** An object changed by the server's own rules, back in the form that is stored. Parts it shares with `known` have that form. */
export function restored(resource: Resource<KubeObject>, object: StoredObject, known: StoredObject): StoredObject {
  const { schema, kind } = resource;
  if (schema === undefined) return shapeObject(resource, object) as StoredObject;
  const stored: Record<string, unknown> = { kind, apiVersion: apiVersionOf(resource) };
  for (const [name, shapePart] of partsOf(schema)) {
    const value = object[name];
    const isKnown = value !== undefined && value === known[name] && Object.isFrozen(value);
    const shaped = isKnown ? value : shapePart(value);
    if (shaped !== undefined) stored[name] = shaped;
  }
  return Object.freeze(stored) as unknown as StoredObject;
}

/** What a kind's status is before anyone wrote it: its zero value where it is always there, nothing elsewhere. */
export function emptyStatus({ schema }: Resource<KubeObject>): unknown {
  const status = schema?.fields['status'];
  if (status?.presence !== 'always' || status.of.type !== 'message') return undefined;
  return shapeOf(status.of.message, {});
}
