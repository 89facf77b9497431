// One scheduling attempt up to the set of nodes that can take the pod. Pure: it reads the snapshot and answers.
// kubernetes:pkg/scheduler/schedule_one.go, pkg/scheduler/framework/runtime/framework.go
import type { Pod } from '../../kube/resources/pod.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import type { Nominations } from './nominations.ts';
import type { NodeInfo } from './node-info.ts';
import { alteredPlacement } from './placement.ts';
import type { FilterPlugin, NodeFilter, PluginName } from './plugin.ts';
import { type Failure, type Rejection, type Status, SUCCESS, failure, unresolvable } from './status.ts';

/** Why no node takes the pod. */
export interface Diagnosis {
  readonly nodeCount: number;
  /** Set if the pod was refused before any node was looked at. */
  readonly preFilter?: Rejection;
  /** Nodes that were looked at. */
  readonly nodes: ReadonlyMap<string, Rejection>;
  /** What is said of the others. */
  readonly others?: Rejection;
  /** What must change for another attempt to be worth it. */
  readonly rejectedBy: ReadonlySet<PluginName>;
}
export type FitResult =
  | { readonly type: 'fits'; readonly nodes: readonly [NodeInfo, ...NodeInfo[]] }
  | { readonly type: 'unfit'; readonly diagnosis: Diagnosis }
  | { readonly type: 'no-nodes' }
  | Failure;

export interface FitQuestion {
  readonly pod: Pod;
  readonly plugins: readonly FilterPlugin[];
  readonly cluster: ClusterSnapshot;
  readonly nominations: Nominations;
}

export function findNodesThatFit(question: FitQuestion): FitResult {
  const { pod, plugins, cluster } = question;
  const { placement } = cluster;
  const { nodeCount } = placement;
  if (nodeCount === 0) return { type: 'no-nodes' };
  const prepared = runPreFilters(pod, plugins, cluster);
  if (prepared.type === 'error') return prepared;
  if (prepared.type === 'rejected') {
    const { rejection, by } = prepared;
    return { type: 'unfit', diagnosis: { nodeCount, preFilter: rejection, nodes: new Map(), rejectedBy: by } };
  }
  const nominated = placement.node(pod.status.nominatedNodeName ?? '');
  if (nominated !== undefined && checkNode(question, prepared.filters, nominated).status.type === 'success') {
    return { type: 'fits', nodes: [nominated] };
  }
  return checkNodes(question, prepared);
}

function checkNodes(question: FitQuestion, { filters, only, narrowedBy }: Prepared): FitResult {
  const { placement } = question.cluster;
  const candidates = only === undefined ? placement.nodes() : [...only].flatMap((name) => placement.node(name) ?? []);
  const fitting: NodeInfo[] = [];
  const nodes = new Map<string, Rejection>();
  const rejectedBy = new Set<PluginName>(narrowedBy);
  for (const node of candidates) {
    const { status, by } = checkNode(question, filters, node);
    switch (status.type) {
      case 'success':
        fitting.push(node);
        break;
      case 'error':
        return status;
      default:
        nodes.set(node.name, status);
        if (by !== undefined) rejectedBy.add(by);
    }
  }
  const [first, ...rest] = fitting;
  if (first !== undefined) return { type: 'fits', nodes: [first, ...rest] };
  const others = only === undefined ? {} : { others: notNamed(narrowedBy) };
  return { type: 'unfit', diagnosis: { nodeCount: placement.nodeCount, nodes, ...others, rejectedBy } };
}

const notNamed = (plugins: ReadonlySet<PluginName>): Rejection =>
  unresolvable(`node(s) didn't satisfy plugin(s) [${[...plugins].toSorted().join(' ')}]`);

interface NamedFilter {
  readonly name: PluginName;
  readonly filter: NodeFilter;
}
interface Prepared {
  readonly type: 'prepared';
  readonly filters: readonly NamedFilter[];
  /** No other node can pass, and which plugins say so. */
  readonly only: ReadonlySet<string> | undefined;
  readonly narrowedBy: ReadonlySet<PluginName>;
}
type PreFilterResult =
  | Prepared
  | { readonly type: 'rejected'; readonly rejection: Rejection; readonly by: ReadonlySet<PluginName> }
  | Failure;

function runPreFilters(pod: Pod, plugins: readonly FilterPlugin[], cluster: ClusterSnapshot): PreFilterResult {
  const filters: NamedFilter[] = [];
  const narrowedBy = new Set<PluginName>();
  let only: ReadonlySet<string> | undefined;
  for (const plugin of plugins) {
    const { name } = plugin;
    const outcome = plugin.preFilter(pod, cluster);
    switch (outcome.type) {
      case 'skip':
        continue;
      case 'error':
        return failure(`running PreFilter plugin "${name}": ${outcome.message}`);
      case 'unschedulable':
      case 'unresolvable':
        return { type: 'rejected', rejection: outcome, by: new Set([name]) };
      case 'filter':
        filters.push({ name, filter: outcome.filter });
    }
    if (outcome.only === undefined) continue;
    narrowedBy.add(name);
    only = outcome.only;
  }
  return { type: 'prepared', filters, only, narrowedBy };
}

interface NodeVerdict {
  readonly status: Status;
  readonly by?: PluginName;
}

/** With pods on their way to this node that matter at least as much, the pod must fit beside them and without them. */
function checkNode(question: FitQuestion, filters: readonly NamedFilter[], node: NodeInfo): NodeVerdict {
  const { pod, cluster, nominations } = question;
  const expected = nominations.on(node.name, pod);
  if (expected.length > 0) {
    const placement = alteredPlacement(cluster.placement, { node: node.name, with: expected });
    const beside = checkAltered(question, { ...cluster, placement }, node.name);
    if (beside.status.type !== 'success') return beside;
  }
  return runFilters(filters, node);
}

/** The pod on one node of a cluster that is not as it is: all preparations are made anew. */
export function checkAltered(
  { pod, plugins }: Pick<FitQuestion, 'pod' | 'plugins'>,
  cluster: ClusterSnapshot,
  nodeName: string,
): NodeVerdict {
  const prepared = runPreFilters(pod, plugins, cluster);
  if (prepared.type === 'error') return { status: prepared };
  if (prepared.type === 'rejected') return { status: prepared.rejection };
  const node = cluster.placement.node(nodeName);
  return node === undefined ? { status: SUCCESS } : runFilters(prepared.filters, node);
}

function runFilters(filters: readonly NamedFilter[], node: NodeInfo): NodeVerdict {
  for (const { name, filter } of filters) {
    const status = filter(node);
    if (status.type === 'success') continue;
    if (status.type === 'error') return { status: failure(`running "${name}" filter plugin: ${status.message}`) };
    return { status, by: name };
  }
  return { status: SUCCESS };
}
