// The paths of a kind: what clients look for are the kind that an operation is about, what it does, and whether it can check
// fields. kubectl:pkg/explain/v2, client-go:openapi3, cli-runtime:pkg/resource/query_param_verifier_v3.go
import { type PublishedKind, kindNameOf } from './published-kind.ts';

type Json = Readonly<Record<string, unknown>>;

interface Refs {
  readonly one: string;
  readonly many: string;
}

const query = (name: string, type: string): Json => ({ name, in: 'query', schema: { type, uniqueItems: true } });
const inPath = (name: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const PRETTY = query('pretty', 'string');
const WRITE = [query('dryRun', 'string'), query('fieldManager', 'string'), query('fieldValidation', 'string')];
const PATCH = [...WRITE, query('force', 'boolean')];
const LIST = [
  query('allowWatchBookmarks', 'boolean'),
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('timeoutSeconds', 'integer'),
  query('watch', 'boolean'),
];
const DELETE = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];
const STRATEGIC = 'application/strategic-merge-patch+json';
const ANY_PATCH: Json = { type: 'object' };

export function pathsOf(kind: PublishedKind, refs: Refs): Readonly<Record<string, Json>> {
  const { group, version, plural, namespaced } = kind;
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespaced ? `${prefix}/namespaces/{namespace}` : prefix;
  const scope = namespaced ? [inPath('namespace')] : [];
  const paths: Record<string, Json> = {};
  const collection = collectionOf(kind, refs);
  if (Object.keys(collection).length > 0)
    paths[`${place}/${plural}`] = { ...collection, parameters: [...scope, PRETTY] };
  const object = objectOf(kind, refs.one, kind.verbs);
  const below = [inPath('name'), ...scope, PRETTY];
  if (Object.keys(object).length > 0) paths[`${place}/${plural}/{name}`] = { ...object, parameters: below };
  for (const { name, kind: shown, of, verbs } of kind.subresources) {
    const isOwn = name === 'status';
    const told = { ...kind, ...of, kind: shown };
    const operations = objectOf(told, isOwn ? refs.one : undefined, verbs);
    if (Object.keys(operations).length > 0)
      paths[`${place}/${plural}/{name}/${name}`] = { ...operations, parameters: below };
  }
  if (namespaced && kind.verbs.includes('list'))
    paths[`${prefix}/${plural}`] = {
      get: operation(kind, 'list', { answer: refs.many, parameters: [PRETTY, ...LIST] }),
    };
  return paths;
}

function collectionOf(kind: PublishedKind, { one, many }: Refs): Json {
  const { verbs } = kind;
  return {
    ...(verbs.includes('list') ? { get: operation(kind, 'list', { answer: many, parameters: LIST }) } : {}),
    ...(verbs.includes('create')
      ? { post: operation(kind, 'post', { answer: one, body: one, parameters: WRITE }) }
      : {}),
    ...(verbs.includes('deletecollection')
      ? { delete: operation(kind, 'deletecollection', { answer: undefined, parameters: [...LIST, ...DELETE] }) }
      : {}),
  };
}

function objectOf(kind: PublishedKind, one: string | undefined, verbs: readonly string[]): Json {
  return {
    ...(verbs.includes('get') ? { get: operation(kind, 'get', { answer: one, parameters: [] }) } : {}),
    ...(verbs.includes('update') ? { put: operation(kind, 'put', { answer: one, body: one, parameters: WRITE }) } : {}),
    ...(verbs.includes('patch') ? { patch: patchOf(kind, one) } : {}),
    ...(verbs.includes('delete')
      ? { delete: operation(kind, 'delete', { answer: undefined, parameters: DELETE }) }
      : {}),
  };
}

function patchOf(kind: PublishedKind, one: string | undefined): Json {
  const types = kind.schema.type === 'defined' ? PATCH_TYPES : [...PATCH_TYPES, STRATEGIC];
  const content = Object.fromEntries(types.map((type) => [type, { schema: ANY_PATCH }]));
  return { ...operation(kind, 'patch', { answer: one, parameters: PATCH }), requestBody: { content, required: true } };
}

interface Exchange {
  /** Where the schemas are; undefined for what has none here. */
  readonly answer: string | undefined;
  readonly body?: string | undefined;
  readonly parameters: readonly Json[];
}

function operation(kind: PublishedKind, action: string, { answer, body, parameters }: Exchange): Json {
  const content = (ref: string | undefined): Json => ({
    'application/json': { schema: ref === undefined ? { type: 'object' } : { $ref: ref } },
  });
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: content(body), required: true } }),
    responses: { '200': { description: 'OK', content: content(answer) } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kindNameOf(kind),
  };
}
