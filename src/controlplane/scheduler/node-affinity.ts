// kubernetes:pkg/scheduler/framework/plugins/nodeaffinity
import { matchesNodeSelector } from '../../kube/node-selector.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { NodeSelector } from '../../kube/resources/node-selector.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type FilterPlugin, type PreFilterOutcome, SKIP } from './plugin.ts';
import { SUCCESS, unresolvable } from './status.ts';

export const nodeAffinity: FilterPlugin = { name: 'NodeAffinity', preFilter };

function preFilter(pod: Pod): PreFilterOutcome {
  const required = requiredSelector(pod);
  if (required === undefined && pod.spec.nodeSelector === undefined) return SKIP;
  const only = required === undefined ? undefined : nodesNamedBy(required);
  if (only?.size === 0) return unresolvable('pod affinity terms conflict');
  return {
    type: 'filter',
    filter: ({ node }) =>
      admitsNode(pod, node) ? SUCCESS : unresolvable("node(s) didn't match Pod's node affinity/selector"),
    ...(only === undefined ? {} : { only }),
  };
}

/** The pod's own wish: `nodeSelector` and the required part of its node affinity must both hold. */
export function admitsNode(pod: Pick<Pod, 'spec'>, node: Pick<Node, 'metadata'>): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(pod.spec.nodeSelector ?? {});
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  const required = requiredSelector(pod);
  return required === undefined || matchesNodeSelector(required, node);
}

const requiredSelector = (pod: Pick<Pod, 'spec'>): NodeSelector | undefined =>
  pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

/** If every alternative names nodes, these are all that can match. Pods of a DaemonSet are pinned this way. */
function nodesNamedBy(selector: NodeSelector): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  if (selector.nodeSelectorTerms.length === 0) return undefined;
  for (const { matchFields = [] } of selector.nodeSelectorTerms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => values);
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) named.add(name);
  }
  return named;
}
