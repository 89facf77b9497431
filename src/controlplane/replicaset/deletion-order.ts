// Which pods of a set that has too many go first: those that are least far, and of those that are equally far the ones
// that share their node with the most siblings. kubernetes:pkg/controller/controller_utils.go#ActivePodsWithRanks
import type { InstantMs } from '../../base/clock.ts';
import { isPodActive, isPodReady, podReadyAt } from '../../kube/pod-readiness.ts';
import type { Pod } from '../../kube/resources/pod.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const NANOSECONDS = 1e6;

export interface DeletionFacts {
  /** The pods of the set, all active. */
  readonly pods: readonly Pod[];
  /** The pods of all sets of the same owner, this one's included. */
  readonly related: Iterable<Pod>;
  readonly count: number;
  readonly now: InstantMs;
}

/** The first comes first. Where nothing tells two pods apart their uids do. */
export function decideDeletions({ pods, related, count, now }: DeletionFacts): readonly Pod[] {
  if (count >= pods.length) return pods;
  const siblingsOn = new Map<string, number>();
  for (const pod of related) {
    const { nodeName = '' } = pod.spec;
    if (isPodActive(pod)) siblingsOn.set(nodeName, (siblingsOn.get(nodeName) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rank(pod, siblingsOn.get(pod.spec.nodeName ?? '') ?? 0, now));
  return ranked
    .toSorted(compareRanks)
    .slice(0, count)
    .map(({ pod }) => pod);
}

interface Ranked {
  readonly pod: Pod;
  /** Smaller goes first; compared from left to right. */
  readonly places: readonly number[];
  readonly readyFor: Age;
  readonly restarts: readonly number[];
  readonly createdFor: Age;
}

/** How long ago; the logarithm is what is compared, so that pods of about the same age count as equal. */
interface Age {
  readonly at: InstantMs | undefined;
  readonly magnitude: number;
}

function rank(pod: Pod, siblings: number, now: InstantMs): Ranked {
  const { nodeName = '' } = pod.spec;
  return {
    pod,
    places: [
      nodeName === '' ? 0 : 1,
      PHASE_ORDER[pod.status.phase ?? ''] ?? 0,
      isPodReady(pod) ? 1 : 0,
      deletionCostOf(pod),
      -siblings,
    ],
    readyFor: ageOf(podReadyAt(pod), now),
    restarts: restartsOf(pod).map((count) => -count),
    createdFor: ageOf(Date.parse(pod.metadata.creationTimestamp), now),
  };
}

function compareRanks(left: Ranked, right: Ranked): number {
  return (
    compareLists(left.places, right.places) ||
    (isPodReady(left.pod) ? compareAges('readyFor', left, right) : 0) ||
    compareLists(left.restarts, right.restarts) ||
    compareAges('createdFor', left, right) ||
    compareUids(left, right)
  );
}

function compareLists(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((each, at) => each !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

/** The younger goes first; an unknown age is the youngest. Ages of one magnitude are told apart by uid, at random. */
function compareAges(which: 'readyFor' | 'createdFor', left: Ranked, right: Ranked): number {
  const [a, b] = [left[which], right[which]];
  if (a.at === b.at) return 0;
  if (a.at === undefined) return -1;
  if (b.at === undefined) return 1;
  return a.magnitude - b.magnitude || compareUids(left, right);
}

const compareUids = (left: Ranked, right: Ranked): number =>
  left.pod.metadata.uid < right.pod.metadata.uid ? -1 : left.pod.metadata.uid > right.pod.metadata.uid ? 1 : 0;

function ageOf(at: InstantMs | undefined, now: InstantMs): Age {
  if (at === undefined || Number.isNaN(at)) return { at: undefined, magnitude: -1 };
  return { at, magnitude: now > at ? Math.trunc(Math.log2((now - at) * NANOSECONDS)) : -1 };
}

/** A number that is not written as one counts as none. kubernetes:pkg/apis/core/helper/helpers.go */
function deletionCostOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '';
  const cost = /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) > 2 ** 31 - 1 ? 0 : cost;
}

/** The most restarts of any container, then of any sidecar. */
function restartsOf({ spec, status }: Pod): readonly number[] {
  const most = (counts: readonly number[]): number => Math.max(0, ...counts);
  const sidecars = new Set(
    spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const ofSidecars = status.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? [];
  return [
    most((status.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    most(ofSidecars.map(({ restartCount }) => restartCount)),
  ];
}
