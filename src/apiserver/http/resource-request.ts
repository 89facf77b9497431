// From a routed HTTP request to a request of the core: options from the query, objects and patches from the body, in the
// order in which upstream looks at them, so that of two faults the same one is told.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/{get,create,update,patch,delete}.go
import { badRequest, unsupportedMediaType } from '../../kube/api-error.ts';
import { isJsonObject } from '../../kube/json.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import type { ApiRequest } from '../api-request.ts';
import type { TextFault } from '../registry/generic-call.ts';
import { deleteOptionsFromBody, deleteOptionsFromQuery } from './delete-options.ts';
import type { HttpRequest } from './http-exchange.ts';
import { MEDIA_TYPES, bareType, unsupportedByRoute } from './media-type.ts';
import { PATCH_TYPES, readPatch, yamlFault } from './patch-body.ts';
import { listOptionsOf, refuseExport, text, writeOptionsOf } from './query-options.ts';
import { type Body, MalformedBody, type ProtobufReader, readBody, unrecognized } from './request-body.ts';
import type { ResourceRoute } from './resource-route.ts';

/** Refuses a patch that is of no patch type, before anything else is looked at. */
export function requirePatchType({ verb, api }: ResourceRoute, contentType: string): void {
  if (verb !== 'patch') return;
  const type = PATCH_TYPES.get(bareType(contentType));
  const isRefused = type === undefined || (api.isCustom && type === 'strategic');
  if (!isRefused) return;
  if (!api.isCustom) throw unsupportedByRoute();
  throw unsupportedMediaType([...PATCH_TYPES.keys()].filter((each) => !each.includes('strategic')));
}

/** Throws what the request is refused with before the core sees it. */
export async function coreRequest(
  route: ResourceRoute & { readonly api: { readonly resource: Resource<KubeObject> } },
  http: HttpRequest,
  protobuf: ProtobufReader | undefined,
): Promise<ApiRequest> {
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
      refuseExport(query);
      return { ...on, verb, ...text(query, 'resourceVersion') };
    case 'list':
      return { verb, resource, options: listOptionsOf(query, namespace) };
    case 'delete':
      return { ...on, verb, options: await deleteOptions(http, protobuf) };
    case 'deletecollection':
      return {
        verb,
        resource,
        of: listOptionsOf(query, namespace),
        options: await deleteOptions(http, protobuf),
      };
    case 'patch':
      return { ...on, verb, ...(await readPatch(http)) };
    case 'create':
    case 'update':
      return objectRequest(route, on, http, protobuf);
    case 'watch':
      throw badRequest('a watch is no single request');
  }
}

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
): Promise<ApiRequest> {
  const { query } = http;
  const kind = subresource?.kind ?? api.kind;
  const contentType = http.header('content-type');
  requireKnownType(contentType);
  const bytes = await http.body();
  const isUpdate = verb === 'update';
  const options = writeOptionsOf(query, isUpdate ? 'UpdateOptions' : 'CreateOptions', http.header('user-agent'));
  const { value, ...about } = recognized(() => readBody(bytes, contentType, protobuf), kind);
  const object = recognizedObject(value, kind);
  const sent = { ...options, textFaults: textFaultsOf(about) };
  if (isUpdate) return { ...on, verb: 'update', object, options: sent };
  if (subresource !== undefined)
    return { ...on, verb: 'post', subresource: subresource.name, body: object, options: sent };
  return { verb: 'create', resource: on.resource, namespace, object, options: sent };
}

/** The media type is judged before the body is read. */
const requireKnownType = (contentType: string): void => {
  if (contentType !== '' && !MEDIA_TYPES.includes(bareType(contentType).toLowerCase()))
    throw unsupportedMediaType(MEDIA_TYPES);
};

function recognized(read: () => Body, kind: string): Body {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedBody ? unrecognized(kind, error) : error;
  }
}

/** Before a value is an object of some kind it must say of which, or nothing about it. */
function recognizedObject(value: unknown, kind: string): unknown {
  if (value === null) return {};
  if (!isJsonObject(value)) throw unrecognized(kind, new MalformedBody('json parse error: not an object'));
  const { kind: named, apiVersion } = value;
  const isText = (each: unknown): boolean => each === undefined || each === null || typeof each === 'string';
  if (!isText(named) || !isText(apiVersion))
    throw unrecognized(kind, new MalformedBody('json parse error: wrong type'));
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
    throw unrecognized(kind, new MalformedBody(`unexpected GroupVersion string: ${apiVersion}`));
  return value;
}

function textFaultsOf({ duplicates, places, lines }: Omit<Body, 'value'>): readonly TextFault[] {
  if (lines !== undefined) return lines.map(yamlFault);
  const where = places === undefined ? {} : { places };
  return duplicates.map((path) => ({ path, says: `duplicate field ${JSON.stringify(path)}`, ...where }));
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
