// Hard constraints on how evenly pods lie over the domains of a topology. Soft ones are not scored.
// kubernetes:pkg/scheduler/framework/plugins/podtopologyspread
import { type LabelMatcher, labelMatcherOf } from '../../kube/label-selector.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { TopologySpreadConstraint } from '../../kube/resources/pod-spec.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { admitsNode } from './node-affinity.ts';
import { type FilterPlugin, type PreFilterOutcome, SKIP, filterBy } from './plugin.ts';
import { type Status, SUCCESS, unresolvable, unschedulable } from './status.ts';
import { untoleratedTaint } from '../../kube/toleration.ts';

const SKEWED = "node(s) didn't match pod topology spread constraints";

export const podTopologySpread: FilterPlugin = { name: 'PodTopologySpread', preFilter };

function preFilter(pod: Pod, { placement }: ClusterSnapshot): PreFilterOutcome {
  const constraints = hardConstraints(pod).map((constraint) => new Spread(constraint, pod));
  if (constraints.length === 0) return SKIP;
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  for (const { node } of placement.nodes()) {
    const isCounted = keys.every((key) => node.metadata.labels?.[key] !== undefined);
    if (isCounted) for (const constraint of constraints) constraint.addNode(node);
  }
  for (const other of placement.podsIn(pod.metadata.namespace ?? '')) {
    const node = placement.node(other.spec.nodeName ?? '')?.node;
    if (node !== undefined) for (const constraint of constraints) constraint.addPod(other, node);
  }
  return filterBy(({ node }): Status => {
    for (const constraint of constraints) {
      const status = constraint.check(node);
      if (status.type !== 'success') return status;
    }
    return SUCCESS;
  });
}

export const hardConstraints = (pod: Pick<Pod, 'spec'>): readonly TopologySpreadConstraint[] =>
  (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');

/** Which pods a constraint counts. Labels named by `matchLabelKeys` must equal the pod's own. */
export function spreadMatcher(
  constraint: TopologySpreadConstraint,
  pod: Pod,
): (labels: Pod['metadata']['labels']) => boolean {
  const selector: LabelMatcher = labelMatcherOf(constraint.labelSelector);
  const own = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return (labels) => selector.matches(labels) && own.every(([key, value]) => labels?.[key] === value);
}

/** One constraint with what is counted for it. */
class Spread {
  readonly topologyKey: string;
  readonly #constraint: TopologySpreadConstraint;
  readonly #pod: Pod;
  readonly #matches: ReturnType<typeof spreadMatcher>;
  /** Matching pods in each domain that has a node in which the pod could be. */
  readonly #counts = new Map<string, number>();
  /** Names of the nodes that count. */
  readonly #nodes = new Set<string>();

  constructor(constraint: TopologySpreadConstraint, pod: Pod) {
    this.topologyKey = constraint.topologyKey;
    this.#constraint = constraint;
    this.#pod = pod;
    this.#matches = spreadMatcher(constraint, pod);
  }

  addNode(node: Node): void {
    const domain = node.metadata.labels?.[this.topologyKey];
    if (domain === undefined || !this.#includes(node)) return;
    this.#nodes.add(node.metadata.name);
    if (!this.#counts.has(domain)) this.#counts.set(domain, 0);
  }

  addPod(pod: Pod, node: Node): void {
    if (!this.#nodes.has(node.metadata.name) || pod.metadata.deletionTimestamp !== undefined) return;
    const domain = node.metadata.labels?.[this.topologyKey] ?? '';
    if (this.#matches(pod.metadata.labels)) this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + 1);
  }

  check(node: Node): Status {
    const domain = node.metadata.labels?.[this.topologyKey];
    if (domain === undefined) return unresolvable(`${SKEWED} (missing required label)`);
    const self = this.#matches(this.#pod.metadata.labels) ? 1 : 0;
    const skew = (this.#counts.get(domain) ?? 0) + self - this.#least();
    return skew > this.#constraint.maxSkew ? unschedulable(SKEWED) : SUCCESS;
  }

  /** While there are fewer domains than wanted, an empty one is imagined. */
  #least(): number {
    if (this.#counts.size < (this.#constraint.minDomains ?? 1)) return 0;
    return Math.min(...this.#counts.values());
  }

  #includes(node: Node): boolean {
    const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = this.#constraint;
    if (nodeAffinityPolicy === 'Honor' && !admitsNode(this.#pod, node)) return false;
    return nodeTaintsPolicy !== 'Honor' || untoleratedTaint(node.spec.taints, this.#pod.spec.tolerations) === undefined;
  }
}
