// The schemas of a document: every message that the kinds of a group version are made of, by its name.
// kube-openapi:pkg/builder3, kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder
import { unreachable } from '../../base/assert.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { metadata } from '../../kube/resources/meta.ts';
import type { Field, FieldType, ListType, MessageSchema, ScalarType } from '../../kube/schema.ts';
import { messageName } from '../../kube/schema-table-messages.ts';
import { olderSchema } from './older-schema.ts';
import { describeField, describeMessage } from './descriptions.ts';
import { type KindName, type PublishedKind, kindNameOf } from './published-kind.ts';

type Json = Readonly<Record<string, unknown>>;

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Scalars with a schema of their own. */
const NAMED_SCALARS: Readonly<Record<string, Json>> = {
  [QUANTITY]: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  [INT_OR_STRING]: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  [`${META}.Time`]: { type: 'string', format: 'date-time' },
  [`${META}.MicroTime`]: { type: 'string', format: 'date-time' },
  [`${META}.Duration`]: { type: 'string' },
  [`${META}.FieldsV1`]: { type: 'object' },
};

const LIST_META: Json = {
  type: 'object',
  properties: {
    continue: { type: 'string' },
    remainingItemCount: { type: 'integer', format: 'int64' },
    resourceVersion: { type: 'string' },
    selfLink: { type: 'string' },
  },
};

/** A name that sorts by domain: `com.example.stable.v1.CronTab`. */
function schemaName(kind: KindName & { readonly isDefined: boolean }): string {
  if (!kind.isDefined) return messageName(kind);
  return [...kind.group.split('.').toReversed(), kind.version, kind.kind].join('.');
}

/** Of OpenAPI: in the older one schemas of clients cannot say all that they do. */
export type Form = 'v2' | 'v3';

export class Components {
  readonly #form: Form;
  readonly #schemas = new Map<string, Json>();

  constructor(form: Form) {
    this.#form = form;
  }

