// Whether making room would help, and where: pods of lower priority may be removed from one node. Budgets against
// disruption are not weighed, and pods whose binding is still under way are left alone.
// kubernetes:pkg/scheduler/framework/preemption, pkg/scheduler/framework/plugins/defaultpreemption
import type { Pod } from '../../kube/resources/pod.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { type Diagnosis, type FitQuestion, checkAltered } from './find-nodes.ts';
import { reasonsMessage } from './fit-message.ts';
import type { NodeInfo } from './node-info.ts';
import { priorityOf } from './nominations.ts';
import { alteredPlacement } from './placement.ts';
import { type Rejection, type Status, unresolvable } from './status.ts';

export interface Candidate {
  readonly node: string;
  /** The most important first; at least one. */
  readonly victims: readonly [Pod, ...Pod[]];
}
export type Preemption =
  | { readonly type: 'preempt'; readonly candidate: Candidate }
  /** `clears` takes back an earlier nomination. */
  | { readonly type: 'unhelpful'; readonly message: string; readonly clears: boolean };

export interface PreemptionQuestion extends Pick<FitQuestion, 'pod' | 'plugins' | 'cluster'> {
  readonly diagnosis: Diagnosis;
  /** Pods that may not be removed. */
  readonly isSpared: (pod: Pod) => boolean;
}

const NOT_HELPFUL = unresolvable('Preemption is not helpful for scheduling');
const NO_VICTIMS = unresolvable('No preemption victims found for incoming pod');

export function decidePreemption(question: PreemptionQuestion): Preemption {
  const { pod, diagnosis, cluster } = question;
  const ineligible = refusePreemption(pod, diagnosis, cluster);
  if (ineligible !== undefined) return { type: 'unhelpful', message: ineligible, clears: false };
  const candidates: Candidate[] = [];
  const refused = new Map<string, Rejection>();
  for (const [name, { type }] of diagnosis.nodes) {
    const node = cluster.placement.node(name);
    if (type !== 'unschedulable' || node === undefined) continue;
    const found = findVictims(question, node);
    if (found.type === 'candidate') candidates.push(found.candidate);
    else if (found.type !== 'error' && found.type !== 'success') refused.set(name, found);
  }
  const [best] = candidates.toSorted(compareCandidates);
  if (best !== undefined) return { type: 'preempt', candidate: best };
  const { nodeCount } = diagnosis;
  return {
    type: 'unhelpful',
    message: reasonsMessage({ nodeCount, nodes: refused, others: NOT_HELPFUL }),
    clears: true,
  };
}

function refusePreemption(pod: Pod, diagnosis: Diagnosis, { placement }: ClusterSnapshot): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.status.nominatedNodeName ?? '';
  if (nominated === '' || diagnosis.nodes.get(nominated)?.type === 'unresolvable') return undefined;
  const leaving = [...(placement.node(nominated)?.pods.values() ?? [])].some(
    (other) => priorityOf(other) < priorityOf(pod) && isLeavingByPreemption(other),
  );
  return leaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

const isLeavingByPreemption = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp !== undefined &&
  (pod.status.conditions ?? []).some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  );

type Victims = { readonly type: 'candidate'; readonly candidate: Candidate } | Status;

/** First without all that may go, then giving back as many as possible, the most important first. */
function findVictims(question: PreemptionQuestion, node: NodeInfo): Victims {
  const { pod, isSpared } = question;
  const removable = [...node.pods.values()]
    .filter((other) => priorityOf(other) < priorityOf(pod) && !isSpared(other))
    .toSorted(compareImportance);
  if (removable.length === 0) return NO_VICTIMS;
  const emptied = checkWithout(question, node, removable);
  if (emptied.type !== 'success') return emptied;
  let victims: readonly Pod[] = removable;
  for (const other of removable) {
    const fewer = victims.filter((victim) => victim !== other);
    if (checkWithout(question, node, fewer).type === 'success') victims = fewer;
  }
  const [first, ...rest] = victims;
  if (first === undefined) return emptied;
  return { type: 'candidate', candidate: { node: node.name, victims: [first, ...rest] } };
}

function checkWithout(question: PreemptionQuestion, { name }: NodeInfo, without: readonly Pod[]): Status {
  const placement = alteredPlacement(question.cluster.placement, { node: name, without });
  return checkAltered(question, { ...question.cluster, placement }, name).status;
}

/** Higher priority, then the longer running. */
function compareImportance(one: Pod, other: Pod): number {
  const byPriority = priorityOf(other) - priorityOf(one);
  return byPriority === 0 ? compareTexts(startOf(one), startOf(other)) : byPriority;
}

/** A pod that has not started is the newest. */
const startOf = (pod: Pod): string => pod.status.startTime ?? '~';
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The cheapest loss first: lowest highest priority, lowest sum, fewest victims, latest start, then the name. */
function compareCandidates(one: Candidate, other: Candidate): number {
  const [a, b] = [one.victims, other.victims];
  return (
    priorityOf(a[0]) - priorityOf(b[0]) ||
    sumOfPriorities(a) - sumOfPriorities(b) ||
    a.length - b.length ||
    compareTexts(earliestStart(b), earliestStart(a)) ||
    compareTexts(one.node, other.node)
  );
}

/** Shifted, so that many victims of negative priority do not look cheap. */
const PRIORITY_SHIFT = 2 ** 31;
const sumOfPriorities = (victims: readonly Pod[]): number =>
  victims.reduce((sum, victim) => sum + priorityOf(victim) + PRIORITY_SHIFT, 0);

function earliestStart(victims: readonly [Pod, ...Pod[]]): string {
  const highest = priorityOf(victims[0]);
  const [first = ''] = victims
    .filter((victim) => priorityOf(victim) === highest)
    .map(startOf)
    .toSorted();
  return first;
}
