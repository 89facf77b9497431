// The door of the server: what a client sent becomes an object of the kind the path names, shaped and defaulted, or is refused.
import { badRequest, invalid } from '../../kube/api-error.ts';
import { invalid as invalidField } from '../../kube/field-error.ts';
import { ShapeError, shapeObject, shapeOf } from '../../kube/go-shape.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { Field, MessageSchema } from '../../kube/schema.ts';
import type { Call, StoredObject } from './generic-call.ts';
import type { Strategy } from './strategy.ts';

type Json = Readonly<Record<string, unknown>>;

/** What kinds the server knows besides the one at hand: they are refused with other words than words without a meaning. */
export type IsServed = (apiVersion: string, kind: string) => boolean;

/** The body of a create or an update. */
export function decodeObject(strategy: Strategy, raw: unknown, call: Call, isServed: IsServed): StoredObject {
  const { resource } = strategy;
  const { kind } = resource;
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error`,
    );
  }
  const { named, apiVersion, why } = mismatchOf(resource, raw as Json, isServed);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const handled = `${named} in version "${version}" cannot be handled as a ${kind}`;
  if (why !== undefined) throw badRequest(`${handled}: ${why}`);
  const refuse = (fault: string): never => {
    throw badRequest(`${handled}: ${fault}`);
  };
  return decoded(strategy, raw as Json, call, refuse);
}

/** The result of a patch: what is wrong with it is the patch's fault. */
export function decodePatched(strategy: Strategy, raw: unknown, call: Call, isServed: IsServed): StoredObject {
  const refuse = (fault: string): never => {
    throw invalid({ group: '', kind: '' }, '', [invalidField('patch', JSON.stringify(raw), fault)]);
  };
  const { why } = mismatchOf(strategy.resource, raw as Json, isServed);
  if (why !== undefined) refuse(why);
  return decoded(strategy, raw as Json, call, refuse);
}

function decoded(strategy: Strategy, raw: Json, call: Call, refuse: (fault: string) => never): StoredObject {
  const unknownFields: string[] = [];
  const shaped = shape(strategy.resource, raw, call.fieldValidation === 'Ignore' ? undefined : unknownFields, refuse);
  if (unknownFields.length > 0) {
    const sentences = unknownFields.map((path) => `unknown field "${path}"`);
    if (call.fieldValidation === 'Strict') refuse(`strict decoding error: ${sentences.join(', ')}`);
    call.warnings.push(...sentences);
  }
  return strategy.applyDefaults(shaped) as StoredObject;
}

function shape(
  resource: Resource<KubeObject>,
  raw: Json,
  unknownFields: string[] | undefined,
  refuse: (fault: string) => never,
): KubeObject {
  try {
    const shaped = shapeObject(resource, raw, unknownFields === undefined ? {} : { unknownFields });
    return shaped.metadata === undefined ? { ...shaped, metadata: {} as KubeObject['metadata'] } : shaped;
  } catch (error) {
    if (error instanceof ShapeError) return refuse(error.message);
    throw error;
  }
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
