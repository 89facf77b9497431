// kubernetes:pkg/scheduler/framework/plugins/noderesources/fit.go
import type { NodeInfo } from './node-info.ts';
import { type FilterPlugin, filterBy } from './plugin.ts';
import { type Amounts, CPU, EPHEMERAL_STORAGE, MEMORY, PODS, requestsOf } from './pod-resources.ts';
import { type Status, SUCCESS } from './status.ts';

export const nodeResourcesFit: FilterPlugin = {
  name: 'NodeResourcesFit',
  preFilter: (pod) => {
    const wanted = wantedResources(requestsOf(pod));
    return filterBy((node) => checkResources(wanted, node));
  },
};

type Room = Pick<NodeInfo, 'allocatable' | 'requested' | 'pods'>;
type Wanted = readonly (readonly [name: string, amount: number])[];

const FIRST: readonly string[] = [CPU, MEMORY, EPHEMERAL_STORAGE];

/** What is asked for at all, in the order in which lacks are told. */
export function wantedResources(requests: Amounts): Wanted {
  const others = [...requests.keys()].filter((name) => !FIRST.includes(name) && name !== PODS);
  return [...FIRST, ...others].flatMap((name): Wanted => {
    const amount = requests.get(name) ?? 0;
    return amount === 0 ? [] : [[name, amount]];
  });
}

/** Removing pods helps only if the node would be large enough when empty. */
export function checkResources(wanted: Wanted, node: Room): Status {
  const reasons: string[] = [];
  if (node.pods.size + 1 > (node.allocatable.get(PODS) ?? 0)) reasons.push('Too many pods');
  let isTooLarge = false;
  for (const [name, amount] of wanted) {
    const allocatable = node.allocatable.get(name) ?? 0;
    if (amount <= allocatable - (node.requested.get(name) ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    isTooLarge ||= amount > allocatable;
  }
  if (reasons.length === 0) return SUCCESS;
  return { type: isTooLarge ? 'unresolvable' : 'unschedulable', reasons };
}
