// Warnings about node labels that have a newer name. kubernetes:pkg/api/node/util.go
import { faultsOfLabelValue } from '../../kube/names.ts';
import type { NodeSelectorTerm, PreferredSchedulingTerm } from '../../kube/resources/node-selector.ts';

const DEPRECATED_NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

export const deprecationOfNodeLabel = (key: string): string | undefined =>
  Object.hasOwn(DEPRECATED_NODE_LABELS, key) ? DEPRECATED_NODE_LABELS[key] : undefined;

type Requirement = NonNullable<NodeSelectorTerm['matchExpressions']>[number];

export function warnOfNodeSelectorTerms(terms: readonly NodeSelectorTerm[], path: string): readonly string[] {
  return terms.flatMap(({ matchExpressions = [] }, index) =>
    matchExpressions.flatMap((requirement, at) => warnOfKey(requirement, `${path}[${index}].matchExpressions[${at}]`)),
  );
}

/** What is only preferred may name a value that no label has: that is told, not refused. */
export function warnOfPreferredTerms(terms: readonly PreferredSchedulingTerm[], path: string): readonly string[] {
  return terms.flatMap(({ preference: { matchExpressions = [] } }, index) =>
    matchExpressions.flatMap((requirement, at) => {
      const place = `${path}[${index}].preference.matchExpressions[${at}]`;
      return [...warnOfKey(requirement, place), ...warnOfValues(requirement, place)];
    }),
  );
}

function warnOfKey({ key }: Requirement, path: string): readonly string[] {
  const text = deprecationOfNodeLabel(key);
  return text === undefined ? [] : [`${path}.key: ${key} is ${text}`];
}

const warnOfValues = ({ values = [] }: Requirement, path: string): readonly string[] =>
  values.flatMap((value, index) =>
    faultsOfLabelValue(value).map((fault) => `${path}.values[${index}]: ${value} is invalid, ${fault}`),
  );
