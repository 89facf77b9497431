// What a budget says of its pods, from what is known of them. kubernetes:pkg/controller/disruption/disruption.go
import { type DurationMs, type InstantMs, MINUTE_MS, timestamp } from '../../base/clock.ts';
import type { Condition } from '../../kube/resources/meta.ts';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from '../../kube/resources/pod-disruption-budget.ts';

/** How long an evicted pod may take to be seen going. kubernetes:pkg/controller/disruption/disruption.go DeletionTimeout */
const DELETION_TIMEOUT_MS: DurationMs = 2 * MINUTE_MS;

export interface BudgetPod {
  readonly name: string;
  readonly isGoing: boolean;
  readonly isReady: boolean;
}

/** Whether the wanted replicas of the pods' controllers decide; a plain minimum counts the pods that are there. */
export function asksForScale({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === 'string';
}

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** `scale` counts only where `asksForScale`. */
export function decideExpectation(
  { minAvailable, maxUnavailable }: PodDisruptionBudgetSpec,
  count: { readonly pods: number; readonly scale: number },
): Expectation {
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, count.scale - scaled(maxUnavailable, count.scale));
    return { expectedPods: count.scale, desiredHealthy };
  }
  if (typeof minAvailable === 'string') {
    return { expectedPods: count.scale, desiredHealthy: scaled(minAvailable, count.scale) };
  }
  return minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: count.pods, desiredHealthy: minAvailable };
}

/** Percentages are rounded up. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/intstr/intstr.go */
function scaled(limit: number | string, total: number): number {
  if (typeof limit === 'number') return limit;
  const percent = /^(\d+)%$/.exec(limit)?.[1];
  if (percent === undefined) {
    throw new Error('invalid value for IntOrString: invalid type: string is not a percentage');
  }
  return Math.ceil((Number(percent) * total) / 100);
}

export interface Disruptions {
  /** Pods that were evicted and are not yet seen going, with the time of their eviction. */
  readonly disruptedPods: Readonly<Record<string, string>>;
  /** Pods that were evicted too long ago and are still here. */
  readonly notDeleted: readonly string[];
  /** When the first of them has been waited for long enough. */
  readonly recheckAt: InstantMs | undefined;
}

export function decideDisruptions(
  { disruptedPods = {} }: PodDisruptionBudgetStatus,
  pods: readonly BudgetPod[],
  now: InstantMs,
): Disruptions {
  const kept: Record<string, string> = {};
  const notDeleted: string[] = [];
  let recheckAt: InstantMs | undefined;
  for (const { name, isGoing } of pods) {
    const disruptedAt = disruptedPods[name];
    if (isGoing || disruptedAt === undefined) continue;
    const expectedAt = Date.parse(disruptedAt) + DELETION_TIMEOUT_MS;
    if (expectedAt < now) notDeleted.push(name);
    else {
      kept[name] = disruptedAt;
      recheckAt = Math.min(recheckAt ?? expectedAt, expectedAt);
    }
  }
  return { disruptedPods: kept, notDeleted, recheckAt };
}

export function countHealthy(
  pods: readonly BudgetPod[],
  disruptedPods: Readonly<Record<string, string>>,
  now: InstantMs,
): number {
  const isExpectedToGo = (name: string): boolean => {
    const disruptedAt = disruptedPods[name];
    return disruptedAt !== undefined && Date.parse(disruptedAt) + DELETION_TIMEOUT_MS > now;
  };
  return pods.filter(({ name, isGoing, isReady }) => isReady && !isGoing && !isExpectedToGo(name)).length;
}

export interface BudgetFacts extends Expectation {
  readonly currentHealthy: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
}

/** A budget that expects no pods allows nothing, so that its first pods are safe before it was counted again. */
export function decideStatus(
  budget: PodDisruptionBudget,
  facts: BudgetFacts,
  now: InstantMs,
): PodDisruptionBudgetStatus {
  const { expectedPods, desiredHealthy, currentHealthy, disruptedPods } = facts;
  const { generation } = budget.metadata;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const [status, reason] = disruptionsAllowed > 0 ? ['True', 'SufficientPods'] : ['False', 'InsufficientPods'];
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return {
    ...observed,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: withCondition(budget.status.conditions, { status, reason, message: '', ...observed }, now),
  };
}

/** What could not be counted allows nothing; all other figures stay. */
export function failedStatus(
  { status }: PodDisruptionBudget,
  message: string,
  now: InstantMs,
): PodDisruptionBudgetStatus {
  const { observedGeneration } = status;
  const observed = observedGeneration === undefined ? {} : { observedGeneration };
  const condition = { status: 'False', reason: 'SyncFailed', message, ...observed };
  return { ...status, disruptionsAllowed: 0, conditions: withCondition(status.conditions, condition, now) };
}

function withCondition(
  conditions: readonly Condition[] = [],
  wanted: Pick<Condition, 'status' | 'reason' | 'message' | 'observedGeneration'>,
  now: InstantMs,
): readonly Condition[] {
  const type = 'DisruptionAllowed';
  const before = conditions.find((each) => each.type === type);
  const isKept = before?.status === wanted.status;
  const lastTransitionTime = isKept ? before.lastTransitionTime : timestamp(now);
  const condition: Condition = { type, lastTransitionTime, ...wanted };
  if (before === undefined) return [...conditions, condition];
  return conditions.map((each) => (each === before ? condition : each));
}

/** Whether a status says the same. Texts and generations of conditions alone are no reason to write. */
export function isUpToDate(budget: PodDisruptionBudget, wanted: PodDisruptionBudgetStatus): boolean {
  const { status, metadata } = budget;
  const figures = ['currentHealthy', 'desiredHealthy', 'expectedPods', 'disruptionsAllowed'] as const;
  return (
    figures.every((name) => status[name] === wanted[name]) &&
    sameTimes(status.disruptedPods, wanted.disruptedPods) &&
    status.observedGeneration === metadata.generation &&
    sameVerdict(status.conditions, wanted.conditions)
  );
}

function sameTimes(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function sameVerdict(a: readonly Condition[] = [], b: readonly Condition[] = []): boolean {
  const [before, after] = [a, b].map((conditions) => conditions.find(({ type }) => type === 'DisruptionAllowed'));
  return before !== undefined && before.status === after?.status && before.reason === after?.reason;
}
