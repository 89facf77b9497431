import { describe, expect, it } from 'vitest';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { SeededRandom } from '../../base/random.ts';
import type { KubeObject } from '../../kube/object.ts';
import { AccessControl } from '../access-control.ts';
import { ApiServer } from '../apiserver.ts';
import type { ResourceAccess, User } from '../authorization.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { defaultStrategies } from '../registry/strategies.ts';
import { tableStrategies } from '../registry/table-kinds.ts';
import { bootstrapPolicy, decidePolicyStep } from './bootstrap-policy.ts';
import { ruleAllows, uncoveredRules } from './policy-rule.ts';
import { ruleOf } from './policy-text.ts';
import { ClusterRoleBindings, RoleBindings, Roles } from './rbac-objects.ts';

const admin: User = { name: 'admin', groups: ['system:masters'] };
const jane: User = { name: 'jane', groups: ['devs', 'system:authenticated'] };
const access = (verb: string, path: string, more: Partial<ResourceAccess> = {}): ResourceAccess => {
  const [plural = '', subresource] = path.split('/');
  return { verb, resource: { group: '', plural }, subresource, namespace: 'default', name: '', ...more };
};

describe('ruleAllows', () => {
  it.each([
    ['get core pods', access('get', 'pods'), true],
    ['get core pods', access('list', 'pods'), false],
    ['get core pods', access('get', 'pods/log'), false],
    ['get core pods/log', access('get', 'pods/log'), true],
    ['get core */log', access('get', 'pods/log'), true],
    ['get core */log', access('get', 'pods'), false],
    ['* * *', access('fly', 'pods/log'), true],
    ['get apps pods', access('get', 'pods'), false],
    ['get core pods a', access('get', 'pods', { name: 'a' }), true],
    ['get core pods a', access('get', 'pods', { name: 'b' }), false],
    ['list core pods a', access('list', 'pods'), false],
    ['get /logs/*', { verb: 'get', path: '/logs/x' }, true],
    ['get /logs', { verb: 'get', path: '/logs/x' }, false],
    ['get *', { verb: 'get', path: '/x' }, true],
    ['get core pods', { verb: 'get', path: '/x' }, false],
  ])('%s, %j -> %s', (rule, asked, allowed) => {
    expect(ruleAllows(ruleOf(rule), asked)).toBe(allowed);
  });
});

describe('uncoveredRules', () => {
  it.each([
    ['* * *', 'get core pods', 0],
    ['get core pods', 'get,list core pods,secrets', 3],
    ['get core pods a', 'get core pods', 1],
    ['get core pods', 'get core pods a', 0],
    ['get core */status', 'get core pods/status', 0],
    ['get /x*', 'get,post /x/y', 1],
  ])('%s against %s -> %i parts are missing', (owned, wanted, count) => {
    expect(uncoveredRules([ruleOf(owned)], [ruleOf(wanted)])).toHaveLength(count);
  });
});

function served(): { readonly server: ApiServer; readonly control: AccessControl; readonly store: ObjectStore } {
  const [clock, random, store] = [new SteppedClock(0), new SeededRandom('rbac'), new ObjectStore()];
  const signer = { sign: () => '', verify: () => undefined };
  const control = new AccessControl({ store, clock, random, signer });
  const own = defaultStrategies();
  const strategies = [...own, ...tableStrategies(own)];
  const { admission, authorizer, posted } = control;
  const server = new ApiServer({ clock, random, store, strategies, admission, authorizer, posted });
  server.bootstrap();
  return { server, control, store };
}

const object = (kind: string, name: string, fields: object): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...fields,
});
const role = (rule: string): object => object('Role', 'r', { rules: [ruleOf(rule)] });
const binding = object('RoleBinding', 'b', {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'devs' }],
});

describe('RbacAuthorizer', () => {
  it('P-RBAC-2 bound, changed, unbound -> the right comes, changes and goes at once', () => {
    const { server, control } = served();
    const may = (verb: string): boolean => control.authorizer.decide(jane, access(verb, 'pods')).allowed;
    expect(may('get')).toBe(false);
    server.handle({ verb: 'create', resource: Roles, namespace: 'default', object: role('get core pods') }, admin);
    server.handle({ verb: 'create', resource: RoleBindings, namespace: 'default', object: binding }, admin);
    expect([may('get'), may('list')]).toEqual([true, false]);
    server.handle({ verb: 'update', resource: Roles, key: 'default/r', object: role('list core pods') }, admin);
    expect([may('get'), may('list')]).toEqual([false, true]);
    server.handle({ verb: 'delete', resource: RoleBindings, key: 'default/b' }, admin);
    expect([may('get'), may('list')]).toEqual([false, false]);
  });

  it('P-RBAC-3 who may write roles and holds nothing -> grants nothing', () => {
    const { server } = served();
    server.handle(
      { verb: 'create', resource: Roles, namespace: 'default', object: role('create rbac.authorization.k8s.io roles') },
      admin,
    );
    server.handle({ verb: 'create', resource: RoleBindings, namespace: 'default', object: binding }, admin);
    const wanted = object('Role', 'more', { rules: [ruleOf('get core secrets')] });
    expect(() =>
      server.handle({ verb: 'create', resource: Roles, namespace: 'default', object: wanted }, jane),
    ).toThrow('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}');
  });
});

describe('decidePolicyStep', () => {
  const found = bootstrapPolicy().find(({ resource }) => resource === ClusterRoleBindings);
  const expected = found?.object ?? ({} as KubeObject);

  it('P-RBAC-4 started twice -> the second start changes nothing', async () => {
    const { server, control, store } = served();
    await control.reconcile(server);
    const { revision } = store;
    await control.reconcile(server);
    expect(store.revision).toBe(revision);
    expect(store.all(ClusterRoleBindings)).toHaveLength(50);
  });

  it('P-RBAC-4 a subject was taken away -> added again, others stay', () => {
    const stranger = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'x' };
    const step = decidePolicyStep(expected, { ...expected, subjects: [stranger] } as KubeObject);
    expect(step).toMatchObject({ type: 'update', object: { subjects: [stranger, { name: 'system:masters' }] } });
  });

  it('P-RBAC-4 marked to be left alone -> left alone', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    const kept = { ...expected, subjects: [], metadata: { ...expected.metadata, annotations } } as KubeObject;
    expect(decidePolicyStep(expected, kept)).toEqual({ type: 'none' });
  });

  it('P-RBAC-4 bound to another role -> made anew', () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    expect(decidePolicyStep(expected, { ...expected, roleRef } as KubeObject).type).toBe('recreate');
  });
});
