// Which of the nodes that can take a pod is the best: the emptiest, with cpu and memory in balance. Among equals chance
// decides, as upstream. kubernetes:pkg/scheduler/framework/plugins/noderesources/{least_allocated,balanced_allocation}.go
import type { Random } from '../../base/random.ts';
import { matchesNodeSelectorTerm } from '../../kube/node-selector.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { NodeInfo } from './node-info.ts';
import { type Amounts, CPU, MEMORY, assumedRequestsOf, requestsOf } from './pod-resources.ts';
import { toleratesTaint } from '../../kube/toleration.ts';

const SCORE_MAX = 100;
const SCORED = [CPU, MEMORY] as const;
/** kubernetes:pkg/scheduler/apis/config/v1/default_plugins.go */
const TAINT_WEIGHT = 3;
const AFFINITY_WEIGHT = 2;

export function chooseNode(pod: Pod, nodes: readonly [NodeInfo, ...NodeInfo[]], random: Random): NodeInfo {
  const [first, ...others] = nodes;
  if (others.length === 0) return first;
  const scores = scoreNodes(pod, nodes);
  const best = Math.max(...scores);
  const [leader = first, ...equals] = nodes.filter((_, index) => scores[index] === best);
  return random.pick([leader, ...equals]);
}

export function scoreNodes(pod: Pod, nodes: readonly NodeInfo[]): readonly number[] {
  const assumed = assumedRequestsOf(pod);
  const requests = requestsOf(pod);
  const taints = normalized(nodes.map((node) => unwelcomeTaints(pod, node)));
  const wishes = normalized(nodes.map((node) => fulfilledWishes(pod, node)));
  return nodes.map((node, index) => {
    const taintScore = SCORE_MAX - (taints[index] ?? 0);
    return (
      leastAllocated(assumed, node) +
      balanced(requests, node) +
      TAINT_WEIGHT * taintScore +
      AFFINITY_WEIGHT * (wishes[index] ?? 0)
    );
  });
}

function leastAllocated(requests: Amounts, node: NodeInfo): number {
  let [sum, count] = [0, 0];
  for (const name of SCORED) {
    const allocatable = node.allocatable.get(name) ?? 0;
    if (allocatable === 0) continue;
    const requested = (node.assumedRequested.get(name) ?? 0) + (requests.get(name) ?? 0);
    sum += requested > allocatable ? 0 : Math.floor(((allocatable - requested) * SCORE_MAX) / allocatable);
    count++;
  }
  return count === 0 ? 0 : Math.floor(sum / count);
}

/** A pod that asks for nothing unbalances nothing. */
function balanced(requests: Amounts, node: NodeInfo): number {
  if (SCORED.every((name) => (requests.get(name) ?? 0) === 0)) return 0;
  const gain = balanceOf(node, requests) - balanceOf(node);
  return SCORE_MAX / 2 + Math.trunc((SCORE_MAX / 2 + gain) / 2);
}

/** For two resources the standard deviation is half the distance. */
function balanceOf(node: NodeInfo, more?: Amounts): number {
  const cpu = shareOf(CPU, node, more);
  const memory = shareOf(MEMORY, node, more);
  if (cpu === undefined || memory === undefined) return SCORE_MAX;
  return Math.trunc((1 - Math.abs(cpu - memory) / 2) * SCORE_MAX);
}

function shareOf(name: string, node: NodeInfo, more?: Amounts): number | undefined {
  const allocatable = node.allocatable.get(name) ?? 0;
  const requested = (node.requested.get(name) ?? 0) + (more?.get(name) ?? 0);
  return allocatable === 0 ? undefined : Math.min(1, requested / allocatable);
}

const unwelcomeTaints = (pod: Pod, { node }: NodeInfo): number =>
  node.spec.taints?.filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !toleratesTaint(pod.spec.tolerations, taint),
  ).length ?? 0;

function fulfilledWishes(pod: Pod, { node }: NodeInfo): number {
  const wishes = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (wishes === undefined) return 0;
  return wishes
    .filter(({ preference }) => matchesNodeSelectorTerm(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0);
}

/** From zero to the full score, measured by the highest. */
function normalized(values: readonly number[]): readonly number[] {
  const highest = Math.max(...values);
  return values.map((value) => (highest === 0 ? 0 : Math.floor((value * SCORE_MAX) / highest)));
}
