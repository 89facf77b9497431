import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { BUILT_IN_RESOURCES } from '../../kube/schema-table.ts';
import { ApiServer } from '../apiserver.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import type { StoredObject } from './generic-call.ts';
import { defaultStrategies } from './strategies.ts';
import { tableStrategies } from './table-kinds.ts';

const ADMINISTRATOR = { name: 'test', groups: ['system:masters'] };

function newServer(): ApiServer {
  const own = defaultStrategies();
  const server = new ApiServer({
    clock: new SteppedClock(0),
    random: new SeededRandom('table-kinds'),
    store: new ObjectStore(),
    strategies: [...own, ...tableStrategies(own)],
  });
  server.bootstrap();
  return server;
}

const server = newServer();
const resourceOf = (plural: string): Resource<KubeObject> => {
  const found = server.resources.find((each) => each.plural === plural);
  if (found === undefined) throw new Error(`no ${plural}`);
  return found;
};

function created(plural: string, object: object): StoredObject {
  const resource = resourceOf(plural);
  const namespace = resource.namespaced ? 'default' : undefined;
  const answer = server.handle({ verb: 'create', resource, namespace, object }, ADMINISTRATOR);
  if (answer.type !== 'object') throw new Error('no object');
  return answer.object as StoredObject;
}

describe('tableStrategies', () => {
  it('every stored built-in kind -> can be made, read, listed and removed', () => {
    for (const { plural, group, version, verbs } of BUILT_IN_RESOURCES) {
      if (!verbs.includes('update') || (group === 'autoscaling' && version === 'v1')) continue;
      expect(
        server.resources.some((each) => each.plural === plural && each.group === group),
        plural,
      ).toBe(true);
    }
  });

  it('a kind of the table -> keeps the fields that it has, gets its system fields', () => {
    const spec = { controller: 'x.example.com/c' };
    const ingressClass = created('ingressclasses', { metadata: { name: 'a' }, spec, other: 1 });
    expect(ingressClass).toMatchObject({ kind: 'IngressClass', apiVersion: 'networking.k8s.io/v1', spec });
    expect(ingressClass).not.toHaveProperty('other');
    expect(ingressClass.metadata).toMatchObject({ name: 'a', generation: 1 });
    expect(Date.parse(ingressClass.metadata.creationTimestamp)).toBe(0);
  });

  it('metadata of the wrong type -> BadRequest', () => {
    const broken = { metadata: { name: 'b', labels: ['x'] } };
    expect(() => created('ingressclasses', broken)).toThrow('IngressClass in version "v1" cannot be handled');
  });

  it.each([undefined, []])('a role with rules %o -> rules are null', (rules) => {
    const name = rules === undefined ? 'none' : 'empty';
    expect(created('roles', { metadata: { name }, rules })['rules']).toBeNull();
  });

  it('a role whose name is a path segment -> accepted', () => {
    expect(created('clusterroles', { metadata: { name: 'system:Node' } }).metadata.name).toBe('system:Node');
  });

  it('a job -> defaults, and a selector of its own', () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const { metadata, spec } = created('jobs', { metadata: { name: 'j' }, spec: { template } }) as StoredObject & {
      readonly spec: { readonly template: { readonly metadata: object } };
    };
    const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } };
    expect(spec).toMatchObject({ completions: 1, parallelism: 1, backoffLimit: 6, suspend: false, selector });
    expect(spec.template.metadata).toMatchObject({ labels: { 'job-name': 'j', 'controller-uid': metadata.uid } });
  });

  it('a daemon set and a cron job -> the defaults that their controllers rely on', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const selector = { matchLabels: { a: 'b' } };
    expect(created('daemonsets', { metadata: { name: 'd' }, spec: { selector, template } })['spec']).toMatchObject({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      template: { spec: { restartPolicy: 'Always' } },
    });
    const spec = { ...template.spec, restartPolicy: 'Never' };
    const jobTemplate = { spec: { template: { ...template, spec } } };
    expect(
      created('cronjobs', { metadata: { name: 'c' }, spec: { schedule: '@daily', jobTemplate } })['spec'],
    ).toMatchObject({
      suspend: false,
      concurrencyPolicy: 'Allow',
    });
  });

  it('a PUT of endpoints that are not there -> made', () => {
    const resource = resourceOf('endpoints');
    const object = { metadata: { name: 'e' } };
    const answer = server.handle({ verb: 'update', resource, key: 'default/e', object }, ADMINISTRATOR);
    expect(answer.code).toBe(201);
  });

  it('status of a kind without rules -> only by its own path', () => {
    const status = { loadBalancer: { ingress: [{ ip: '5.6.7.8' }] } };
    const spec = { defaultBackend: { service: { name: 's', port: { number: 80 } } } };
    const ingress = created('ingresses', { metadata: { name: 'i' }, spec, status });
    expect(ingress['status']).toEqual({ loadBalancer: {} });
    const patch = { type: 'merge', body: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } } } as const;
    const on = { verb: 'patch', resource: resourceOf('ingresses'), key: 'default/i', patch } as const;
    const answer = server.handle({ ...on, subresource: 'status' }, ADMINISTRATOR);
    expect(answer).toMatchObject({ object: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } } });
  });
});
