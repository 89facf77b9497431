// Gathers the rules of roles with an aggregation rule from the roles that it selects: `view`, `edit` and `admin` have rules
// by this alone. kubernetes:pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type ClusterRole, ClusterRoles, type PolicyRule } from '../../kube/resources/cluster-role.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';

const NAME = 'clusterrole-aggregation-controller';
/** kubernetes:cmd/kube-controller-manager/app/rbac.go */
const WORKERS = 5;
/** All roles that gather, whatever they gather. */
const GATHERING = 'gathering';

export function clusterRoleAggregationController(): Component {
  return { name: NAME, start };
}

const gathers = ({ aggregationRule }: ClusterRole): boolean => aggregationRule !== undefined;

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const roles = informers.of(ClusterRoles, { kind: (role) => (gathers(role) ? [GATHERING] : []) });
  startController({
    context,
    workers: WORKERS,
    waitFor: [informers],
    // A role that changes may be, or have been, one of those that any other gathers.
    triggers: [trigger(roles, () => [...roles.by('kind', GATHERING)].map(({ metadata }) => metadata.name))],
    reconciler: {
      name: NAME,
      kind: ClusterRoles.kind,
      reconcile: async (name, { cluster }) => {
        const role = roles.get(name);
        const rules = role === undefined ? undefined : decideRules(role, [...roles.all()]);
        if (rules !== undefined) await applied(name, rules, cluster);
        return { type: 'settled' };
      },
    },
  });
  informers.start();
}

async function applied(
  name: string,
  rules: readonly PolicyRule[],
  cluster: ComponentContext['cluster'],
): Promise<void> {
  const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  await cluster.patch(ClusterRoles, name, { type: 'apply', body, force: true }, { fieldManager: NAME });
}

/** The rules that the role should have; undefined if it has them, or gathers none. */
export function decideRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const { clusterRoleSelectors = [] } = role.aggregationRule;
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  const gathered = clusterRoleSelectors.flatMap((selector) => {
    const matcher = labelMatcherOf(selector);
    return others.filter(({ metadata }) => matcher.matches(metadata.labels)).flatMap(({ rules }) => rules ?? []);
  });
  const rules = [...new Map(gathered.map((rule) => [textOf(rule), rule])).values()];
  const isSame = rules.map(textOf).join('\n') === (role.rules ?? []).map(textOf).join('\n');
  return isSame ? undefined : rules;
}

/** Equal for rules that say the same: what is absent is empty. */
const textOf = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string => JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
