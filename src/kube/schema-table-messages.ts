// The schemas of built-in kinds that have no declaration by hand: what `schema.ts` says of a kind, read from a table of facts
// that `scripts/schema-messages.ts` takes from the published types. Messages that are declared by hand are used as they are
// declared, so a pod template means the same everywhere. Built when first asked for.
import { assert } from '../base/assert.ts';
import type { KubeObject, Resource } from './object.ts';
import { CustomResourceDefinitions } from './resources/custom-resource-definition.ts';
import { metadata, templateMetadata } from './resources/meta.ts';
import { SERVED_KINDS } from './resources/served-kinds.ts';
import { SeriesEvents } from './resources/series-event.ts';
import type { Field, FieldType, ListType, MessageSchema, Presence, ScalarType } from './schema.ts';
import { embedded, list, map } from './schema.ts';
import facts from './schema-table-messages.json' with { type: 'json' };

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const BY_HAND: readonly Resource<KubeObject>[] = [
  ...SERVED_KINDS.map(({ resource }) => resource),
  SeriesEvents,
  CustomResourceDefinitions,
];

/** All messages that are declared by hand, by their names in OpenAPI. */
export function declaredMessages(): ReadonlyMap<string, MessageSchema> {
  const found = new Map<string, MessageSchema>();
  const walk = (schema: MessageSchema): void => {
    if (found.has(schema.name)) return;
    found.set(schema.name, schema);
    for (const { of } of Object.values(schema.fields)) walkType(of);
  };
  const walkType = (type: FieldType): void => {
    if (type.type === 'message') walk(type.message);
    else if (type.type === 'list' || type.type === 'map') walkType(type.of);
  };
  for (const { schema } of BY_HAND) if (schema !== undefined) walk(schema);
  return found;
}

type Rows = Readonly<Record<string, string>>;
const FACTS: Readonly<Record<string, Rows | undefined>> = facts;

/** Groups whose name in OpenAPI is not the first word of their name in paths. */
const PACKAGES: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  'rbac.authorization.k8s.io': 'io.k8s.api.rbac',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
};

/** How OpenAPI names a built-in kind. */
export function messageName({
  group,
  version,
  kind,
}: Pick<Resource<KubeObject>, 'group' | 'version' | 'kind'>): string {
  return `${PACKAGES[group] ?? `io.k8s.api.${group.split('.')[0] ?? ''}`}.${version}.${kind}`;
}

/** Messages by name. Each is made once, so that what is compiled from it is compiled once. */
class SchemaMessages {
  readonly #made: Map<string, MessageSchema>;

  constructor() {
    this.#made = new Map(declaredMessages());
  }

  /** Undefined for names that Kubernetes does not have. */
  find(name: string): MessageSchema | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const rows = FACTS[name];
    if (rows === undefined) return undefined;
    const fields: Record<string, Field> = {};
    const made: MessageSchema = { name, fields, ...(rows[''] === 'atomic' ? { atomic: true } : {}) };
    // Registered before its fields are read: a message may contain itself.
    this.#made.set(name, made);
    const isObject = rows[''] === 'object';
    for (const [field, row] of Object.entries(rows)) {
      if (field === '') continue;
      if (field.startsWith('...')) Object.assign(fields, embedded(Number(row), this.#message(field.slice(3))));
      else fields[field] = this.#field(row, isObject);
    }
    return made;
  }

  #message(name: string): MessageSchema {
    const found = this.find(name);
    assert(found !== undefined, `the table of messages is whole: ${name}`);
    return found;
  }

  #field(row: string, isObject: boolean): Field {
    const [tag = '', presence = '', ...rest] = row.split(' ');
    const words = rest.filter((word) => !isOption(word));
    const options = rest.filter(isOption);
    const preset = valueOf(options, 'default');
    return {
      tag: Number(tag),
      presence: presenceOf(presence),
      of: this.#type(words, listTypeOf(options), isObject),
      ...(options.includes('retainKeys') ? { retainKeys: true } : {}),
      ...(options.includes('atomic') ? { atomic: true } : {}),
      ...(preset === undefined ? {} : { default: preset }),
    };
  }

  #type([word = '', ...inner]: readonly string[], listType: ListType, isObject: boolean): FieldType {
    if (word === 'list') return list(this.#type(inner, {}, false), listType);
    if (word === 'map') return map(this.#type(inner, {}, false));
    if (word === OBJECT_META) return isObject ? metadata : templateMetadata;
    if (word.includes('.')) return { type: 'message', message: this.#message(word) };
    return { type: scalarOf(word) };
  }
}

function presenceOf(word: string): Presence {
  const found = PRESENCES.find((each) => each === word);
  assert(found !== undefined, `a presence: ${word}`);
  return found;
}

function scalarOf(word: string): ScalarType {
  const found = SCALARS.find((each) => each === word);
  assert(found !== undefined, `a scalar type: ${word}`);
  return found;
}

const PRESENCES: readonly Presence[] = ['always', 'omitempty', 'pointer', 'nullable'];
const SCALARS: readonly ScalarType[] = [
  'string',
  'bytes',
  'bool',
  'int32',
  'int64',
  'double',
  'quantity',
  'time',
  'microTime',
  'duration',
  'intOrString',
  'raw',
  'fieldsV1',
];

const MESSAGES = new SchemaMessages();

/** The schema of a built-in kind; undefined for kinds that Kubernetes does not have. */
export const builtInSchema = (
  kind: Pick<Resource<KubeObject>, 'group' | 'version' | 'kind'>,
): MessageSchema | undefined => MESSAGES.find(messageName(kind));

const isOption = (word: string): boolean => word.includes('=') || ['set', 'atomic', 'retainKeys'].includes(word);

const valueOf = (options: readonly string[], name: string): string | undefined =>
  options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);

function listTypeOf(options: readonly string[]): ListType {
  const merge = valueOf(options, 'merge');
  const keys = valueOf(options, 'keys');
  return {
    ...(merge === undefined ? {} : { merge: merge === '' ? {} : { key: merge } }),
    ...(options.includes('set') ? { apply: { type: 'set' } } : {}),
    ...(keys === undefined ? {} : { apply: { type: 'map', keys: keys.split(',') } }),
  };
}
