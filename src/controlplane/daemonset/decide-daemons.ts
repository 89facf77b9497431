// Which pods a set makes and deletes. `decideManagement` sees to it that every node that should have a pod has one;
// `decideRollout` replaces old pods by new ones within what the set allows to be missing or doubled.
// kubernetes:pkg/controller/daemon/{daemon_controller.go#podsShouldBeOnNode,update.go#rollingUpdate}
import type { InstantMs } from '../../base/clock.ts';
import { isPodAvailable, isPodReady } from '../../kube/pod-readiness.ts';
import type { DaemonSet } from '../../kube/resources/daemon-set.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type PodsByNode, isLeaving, isUpdated } from './daemon-pods.ts';
import { decideNodeFit } from './node-fit.ts';

export interface DaemonFacts {
  readonly set: DaemonSet;
  /** Of the revision in force. */
  readonly hash: string;
  readonly nodes: readonly Node[];
  readonly pods: PodsByNode;
  readonly now: InstantMs;
}

export interface DaemonPlan {
  /** Nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Pods that ended, by node: they are removed too, but not again and again at once. */
  readonly ended: ReadonlyMap<string, Pod>;
}

export function decideManagement(facts: DaemonFacts): DaemonPlan {
  const create: string[] = [];
  const remove: Pod[] = [];
  const ended = new Map<string, Pod>();
  for (const node of facts.nodes) {
    const { name } = node.metadata;
    const { shouldRun, mayContinue } = decideNodeFit(facts.set, node);
    const pods = facts.pods.get(name) ?? [];
    const alive = pods.filter((pod) => !isLeaving(pod));
    if (!mayContinue) {
      remove.push(...alive);
      continue;
    }
    const running = alive.filter((pod) => !isOver(pod));
    for (const pod of alive.filter(isOver)) ended.set(name, pod);
    const isMissing = (maxSurge(facts.set, 1) > 0 ? running : pods).length === 0;
    if (shouldRun && isMissing) create.push(name);
    remove.push(...excess(facts, running));
  }
  return { create, remove: [...remove, ...homeless(facts)], ended };
}

const isOver = ({ status }: Pod): boolean => status.phase === 'Failed' || status.phase === 'Succeeded';

/** All but the oldest. While a new pod comes up beside an old one, each of the two may stay. */
function excess({ set, hash, now }: DaemonFacts, running: readonly Pod[]): readonly Pod[] {
  if (running.length <= 1) return [];
  if (maxSurge(set, 1) === 0) return running.slice(1);
  const updated = running.find((pod) => isUpdated(pod, set, hash));
  const old = running.find((pod) => !isUpdated(pod, set, hash));
  const others = running.filter((pod) => pod !== updated && pod !== old);
  if (updated === undefined || old === undefined) return others;
  const isReplaced = !isPodReady(old) || isPodAvailable(updated, set.spec.minReadySeconds ?? 0, now);
  return isReplaced ? [...others, old] : others;
}

/** Pods that wait for a node that is gone: nobody else would ever delete them. */
function homeless({ nodes, pods }: DaemonFacts): readonly Pod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const left = [...pods].filter(([node]) => !names.has(node)).flatMap(([, each]) => each);
  return left.filter((pod) => (pod.spec.nodeName ?? '') === '' && !isLeaving(pod));
}

export function decideRollout(facts: DaemonFacts): Omit<DaemonPlan, 'ended'> {
  const { set, nodes } = facts;
  if (set.spec.updateStrategy?.type !== 'RollingUpdate') return { create: [], remove: [] };
  const desired = nodes.filter((node) => decideNodeFit(set, node).shouldRun).length;
  const surge = maxSurge(set, desired);
  return surge === 0 ? replaceInPlace(facts, maxUnavailable(set, desired)) : replaceBeside(facts, surge, desired);
}

/** What is old and does not work goes at once; of what works, as many as may be missing. */
function replaceInPlace(facts: DaemonFacts, allowed: number): Omit<DaemonPlan, 'ended'> {
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const pods of facts.pods.values()) {
    const { updated, old } = pairOf(facts, pods);
    if (old !== undefined && updated === undefined && isAvailable(facts, old)) {
      candidates.push(old);
      continue;
    }
    if (old !== undefined && updated === undefined) broken.push(old);
    if (old !== undefined || updated === undefined || !isAvailable(facts, updated)) unavailable += 1;
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, allowed - unavailable))] };
}

/** A new pod beside the old one, which goes when the new one is available. */
function replaceBeside(facts: DaemonFacts, surge: number, desired: number): Omit<DaemonPlan, 'ended'> {
  const fitting = new Set(
    facts.nodes.filter((node) => decideNodeFit(facts.set, node).shouldRun).map(({ metadata }) => metadata.name),
  );
  const remove: Pod[] = [];
  const misplaced: Pod[] = [];
  const [urgent, candidates]: [string[], string[]] = [[], []];
  let [surging, available] = [0, 0];
  for (const [node, pods] of facts.pods) {
    const { updated, old } = pairOf(facts, pods);
    const shown = old ?? updated;
    if (shown !== undefined && isAvailable(facts, shown)) available += 1;
    if (old === undefined) continue;
    if (updated !== undefined) {
      if (isAvailable(facts, updated)) remove.push(old);
      else surging += 1;
    } else if (!fitting.has(node)) {
      (isAvailable(facts, old) ? misplaced : remove).push(old);
    } else {
      (isAvailable(facts, old) ? candidates : urgent).push(node);
    }
  }
  const spare = Math.max(0, available - desired);
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, surge - surging))],
    remove: [...remove, ...misplaced.slice(0, spare)],
  };
}

const isAvailable = ({ set, now }: DaemonFacts, pod: Pod): boolean =>
  isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now);

/** The oldest of each on one node. */
function pairOf(
  { set, hash }: DaemonFacts,
  pods: readonly Pod[],
): { readonly updated: Pod | undefined; readonly old: Pod | undefined } {
  const alive = pods.filter((pod) => !isLeaving(pod));
  return {
    updated: alive.find((pod) => isUpdated(pod, set, hash)),
    old: alive.find((pod) => !isUpdated(pod, set, hash)),
  };
}

function maxSurge({ spec }: DaemonSet, total: number): number {
  return spec.updateStrategy?.type === 'RollingUpdate' ? share(spec.updateStrategy.rollingUpdate?.maxSurge, total) : 0;
}

const maxUnavailable = ({ spec }: DaemonSet, total: number): number =>
  share(spec.updateStrategy?.rollingUpdate?.maxUnavailable, total);

/** A number as it is, or a share of the nodes, rounded up. */
const share = (value: number | string = 0, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
