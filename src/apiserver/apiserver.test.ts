import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { type ApiError, isApiError } from '../kube/api-error.ts';
import type { WatchEvent } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Events } from '../kube/resources/event.ts';
import { Leases } from '../kube/resources/lease.ts';
import { Namespaces } from '../kube/resources/namespace.ts';
import { Nodes } from '../kube/resources/node.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import { SeriesEvents } from '../kube/resources/series-event.ts';
import type { ApiRequest } from './api-request.ts';
import { ApiServer, type ApiServerOptions, type Commit } from './apiserver.ts';
import type { AuditEntry } from './audit.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { defaultStrategies } from './registry/strategies.ts';

const USER = { name: 'jane', groups: ['devs'] };
const STARTS_AT = Date.UTC(2026, 0, 5, 8);

function serverWith(more: Partial<ApiServerOptions> = {}): ApiServer {
  return new ApiServer({
    clock: new SteppedClock(STARTS_AT),
    random: new SeededRandom(7),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    ...more,
  });
}

const create = (name: string, more: object = {}): ApiRequest => ({
  verb: 'create',
  resource: ConfigMaps,
  namespace: 'ns',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more },
});

function refusal(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  return expect.fail('should be refused');
}

function objectOf(server: ApiServer, request: ApiRequest): KubeObject {
  const answer = server.handle(request, USER);
  return answer.type === 'object' ? answer.object : expect.fail('an object was expected');
}

/** Draws the same number each time. */
class UnluckyRandom extends SeededRandom {
  override fork(): UnluckyRandom {
    return this;
  }
  override int(): number {
    return 0;
  }
}

