// From a path and a method to one verb on one served resource, or to the refusal that upstream's routes give.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/installer.go
import { methodNotAllowed, noSuchResource, notFound } from '../../kube/api-error.ts';
import type { ListOptions } from '../../kube/cluster.ts';
import type { SubresourceFacts } from '../../kube/schema-table.ts';
import { selectionOf } from '../api-request.ts';
import type { Access, Verb } from '../authorization.ts';
import { flag } from './query-options.ts';
import type { ResourcePath } from './request-path.ts';
import type { ServedApi, ServedApis } from './served-apis.ts';

export interface ResourceRoute {
  readonly api: ServedApi;
  readonly verb: Verb;
  readonly namespace: string | undefined;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: SubresourceFacts | undefined;
  readonly below: readonly string[];
}

/** What is asked of whom, before it is known whether there is such a resource. */
export function accessFor(path: ResourcePath, method: string, query: URLSearchParams): Access {
  const { group, plural, namespace, name, subresource } = path;
  const verb = verbOf(path, method, query) ?? 'get';
  const scope =
    name === undefined && verb !== 'create'
      ? selectionOf(selectorIn(namespace, query))
      : { namespace, name: name ?? '' };
  return { verb, resource: { group, plural }, subresource, ...scope };
}

const selectorIn = (namespace: string | undefined, query: URLSearchParams): ListOptions => ({
  ...(namespace === undefined ? {} : { namespace }),
  fieldSelector: query.get('fieldSelector') ?? '',
});

/** Throws NotFound or MethodNotAllowed. */
export function routeOf(apis: ServedApis, path: ResourcePath, method: string, query: URLSearchParams): ResourceRoute {
  const { namespace, name, below } = path;
  const api = apis.find(path.group, path.version, path.plural);
  if (api === undefined || !fitsScope(api, path) || !hasForm(api, path)) throw noSuchResource();
  const subresource =
    path.subresource === undefined ? undefined : api.subresources.find((each) => each.name === path.subresource);
  if (path.subresource !== undefined && subresource === undefined) {
    // A kind that clients define has all paths below its objects; there is just nothing at most of them.
    throw api.defined === undefined ? noSuchResource() : notFound(api, name ?? '');
  }
  if (below.length > 0 && subresource?.name !== 'proxy') throw noSuchResource();
  const verb = verbOf(path, method, query);
  if (verb === undefined || !allows(api, subresource, verb, path)) throw methodNotAllowed();
  return { api, verb, namespace, name: name ?? '', subresource, below };
}

/** Objects of namespaces are reached through their namespace, all others never. */
function fitsScope({ namespaced }: ServedApi, { namespace, name, isWatch }: ResourcePath): boolean {
  if (!namespaced) return namespace === undefined;
  return namespace !== undefined || name === undefined || isWatch;
}

/** Kinds that are only posted, or only read, have no paths for the rest. */
function hasForm({ verbs }: ServedApi, { name }: ResourcePath): boolean {
  return name === undefined || ['get', 'update', 'patch', 'delete'].some((verb) => verbs.includes(verb));
}

function allows(
  { verbs, namespaced }: ServedApi,
  subresource: SubresourceFacts | undefined,
  verb: Verb,
  { namespace, name }: ResourcePath,
): boolean {
  if (subresource !== undefined) return subresource.verbs.includes(verb);
  // Over all namespaces there is only reading.
  if (namespaced && namespace === undefined && name === undefined && verb !== 'list' && verb !== 'watch') return false;
  return verbs.includes(verb);
}

function verbOf(
  { name, subresource, isWatch }: ResourcePath,
  method: string,
  query: URLSearchParams,
): Verb | undefined {
  const isCollection = name === undefined;
  switch (method) {
    case 'GET':
      if (isWatch) return 'watch';
      if (!isCollection) return 'get';
      return flag(query, 'watch') === true ? 'watch' : 'list';
    case 'POST':
      return isCollection || subresource !== undefined ? 'create' : undefined;
    case 'PUT':
      return isCollection ? undefined : 'update';
    case 'PATCH':
      return isCollection ? undefined : 'patch';
    case 'DELETE':
      return isCollection ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}