  /** Sorted, so that equal contents are equal bytes. */
  get schemas(): Json {
    return Object.fromEntries([...this.#schemas].toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** Adds the kind and its list; answers where they are. */
  add(kind: PublishedKind): { readonly one: string; readonly many: string } {
    const { schema, listKind } = kind;
    const isDefined = schema.type === 'defined';
    const one = schemaName({ ...kind, isDefined });
    const many = schemaName({ ...kind, kind: listKind, isDefined });
    const known = this.#kindSchema(kind, one);
    this.#schemas.set(one, { ...known, 'x-kubernetes-group-version-kind': [kindNameOf(kind)] });
    if (kind.verbs.includes('list')) this.#schemas.set(many, this.#listOf(one, { ...kind, kind: listKind }));
    return { one: refTo(one), many: refTo(many) };
  }

  #kindSchema({ schema }: PublishedKind, name: string): Json {
    switch (schema.type) {
      case 'declared':
        this.#message(schema.message, name, true);
        return this.#schemas.get(name) ?? {};
      case 'defined':
        return this.#defined(schema.schema);
      case 'open':
        return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      default:
        return unreachable(schema);
    }
  }

  /** What clients defined is shown as they wrote it, with what every object has. */
  #defined(given: JsonSchema): Json {
    // With any property told, kubectl would refuse all others.
    if (this.#form === 'v2' && given['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
    const schema = this.#form === 'v2' ? olderSchema(given) : given;
    const own = { ...NAMES, metadata: { description: ABOUT_METADATA, ...wrapped(this.#type(metadata)) } };
    return { ...schema, properties: { ...schema.properties, ...own } };
  }

  #listOf(one: string, kind: KindName): Json {
    this.#schemas.set(`${META}.ListMeta`, LIST_META);
    return {
      type: 'object',
      required: ['items'],
      properties: {
        apiVersion: NAMES.apiVersion,
        items: { type: 'array', items: { allOf: [{ $ref: refTo(one) }], default: {} } },
        kind: NAMES.kind,
        metadata: { allOf: [{ $ref: refTo(`${META}.ListMeta`) }], default: {} },
      },
      'x-kubernetes-group-version-kind': [kindNameOf(kind)],
    };
  }

  #message(schema: MessageSchema, name: string, isKind: boolean): void {
    if (this.#schemas.has(name)) return;
    // Taken before its fields are looked at: a message may contain itself.
    this.#schemas.set(name, {});
    const description = describeMessage(schema.name);
    const properties: Record<string, unknown> = isKind ? { ...NAMES } : {};
    const needed: string[] = [];
    for (const [field, declared] of Object.entries(schema.fields)) {
      const told = describeField(schema.name, field);
      const shown = this.#field(declared);
      properties[field] = told === undefined ? shown : { description: told, ...shown };
      if (isNeeded(declared)) needed.push(field);
    }
    this.#schemas.set(name, {
      ...(description === undefined ? {} : { description }),
      type: 'object',
      ...(needed.length === 0 ? {} : { required: needed }),
      properties,
      ...(schema.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    });
  }

  #field({ of, presence, default: given, retainKeys, atomic }: Field): Json {
    const type = this.#type(of);
    const strategy = retainKeys === true ? { 'x-kubernetes-patch-strategy': 'retainKeys' } : {};
    const map = atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {};
    if (of.type === 'message' && presence === 'always') return { ...wrapped(type), default: {}, ...strategy, ...map };
    const isBare = Object.keys(strategy).length + Object.keys(map).length === 0 && given === undefined;
    if (isBare) return type;
    return { ...wrapped(type), ...(given === undefined ? {} : { default: given }), ...strategy, ...map };
  }

  #type(type: FieldType): Json {
    switch (type.type) {
      case 'message':
        this.#message(type.message, type.message.name, false);
        return { $ref: refTo(type.message.name) };
      case 'map':
        return { type: 'object', additionalProperties: this.#member(type.of) };
      case 'list':
        return { type: 'array', items: this.#member(type.of), ...listKeywords(type.list) };
      default:
        return this.#scalar(type.type);
    }
  }

  #member(type: FieldType): Json {
    return type.type === 'message' ? { ...wrapped(this.#type(type)), default: {} } : this.#type(type);
  }

  #scalar(type: ScalarType): Json {
    switch (type) {
      case 'string':
        return STRING;
      case 'bytes':
        return { type: 'string', format: 'byte' };
      case 'bool':
        return { type: 'boolean' };
      case 'int32':
      case 'int64':
        return { type: 'integer', format: type };
      case 'double':
        return { type: 'number', format: 'double' };
      case 'quantity':
        return this.#named(QUANTITY);
      case 'time':
        return this.#named(`${META}.Time`);
      case 'microTime':
        return this.#named(`${META}.MicroTime`);
      case 'duration':
        return this.#named(`${META}.Duration`);
      case 'intOrString':
        return this.#named(INT_OR_STRING);
      case 'fieldsV1':
        return this.#named(`${META}.FieldsV1`);
      case 'raw':
        return { 'x-kubernetes-preserve-unknown-fields': true };
      default:
        return unreachable(type);
    }
  }

  #named(name: string): Json {
    this.#schemas.set(name, NAMED_SCALARS[name] ?? {});
    return { $ref: refTo(name) };
  }
}

const STRING: Json = { type: 'string' };

/** What every object says about itself. */
const NAMES = {
  apiVersion: { ...STRING, description: 'APIVersion defines in which version of its group the object is written.' },
  kind: { ...STRING, description: 'Kind is what the object is, as the API calls it.' },
} as const;
const ABOUT_METADATA = "Standard object's metadata: name, labels, owners and the like.";

const refTo = (name: string): string => `#/components/schemas/${name}`;

/** Nothing may stand beside a reference. */
const wrapped = (type: Json): Json => ('$ref' in type ? { allOf: [type] } : type);

/** Scalars and lists that are always written were always asked for. */
const isNeeded = ({ presence, of, default: given }: Field): boolean =>
  given === undefined &&
  ((presence === 'always' && of.type !== 'message') || (presence === 'nullable' && of.type === 'list'));

function listKeywords({ merge, apply }: ListType): Json {
  return {
    'x-kubernetes-list-type': apply?.type ?? 'atomic',
    ...(apply?.type === 'map' ? { 'x-kubernetes-list-map-keys': apply.keys } : {}),
    ...(merge === undefined ? {} : { 'x-kubernetes-patch-strategy': 'merge' }),
    ...(merge?.key === undefined ? {} : { 'x-kubernetes-patch-merge-key': merge.key }),
  };
}