describe('ApiServer', () => {
  it('P-API-12 user who may nothing -> every verb refused in upstream words, and nothing stored', () => {
    const store = new ObjectStore();
    const server = serverWith({ store, authorizer: { decide: () => ({ allowed: false }) } });
    expect(refusal(() => server.handle(create('a'), USER)).message).toBe(
      'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "ns"',
    );
    const status = { verb: 'update', resource: Nodes, key: 'n', subresource: 'status', object: {} } as const;
    expect(refusal(() => server.handle(status, USER)).message).toBe(
      'nodes "n" is forbidden: User "jane" cannot update resource "nodes/status" in API group "" at the cluster scope',
    );
    const sink = { event: () => expect.fail('no event is due'), closed: () => undefined };
    expect(refusal(() => server.watch(Nodes, {}, USER, sink)).reason).toBe('Forbidden');
    expect(store.revision).toBe(0);
  });

  it('P-API-12 reason of the authorizer -> at the end of the refusal', () => {
    const server = serverWith({ authorizer: { decide: () => ({ allowed: false, because: 'no role' }) } });
    expect(refusal(() => server.handle({ verb: 'list', resource: Nodes, options: {} }, USER)).message).toContain(
      'at the cluster scope: no role',
    );
  });

  it('P-API-12 requests answered and refused -> one audit entry each', () => {
    const entries: AuditEntry[] = [];
    const server = serverWith({ audit: { record: (entry) => entries.push(entry) } });
    server.handle(create('a'), USER);
    refusal(() => server.handle(create('a'), USER));
    server.handle({ verb: 'delete', resource: ConfigMaps, key: 'ns/a', options: { dryRun: true } }, USER);
    server.watch(ConfigMaps, { namespace: 'ns' }, USER, { event: () => undefined, closed: () => undefined });
    const entry = { at: STARTS_AT, user: 'jane', resource: ConfigMaps, subresource: undefined, reason: undefined };
    expect(entries).toEqual([
      { ...entry, verb: 'create', key: 'ns/', code: 201, dryRun: false },
      { ...entry, verb: 'create', key: 'ns/', code: 409, reason: 'AlreadyExists', dryRun: false },
      { ...entry, verb: 'delete', key: 'ns/a', code: 200, dryRun: true },
      { ...entry, verb: 'watch', key: 'ns/', code: 200, dryRun: false },
    ]);
  });

  it('P-API-15 committed writes -> told with user, reason, before and after; refused and idle ones are not', () => {
    const commits: Commit[] = [];
    const server = serverWith({ onCommit: (commit) => commits.push(commit) });
    const made = objectOf(server, create('a', { data: { k: '1' } }));
    refusal(() => server.handle(create('a'), USER));
    server.handle({ verb: 'update', resource: ConfigMaps, key: 'ns/a', object: made }, USER);
    const reason = { type: 'started', entry: 4 } as const;
    server.handle({ verb: 'delete', resource: ConfigMaps, key: 'ns/a' }, USER, reason);
    expect(commits).toMatchObject([
      { revision: 1, user: 'jane', verb: 'create', key: 'ns/a', before: undefined, after: made, reason: undefined },
      { revision: 2, user: 'jane', verb: 'delete', key: 'ns/a', before: made, after: undefined, reason },
    ]);
  });

  it('P-API-15 eviction -> both the budget and the pod are told, as the user who evicts', () => {
    const commits: Commit[] = [];
    const server = serverWith({ onCommit: (commit) => commits.push(commit) });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    server.handle({ verb: 'create', resource: Pods, namespace: 'ns', object: { metadata: { name: 'p' }, spec } }, USER);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    server.handle({ verb: 'post', resource: Pods, key: 'ns/p', subresource: 'eviction', body }, USER);
    expect(commits.slice(1).map(({ user, subresource, after }) => [user, subresource, after === undefined])).toEqual([
      ['jane', 'eviction', false],
      ['jane', 'eviction', false],
      ['jane', 'eviction', true],
    ]);
  });

  it('P-API-14 same seed and same requests -> the same objects to the last letter', () => {
    const play = (): readonly KubeObject[] => {
      const store = new ObjectStore();
      const server = serverWith({ store });
      server.bootstrap();
      for (const name of ['a', 'b']) server.handle(create(name), USER);
      server.handle(
        { verb: 'create', resource: ConfigMaps, namespace: 'ns', object: { metadata: { generateName: 'g-' } } },
        USER,
      );
      return [...store.all(Namespaces), ...store.all(ConfigMaps)];
    };
    expect(play()).toEqual(play());
  });

  it('resource that is not served -> NotFound', () => {
    const error = refusal(() =>
      serverWith().handle({ verb: 'list', resource: { group: 'x', plural: 'ys' }, options: {} }, USER),
    );
    expect([error.code, error.message]).toEqual([404, 'the server could not find the requested resource']);
  });

  it('path below an object that its kind does not have -> NotFound', () => {
    const server = serverWith();
    server.handle(create('a'), USER);
    const request = { verb: 'update', resource: ConfigMaps, key: 'ns/a', subresource: 'status', object: {} } as const;
    expect(refusal(() => server.handle(request, USER)).code).toBe(404);
  });

  it('bootstrap twice -> the four namespaces once', () => {
    const store = new ObjectStore();
    const server = serverWith({ store });
    server.bootstrap();
    server.bootstrap();
    expect(store.all(Namespaces).map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  it('every generated name taken -> AlreadyExists after eight tries', () => {
    const store = new ObjectStore();
    const server = serverWith({ store, random: new UnluckyRandom(1) });
    const request = {
      verb: 'create',
      resource: ConfigMaps,
      namespace: 'ns',
      object: { metadata: { generateName: 'g-' } },
    } as const;
    server.handle(request, USER);
    const error = refusal(() => server.handle(request, USER));
    expect([error.reason, error.details?.retryAfterSeconds, store.revision]).toEqual(['AlreadyExists', 1, 1]);
  });

  it('name of an object that is going -> AlreadyExists says so', () => {
    const server = serverWith();
    server.handle(create('a', { metadata: { name: 'a', finalizers: ['example.com/hold'] } }), USER);
    server.handle({ verb: 'delete', resource: ConfigMaps, key: 'ns/a' }, USER);
    expect(refusal(() => server.handle(create('a'), USER)).message).toBe(
      'object is being deleted: configmaps "a" already exists',
    );
  });

  it('node with a zone -> its pods carry zone and region after binding, and nothing else of it', () => {
    const server = serverWith();
    const labels = {
      'topology.kubernetes.io/zone': 'z1',
      'topology.kubernetes.io/region': 'r1',
      'topology.kubernetes.io/rack': 'k',
    };
    server.handle(
      { verb: 'create', resource: Nodes, namespace: undefined, object: { metadata: { name: 'n1', labels } } },
      USER,
    );
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    server.handle({ verb: 'create', resource: Pods, namespace: 'ns', object: { metadata: { name: 'p' }, spec } }, USER);
    const body = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
    server.handle({ verb: 'post', resource: Pods, key: 'ns/p', subresource: 'binding', body }, USER);
    const bound = objectOf(server, { verb: 'get', resource: Pods, key: 'ns/p' }) as unknown as Pod;
    expect(bound.metadata.labels).toEqual({
      'topology.kubernetes.io/zone': 'z1',
      'topology.kubernetes.io/region': 'r1',
    });
    expect([bound.spec.nodeName, bound.metadata.generation]).toEqual(['n1', 1]);
  });

  it('event written through one group -> watched through the other in its own shape', () => {
    const server = serverWith();
    const seen: KubeObject[] = [];
    const event = (each: WatchEvent<KubeObject>): void => void ('object' in each && seen.push(each.object));
    server.watch(SeriesEvents, { fieldSelector: 'regarding.name=p' }, USER, { event, closed: () => undefined });
    const object = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
      message: 'm',
      type: 'Normal',
    };
    server.handle({ verb: 'create', resource: Events, namespace: 'ns', object }, USER);
    expect(seen).toMatchObject([{ apiVersion: 'events.k8s.io/v1', regarding: { name: 'p' }, note: 'm' }]);
  });

  it('owner named twice -> stored once, and the client is warned', () => {
    const server = serverWith();
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' };
    const answer = server.handle(create('a', { metadata: { name: 'a', ownerReferences: [owner, owner] } }), USER);
    expect(answer).toMatchObject({ object: { metadata: { ownerReferences: [owner] } } });
    expect(answer.warnings).toHaveLength(1);
    expect(answer.warnings[0]).toMatch(/^\.metadata\.ownerReferences contains duplicate entries; .* observed: u1$/);
  });

  it('PUT that would create -> the user must be allowed to create', () => {
    const server = serverWith({ authorizer: { decide: (_user, { verb }) => ({ allowed: verb !== 'create' }) } });
    const object = { metadata: { name: 'l' }, spec: {} };
    const request = { verb: 'update', resource: Leases, key: 'ns/l', object } as const;
    expect(refusal(() => server.handle(request, USER)).message).toContain('cannot create resource "leases"');
  });

  it('PUT with a resourceVersion of something that is gone -> created anew', () => {
    const object = { metadata: { name: 'l', resourceVersion: '7' }, spec: {} };
    const answer = serverWith().handle({ verb: 'update', resource: Leases, key: 'ns/l', object }, USER);
    expect(answer.code).toBe(201);
  });

  it('update that sets a deletionTimestamp -> refused, deletion is asked for by DELETE', () => {
    const server = serverWith();
    server.handle(create('a'), USER);
    const patch = { type: 'merge', body: { metadata: { deletionTimestamp: '2026-01-05T08:00:00Z' } } } as const;
    const error = refusal(() => server.handle({ verb: 'patch', resource: ConfigMaps, key: 'ns/a', patch }, USER));
    expect(error.details?.causes?.[0]?.field).toBe('metadata.deletionTimestamp');
  });
});
