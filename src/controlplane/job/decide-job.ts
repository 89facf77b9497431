// What a Job comes to, and which pods it makes and deletes on its way.
// kubernetes:pkg/controller/job/job_controller.go#syncJob, #manageJob
import { type DurationMs, type InstantMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { isPodReady, isPodTerminating } from '../../kube/pod-readiness.ts';
import type { Job, JobCondition } from '../../kube/resources/job.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type Tally, hasFailed, hasSucceeded, indexOf, isIndexed } from './job-pods.ts';

/** Pods made or deleted in one pass. kubernetes:pkg/controller/job/job_controller.go */
const BURST = 500;
/** After the first failure, then twice as long each time. kubernetes:pkg/controller/job/job_controller.go */
const FAILURE_BACKOFF_MS = 10 * SECOND_MS;
const FAILURE_BACKOFF_MS_MAX = 10 * MINUTE_MS;

export interface JobFacts {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly now: InstantMs;
}

export interface JobEnd {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export type JobDecision =
  /** No pod of it is to run any more. */
  | { readonly type: 'end'; readonly end: JobEnd }
  | { readonly type: 'remove'; readonly pods: readonly Pod[] }
  /** One pod each; of an indexed Job with its index. */
  | { readonly type: 'create'; readonly indexes: readonly (number | undefined)[] }
  | { readonly type: 'wait'; readonly after?: DurationMs };

export const isFinished = ({ status }: Job): boolean => (status.conditions ?? []).some(isTrueOf('Complete', 'Failed'));
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;

const isTrueOf =
  (...types: readonly string[]) =>
  ({ type, status }: JobCondition): boolean =>
    status === 'True' && types.includes(type);

export function decideJob(facts: JobFacts): JobDecision {
  const end = decidedEnd(facts.job) ?? decideFailure(facts) ?? decideSuccess(facts);
  if (end !== undefined) return { type: 'end', end };
  const { job, tally } = facts;
  if (isSuspended(job)) return tally.active.length > 0 ? { type: 'remove', pods: tally.active } : { type: 'wait' };
  const wanted = wantedActive(job, tally);
  const excess = leastUseful(facts, wanted);
  if (excess.length > 0) return { type: 'remove', pods: excess };
  return decideCreation(facts, wanted);
}

/** What an earlier pass has decided stays decided. */
function decidedEnd({ status }: Job): JobEnd | undefined {
  const target = (status.conditions ?? []).find(isTrueOf('SuccessCriteriaMet', 'FailureTarget'));
  if (target === undefined) return undefined;
  const { type, reason = '', message = '' } = target;
  return { type: type === 'FailureTarget' ? 'Failed' : 'Complete', reason, message };
}

function decideFailure({ job, pods, tally, now }: JobFacts): JobEnd | undefined {
  const { backoffLimit = 6 } = job.spec;
  if (tally.failed > backoffLimit || hasRestartedTooOften(job, pods)) {
    const message = 'Job has reached the specified backoff limit';
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message };
  }
  if ((deadlineAfter(job, now) ?? 1) > 0) return undefined;
  const message = 'Job was active longer than specified deadline';
  return { type: 'Failed', reason: 'DeadlineExceeded', message };
}

/** Until the Job has been active for too long; undefined if there is no such time. */
export function deadlineAfter(job: Job, now: InstantMs): DurationMs | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const { startTime } = job.status;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * SECOND_MS - now;
}

function hasRestartedTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const { backoffLimit = 6 } = spec;
  const restarts = pods
    .filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending')
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function decideSuccess({ job, tally }: JobFacts): JobEnd | undefined {
  const { completions } = job.spec;
  const isEnough = completions === undefined ? tally.succeeded > 0 : tally.succeeded >= completions;
  if (!isEnough || tally.active.length > 0) return undefined;
  return {
    type: 'Complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
}

function wantedActive({ spec }: Job, { active, succeeded }: Tally): number {
  const { parallelism = 1, completions } = spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Pods beyond the wanted number: those whose index is done or taken first, then those that are not ready, then the newest. */
function leastUseful({ job, tally }: JobFacts, wanted: number): readonly Pod[] {
  const taken = new Set(tally.succeededIndexes);
  const [kept, useless]: [Pod[], Pod[]] = [[], []];
  for (const pod of tally.active) {
    const index = indexOf(pod, job);
    const isUseless = isIndexed(job) && (index === undefined || taken.has(index));
    if (index !== undefined) taken.add(index);
    (isUseless ? useless : kept).push(pod);
  }
  const order = kept.toSorted(
    (a, b) =>
      Number(isPodReady(a)) - Number(isPodReady(b)) ||
      (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1),
  );
  const excess = Math.max(0, kept.length - wanted);
  return [...useless, ...order.slice(0, excess)].slice(0, BURST);
}

function decideCreation({ job, pods, tally, now }: JobFacts, wanted: number): JobDecision {
  const held = job.spec.podReplacementPolicy === 'Failed' ? pods.filter(isPodTerminating) : [];
  const missing = Math.min(wanted - held.length - tally.active.length, BURST);
  if (missing <= 0) return { type: 'wait' };
  const after = backoffAfter(job, pods, now);
  if (after > 0) return { type: 'wait', after };
  if (!isIndexed(job)) return { type: 'create', indexes: Array.from({ length: missing }, () => undefined) };
  const taken = new Set([...tally.succeededIndexes, ...[...tally.active, ...held].map((pod) => indexOf(pod, job))]);
  const free = Array.from({ length: job.spec.completions ?? 0 }, (_, index) => index).filter(
    (each) => !taken.has(each),
  );
  return { type: 'create', indexes: free.slice(0, missing) };
}

/** Failures in a row, since the last success, make the next pod wait. */
function backoffAfter(job: Job, pods: readonly Pod[], now: InstantMs): DurationMs {
  const lastSuccess = Math.max(0, ...pods.filter(hasSucceeded).map(endOf));
  const failures = pods.filter((pod) => hasFailed(pod, job)).map(endOf);
  const inRow = failures.filter((at) => at > lastSuccess);
  if (inRow.length === 0) return 0;
  const backoff = Math.min(FAILURE_BACKOFF_MS * 2 ** (inRow.length - 1), FAILURE_BACKOFF_MS_MAX);
  return Math.max(0, Math.max(...inRow) + backoff - now);
}

/** When the last of its containers ended; for one that says nothing, when it was deleted or made. */
function endOf({ metadata, status }: Pod): InstantMs {
  const ends = (status.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const last = ends.toSorted().at(-1) ?? metadata.deletionTimestamp ?? metadata.creationTimestamp;
  return Date.parse(last);
}
