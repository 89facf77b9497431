import { describe, expect, it } from 'vitest';
import { StorageWorld } from '../../../test/persistentvolume/storage-world.ts';
import { type ClusterRole, ClusterRoles, type PolicyRule } from '../../kube/resources/cluster-role.ts';
import { clusterRoleAggregationController, decideRules } from './clusterroleaggregation.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const LABEL = 'aggregate-to-view';
const reads = (...resources: readonly string[]): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources });

function role(
  name: string,
  rules: readonly PolicyRule[] | null,
  parts: Partial<ClusterRole> & { of?: string } = {},
): ClusterRole {
  const { of, ...rest } = parts;
  const labels = of === undefined ? {} : { labels: { [of]: 'true' } };
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '', ...labels };
  return { apiVersion: API_VERSION, kind: 'ClusterRole', metadata, rules, ...rest };
}
const gathering = (rules: readonly PolicyRule[] | null): ClusterRole =>
  role('view', rules, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [LABEL]: 'true' } }] } });

const PARTS = [
  role('b', [reads('pods'), reads('nodes')], { of: LABEL }),
  role('a', [reads('nodes')], { of: LABEL }),
  role('other', [reads('secrets')]),
];

describe('the rules of a role that gathers', () => {
  it.each([
    ['none yet', gathering(null), [reads('nodes'), reads('pods')]],
    ['others', gathering([reads('secrets')]), [reads('nodes'), reads('pods')]],
    ['the same', gathering([reads('nodes'), { ...reads('pods'), resourceNames: [] }]), undefined],
    ['its own, and gathers none', role('view', [reads('x')]), undefined],
  ])('P-CRA-1 it has %s -> decided so', (_what, given, expected) => {
    expect(decideRules(given, [given, ...PARTS])).toEqual(expected);
  });

  it('P-CRA-1 nothing to gather -> no rules; itself selected -> left out', () => {
    expect(decideRules(gathering([reads('x')]), [])).toEqual([]);
    const itself = {
      ...gathering([reads('x')]),
      metadata: { ...gathering(null).metadata, labels: { [LABEL]: 'true' } },
    };
    expect(decideRules(itself, [itself])).toEqual([]);
  });
});

describe('the controller', () => {
  it('P-CRA-2 selected roles come, change and go -> the rules follow, and nothing more is written', async () => {
    const world = new StorageWorld({ hasAllKinds: true });
    const { metadata: _metadata, ...view } = gathering([]);
    await world.user.create(ClusterRoles, { ...view, metadata: { name: 'view' } });
    world.start(clusterRoleAggregationController());
    const rulesOfView = async (): Promise<unknown> => {
      await world.wait(1000);
      return (await world.user.get(ClusterRoles, 'view')).rules ?? [];
    };
    expect(await rulesOfView()).toEqual([]);
    const labelled = { name: 'part', labels: { [LABEL]: 'true' } };
    const made = await world.user.create(ClusterRoles, {
      apiVersion: API_VERSION,
      kind: 'ClusterRole',
      metadata: labelled,
      rules: [reads('pods')],
    });
    expect(await rulesOfView()).toEqual([reads('pods')]);
    await world.user.update(ClusterRoles, { ...made, rules: [reads('nodes')] });
    expect(await rulesOfView()).toEqual([reads('nodes')]);
    await world.user.delete(ClusterRoles, 'part');
    expect(await rulesOfView()).toEqual([]);
    const writes = world.writesOf('clusterrole-aggregation-controller');
    expect(writes).toHaveLength(3);
  });
});
