import { describe, expect, it } from 'vitest';
import { defaultStrategies } from '../registry/strategies.ts';
import { tableStrategies } from '../registry/table-kinds.ts';
import { type RequestPath, parsePath } from './request-path.ts';
import { routeOf } from './resource-route.ts';
import { ServedApis } from './served-apis.ts';

const own = defaultStrategies();
const resources = [...own, ...tableStrategies(own)].map(({ resource }) => resource);
const apis = new ServedApis({ resources, customKinds: [], kindsRevision: 0 });

function route(method: string, target: string): string {
  const [path = '', query = ''] = target.split('?');
  const parsed: RequestPath = parsePath(path);
  if (parsed.type !== 'resource') return parsed.type;
  try {
    const { verb, api, namespace = '', name, subresource } = routeOf(apis, parsed, method, new URLSearchParams(query));
    return [verb, api.kind, namespace, name, subresource?.name ?? ''].join(' ').trimEnd();
  } catch (error) {
    return (error as { readonly reason: string }).reason;
  }
}

describe('routeOf', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list Pod'],
    ['GET', '/api/v1/pods?watch=1', 'watch Pod'],
    ['GET', '/api/v1/namespaces/a/pods/p?watch=true', 'get Pod a p'],
    ['GET', '/api/v1/watch/namespaces/a/pods/p', 'watch Pod a p'],
    ['POST', '/api/v1/namespaces/a/pods', 'create Pod a'],
    ['POST', '/api/v1/namespaces/a/pods/p/eviction', 'create Pod a p eviction'],
    ['PUT', '/api/v1/namespaces/a/status', 'update Namespace  a status'],
    ['PATCH', '/apis/storage.k8s.io/v1/storageclasses/s', 'patch StorageClass  s'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection Pod a'],
    ['POST', '/api/v1/pods', 'MethodNotAllowed'],
    ['DELETE', '/api/v1/pods', 'MethodNotAllowed'],
    ['POST', '/api/v1/namespaces/a/pods/p', 'MethodNotAllowed'],
    ['PUT', '/api/v1/namespaces/a/pods', 'MethodNotAllowed'],
    ['DELETE', '/api/v1/namespaces', 'MethodNotAllowed'],
    ['GET', '/api/v1/namespaces/a/pods/p/binding', 'MethodNotAllowed'],
    ['OPTIONS', '/api/v1/nodes', 'MethodNotAllowed'],
    ['GET', '/api/v1/pods/p', 'NotFound'],
    ['GET', '/api/v1/namespaces/a/nodes/n', 'NotFound'],
    ['GET', '/api/v1/nodes/n/scale', 'NotFound'],
    ['GET', '/api/v1/nodes/n/status/more', 'NotFound'],
    ['GET', '/apis/authorization.k8s.io/v1/subjectaccessreviews/x', 'NotFound'],
    ['GET', '/api/v1/gadgets', 'NotFound'],
    ['GET', '/apis/storage.k8s.io/v9/storageclasses', 'NotFound'],
  ])('%s %s -> %s', (method, target, outcome) => {
    expect(route(method, target)).toBe(outcome);
  });
});
