import { describe, expect, it, test } from 'vitest';
import { MASTERS } from '../apiserver/authorization.ts';
import { byCertificate } from '../apiserver/http/authentication.ts';
import type { ClientCertificate, HttpRequest } from '../apiserver/http/http-exchange.ts';
import type { NodeServer } from '../kubelet/server/server.ts';
import { NodeEndpoint, type NodeEndpointOptions } from './node-endpoint.ts';

const SERVER: NodeServer = {
  answer: async ({ path }) => {
    if (path === '/broken') throw new Error('a bug');
    return { type: 'text', code: 200, contentType: 'text/plain', body: 'figures' };
  },
  figures: () => undefined,
};
const asked = (certificate: Partial<ClientCertificate> | undefined, path = '/stats/summary'): HttpRequest => ({
  method: 'GET',
  path,
  query: new URLSearchParams(),
  header: () => '',
  headers: [],
  body: () => Promise.resolve(new Uint8Array()),
  certificate:
    certificate === undefined ? undefined : { commonName: 'u', organizations: [], isTrusted: true, ...certificate },
});

function endpoint(rest: Partial<NodeEndpointOptions> = {}): NodeEndpoint {
  return new NodeEndpoint({
    node: 'node-a',
    authenticators: [byCertificate],
    // Masters may all, `reader` the figures of this node alone.
    authorizer: {
      decide: ({ name, groups }, access) => ({
        allowed:
          groups.includes(MASTERS) ||
          (name === 'reader' && 'resource' in access && access.subresource === 'stats' && access.name === 'node-a'),
      }),
    },
    log: { write: () => undefined },
    current: () => SERVER,
    isReachable: () => true,
    ...rest,
  });
}

const API_SERVER = { commonName: 'kube-apiserver-kubelet-client', organizations: [MASTERS] };
const rows: readonly (readonly [string, HttpRequest, number, string])[] = [
  ['the API server', asked(API_SERVER), 200, 'figures'],
  ['nobody', asked(undefined), 401, 'Unauthorized\n'],
  ['a certificate of another authority', asked({ ...API_SERVER, isTrusted: false }), 401, 'Unauthorized\n'],
  [
    'a user without rights',
    asked({ commonName: 'eve' }),
    403,
    'Forbidden (user=eve, verb=get, resource=nodes, subresource(s)=[stats])\n',
  ],
  ['a user with a right', asked({ commonName: 'reader' }), 200, 'figures'],
  [
    'the same for something else',
    asked({ commonName: 'reader' }, '/pods'),
    403,
    'Forbidden (user=reader, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
  ],
  ['a bug', asked(API_SERVER, '/broken'), 500, 'Internal Server Error\n'],
];

describe('the door of a virtual node', () => {
  test.each(rows)('P-VN-1 %s -> answered so', async (_who, request, code, text) => {
    const answer = await endpoint().answer(request);
    expect(answer.type === 'whole' && [answer.code, Buffer.from(answer.body).toString('utf8')]).toEqual([code, text]);
  });

  it('P-VN-1 no kubelet at the moment -> 503', async () => {
    expect(await endpoint({ current: () => undefined }).answer(asked(API_SERVER))).toMatchObject({ code: 503 });
  });

  it('P-VN-3 a node that cannot be reached -> no answer at all', async () => {
    const answer = endpoint({ isReachable: (node) => node !== 'node-a' }).answer(asked(API_SERVER));
    expect(await Promise.race([answer, Promise.resolve('silence')])).toBe('silence');
  });
});
