// From a routed HTTP request to a request of the core: options from the query, objects and patches from the body, in the
// order in which upstream looks at them, so that of two faults the same one is told.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/{get,create,update,patch,delete}.go
import { type StatusError, badRequest, entityTooLarge, unsupportedMediaType } from '../../kube/api-error.ts';
import type { JsonPatchOp, Patch } from '../../kube/cluster.ts';
import { ShapeError, shapeObject } from '../../kube/go-shape.ts';
import { isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import type { ApiRequest } from '../api-request.ts';
import { deleteOptionsFromBody, deleteOptionsFromQuery } from './delete-options.ts';
import type { HttpRequest } from './http-exchange.ts';
import { bareType, unsupportedByRoute } from './media-type.ts';
import { flag, listOptionsOf, patchOptionsOf, text, writeOptionsOf } from './query-options.ts';
import {
  type Body,
  MalformedBody,
  type ProtobufReader,
  readBody,
  readJson,
  readYaml,
  unrecognized,
} from './request-body.ts';
import type { ResourceRoute } from './resource-route.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go */
const JSON_PATCH_OPERATIONS_MAX = 10_000;

const PATCH_TYPES: ReadonlyMap<string, Patch['type']> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/** A request for the core, and texts that its answer must carry as warnings besides the core's own. */
export interface CoreRequest {
  readonly request: ApiRequest;
  readonly warnings: readonly string[];
}

/** Refuses a patch that is of no patch type, before anything else is looked at. */
export function requirePatchType({ verb, api }: ResourceRoute, contentType: string): void {
  if (verb !== 'patch') return;
  const type = PATCH_TYPES.get(bareType(contentType));
  const isRefused = type === undefined || (api.isCustom && type === 'strategic');
  if (!isRefused) return;
  if (!api.isCustom) throw unsupportedByRoute();
  throw unsupportedMediaType([...PATCH_TYPES.keys()].filter((each) => !each.includes('strategic')));
}

export async function coreRequest(
  route: ResourceRoute & { readonly api: { readonly resource: Resource<KubeObject> } },
  http: HttpRequest,
  protobuf: ProtobufReader | undefined,
): Promise<CoreRequest> {
  const { api, verb, namespace, name, subresource } = route;
  const { resource } = api;
  const { query } = http;
  const on = {
    resource,
    key: keyFrom(namespace, name),
    ...(subresource === undefined ? {} : { subresource: subresource.name }),
  };
  switch (verb) {
    case 'get':
      return plain({ ...on, verb, ...text(query, 'resourceVersion') });
    case 'list':
      return plain({ verb, resource, options: listOptionsOf(query, namespace) });
    case 'delete':
      return plain({ ...on, verb, options: await deleteOptions(http, protobuf) });
    case 'deletecollection':
      return plain({
        verb,
        resource,
        of: listOptionsOf(query, namespace),
        options: await deleteOptions(http, protobuf),
      });
    case 'patch':
      return patchRequest(on, http);
    case 'create':
    case 'update':
      return objectRequest(route, on, http, protobuf);
    case 'watch':
      throw badRequest('a watch is no single request');
  }
}

const plain = (request: ApiRequest): CoreRequest => ({ request, warnings: [] });

interface OnObject {
  readonly resource: Resource<KubeObject>;
  readonly key: string;
  readonly subresource?: string;
}

async function objectRequest(
  { verb, namespace, subresource, api }: ResourceRoute,
  on: OnObject,
  http: HttpRequest,
  protobuf: ProtobufReader | undefined,
): Promise<CoreRequest> {
  const { query } = http;
  const kind = subresource?.kind ?? api.kind;
  const contentType = http.header('content-type');
  requireKnownType(contentType);
  const bytes = await http.body();
  const isUpdate = verb === 'update';
  const options = writeOptionsOf(query, isUpdate ? 'UpdateOptions' : 'CreateOptions', http.header('user-agent'));
  const { value, duplicates } = recognized(() => readBody(bytes, contentType, protobuf), kind);
  const level = options.fieldValidation ?? 'Warn';
  if (duplicates.length > 0 && level === 'Strict') throw strictRefusal(on.resource, kind, value, duplicates);
  const warnings = level === 'Warn' ? duplicates.map(duplicateText) : [];
  if (isUpdate) return { request: { ...on, verb: 'update', object: value, options }, warnings };
  if (subresource !== undefined)
    return { request: { ...on, verb: 'post', subresource: subresource.name, body: value, options }, warnings };
  return { request: { verb: 'create', resource: on.resource, namespace, object: value, options }, warnings };
}

/** The media type is judged before the body is read. */
const requireKnownType = (contentType: string): void => {
  if (contentType !== '') readBody(Buffer.from('{}'), contentType, () => ({}));
};

function recognized(read: () => Body, kind: string): Body {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedBody ? unrecognized(kind, error) : error;
  }
}

const duplicateText = (path: string): string => `duplicate field ${JSON.stringify(path)}`;

/** All faults of strict decoding are told at once, so the unknown fields are looked for as well. */
function strictRefusal(
  resource: Resource<KubeObject>,
  kind: string,
  value: unknown,
  duplicates: readonly string[],
): StatusError {
  const unknownFields: string[] = [];
  const isOwnKind = kind === resource.kind && isJsonObject(value);
  try {
    if (isOwnKind) shapeObject(resource, value, { unknownFields });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
  }
  const sentences = [
    ...duplicates.map(duplicateText),
    ...unknownFields.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  const { version } = resource;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${sentences.join(', ')}`,
  );
}

async function deleteOptions(
  http: HttpRequest,
  protobuf: ProtobufReader | undefined,
): Promise<ReturnType<typeof deleteOptionsFromQuery>> {
  const bytes = await http.body();
  if (bytes.length === 0) return deleteOptionsFromQuery(http.query);
  try {
    return deleteOptionsFromBody(readBody(bytes, http.header('content-type'), protobuf).value);
  } catch (error) {
    if (error instanceof MalformedBody) throw badRequest(`couldn't get version/kind; ${error.message}`);
    throw error;
  }
}

async function patchRequest(on: OnObject, http: HttpRequest): Promise<CoreRequest> {
  const type = PATCH_TYPES.get(bareType(http.header('content-type'))) ?? 'merge';
  const bytes = await http.body();
  const options = patchOptionsOf(http.query, http.header('user-agent'), { isApply: type === 'apply' });
  const { value } = readPatch(bytes, type);
  const force = flag(http.query, 'force') === true;
  return plain({ ...on, verb: 'patch', patch: patchOf(type, value, force), options });
}

function readPatch(bytes: Uint8Array, type: Patch['type']): Body {
  try {
    return type === 'apply' ? readYaml(bytes) : readJson(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    throw badRequest(`error decoding ${type === 'apply' ? 'YAML' : 'patch'}: ${error.message}`);
  }
}

function patchOf(type: Patch['type'], value: unknown, force: boolean): Patch {
  if (type !== 'json') {
    if (!isJsonObject(value))
      throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}');
    return type === 'apply' ? { type, body: value, force } : { type, body: value };
  }
  if (!Array.isArray(value))
    throw badRequest('error decoding patch: json: cannot unmarshal into Go value of type []handlers.jsonPatchOp');
  if (value.length > JSON_PATCH_OPERATIONS_MAX) {
    throw entityTooLarge(
      `The allowed maximum operations in a JSON patch is ${JSON_PATCH_OPERATIONS_MAX}, got ${value.length}`,
    );
  }
  return { type, ops: value as readonly JsonPatchOp[] };
}
