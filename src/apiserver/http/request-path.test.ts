import { describe, expect, it } from 'vitest';
import { type RequestPath, parsePath } from './request-path.ts';

const resource = (parts: Partial<Extract<RequestPath, { readonly type: 'resource' }>>): RequestPath => ({
  type: 'resource',
  group: '',
  version: 'v1',
  plural: '',
  namespace: undefined,
  name: undefined,
  subresource: undefined,
  below: [],
  isWatch: false,
  ...parts,
});

describe('parsePath', () => {
  it.each<[string, RequestPath]>([
    ['/api', { type: 'root', root: 'api' }],
    ['/apis/', { type: 'root', root: 'apis' }],
    ['/apis/apps', { type: 'group', group: 'apps' }],
    ['/api/v1', { type: 'version', group: '', version: 'v1' }],
    ['/apis/apps/v1/', { type: 'version', group: 'apps', version: 'v1' }],
    ['/api/v1/nodes', resource({ plural: 'nodes' })],
    ['/api/v1/nodes/n/status', resource({ plural: 'nodes', name: 'n', subresource: 'status' })],
    ['/api/v1/namespaces/a/pods', resource({ plural: 'pods', namespace: 'a' })],
    ['/api/v1/namespaces/a/pods/p/log', resource({ plural: 'pods', namespace: 'a', name: 'p', subresource: 'log' })],
    ['/api/v1/namespaces/a', resource({ plural: 'namespaces', name: 'a' })],
    ['/api/v1/namespaces/a/finalize', resource({ plural: 'namespaces', name: 'a', subresource: 'finalize' })],
    ['/api/v1/watch/pods', resource({ plural: 'pods', isWatch: true })],
    ['/api/v1/nodes/a%2Fb', resource({ plural: 'nodes', name: 'a', subresource: 'b' })],
    [
      '/api/v1/nodes/n/proxy/stats/summary',
      resource({ plural: 'nodes', name: 'n', subresource: 'proxy', below: ['stats', 'summary'] }),
    ],
    [
      '/apis/apps/v1/namespaces/a/deployments/d/scale',
      resource({ group: 'apps', plural: 'deployments', namespace: 'a', name: 'd', subresource: 'scale' }),
    ],
    ['/', { type: 'other', words: [] }],
    ['/livez/ping', { type: 'other', words: ['livez', 'ping'] }],
  ])('%s -> its parts', (path, parts) => {
    expect(parsePath(path)).toEqual(parts);
  });

  it('a broken escape -> BadRequest', () => {
    expect(() => parsePath('/api/v1/nodes/%E0%A4%A')).toThrow('invalid URL escape');
  });
});
