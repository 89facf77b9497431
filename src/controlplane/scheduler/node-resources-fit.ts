// kubernetes:pkg/scheduler/framework/plugins/noderesources/fit.go
import type { NodeInfo } from './node-info.ts';
import { type FilterPlugin, filterBy } from './plugin.ts';
import { type Amounts, CPU, EPHEMERAL_STORAGE, MEMORY, PODS, requestsOf } from './pod-resources.ts';
import { type Status, SUCCESS } from './status.ts';

export const nodeResourcesFit: FilterPlugin = {
  name: 'NodeResourcesFit',
  preFilter: (pod) => {
    const requests = requestsOf(pod);
    return filterBy((node) => checkResources(requests, node));
  },
};

type Room = Pick<NodeInfo, 'allocatable' | 'requested' | 'pods'>;

/** Removing pods helps only if the node would be large enough when empty. */
export function checkResources(requests: Amounts, node: Room): Status {
  const reasons: string[] = [];
  if (node.pods.size + 1 > (node.allocatable.get(PODS) ?? 0)) reasons.push('Too many pods');
  let isTooLarge = false;
  for (const [name, wanted] of inOrder(requests)) {
    const allocatable = node.allocatable.get(name) ?? 0;
    if (wanted === 0 || wanted <= allocatable - (node.requested.get(name) ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    isTooLarge ||= wanted > allocatable;
  }
  if (reasons.length === 0) return SUCCESS;
  return { type: isTooLarge ? 'unresolvable' : 'unschedulable', reasons };
}

const FIRST: readonly string[] = [CPU, MEMORY, EPHEMERAL_STORAGE];

function inOrder(requests: Amounts): readonly (readonly [string, number])[] {
  const others = [...requests].filter(([name]) => !FIRST.includes(name) && name !== PODS);
  return [...FIRST.map((name): [string, number] => [name, requests.get(name) ?? 0]), ...others];
}
