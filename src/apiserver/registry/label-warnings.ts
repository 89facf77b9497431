// Warnings about node labels that have a newer name. kubernetes:pkg/api/node/util.go
import type { NodeSelectorTerm } from '../../kube/resources/node-selector.ts';

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

export function warnOfNodeSelectorTerms(terms: readonly NodeSelectorTerm[], path: string): readonly string[] {
  return terms.flatMap((term, termIndex) =>
    (term.matchExpressions ?? []).flatMap(({ key }, index) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`${path}[${termIndex}].matchExpressions[${index}].key: ${key} is ${text}`];
    }),
  );
}
