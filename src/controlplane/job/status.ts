// What a Job says of itself. Ended pods are first noted by uid, then their finalizers go, then they are counted: whatever is
// interrupted in between, no pod is counted twice and none is missed.
// kubernetes:pkg/controller/job/job_controller.go#trackJobStatusAndRemoveFinalizers
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { Job, JobCondition, JobStatus } from '../../kube/resources/job.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type JobEnd, isSuspended } from './decide-job.ts';
import { type Tally, formatIndexes, hasSucceeded, isIndexed, isTracked } from './job-pods.ts';

export interface StatusFacts {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly end: JobEnd | undefined;
  readonly now: InstantMs;
}

/** Before finalizers go: counts of living pods, uids of ended ones, and what the Job will come to. */
export function notedStatus({ job, pods, tally, end, now }: StatusFacts): JobStatus {
  const { status } = job;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uids = (ended: readonly Pod[]): readonly string[] => ended.map(({ metadata }) => metadata.uid);
  // Of a Job that has failed every pod that is left has failed.
  const newlyFailed =
    end?.type === 'Failed' ? pods.filter((pod) => isTracked(pod) && !hasSucceeded(pod)) : tally.newlyFailed;
  const noted = [...new Set([...failed, ...uids(newlyFailed)])];
  const counted = isIndexed(job) ? succeeded : [...succeeded, ...uids(tally.newlySucceeded)];
  const { startTime, ...rest } = withoutCounts(status);
  const started = startTime ?? (isSuspended(job) ? undefined : timestamp(now));
  const conditions = conditionsOf(job, end, now);
  const resumedAt = isResumed(status.conditions ?? [], conditions) ? timestamp(now) : started;
  return {
    ...rest,
    ...(resumedAt === undefined ? {} : { startTime: resumedAt }),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...nonZero({ active: tally.active.length }),
    ...nonZero({ succeeded: isIndexed(job) ? tally.succeeded : (status.succeeded ?? 0) }),
    ...nonZero({ failed: status.failed ?? 0 }),
    ready: tally.ready,
    terminating: tally.terminating,
    ...(isIndexed(job) && tally.succeeded > 0 ? { completedIndexes: formatIndexes(tally.succeededIndexes) } : {}),
    uncountedTerminatedPods: listsOf(counted, noted),
  };
}

function withoutCounts(status: JobStatus): Omit<JobStatus, 'active' | 'succeeded' | 'failed' | 'conditions'> {
  const { active: _active, succeeded: _succeeded, failed: _failed, conditions: _conditions, ...rest } = status;
  return rest;
}

/** Zeros are left out, as Go does. */
type Counts = { readonly [Name in 'active' | 'succeeded' | 'failed']?: number };
const nonZero = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

const listsOf = (
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus['uncountedTerminatedPods']> => ({
  ...(succeeded.length === 0 ? {} : { succeeded }),
  ...(failed.length === 0 ? {} : { failed }),
});

/** After finalizers went: noted pods that have none any more are counted, and a Job without living pods has ended. */
export function countedStatus(
  status: JobStatus,
  tracked: ReadonlySet<string>,
  end: JobEnd | undefined,
  now: InstantMs,
): JobStatus {
  const { uncountedTerminatedPods = {}, succeeded = 0, failed = 0, ...rest } = status;
  const { succeeded: notedSucceeded = [], failed: notedFailed = [] } = uncountedTerminatedPods;
  const left = (uids: readonly string[]): readonly string[] => uids.filter((uid) => tracked.has(uid));
  const [waitingSucceeded, waitingFailed] = [left(notedSucceeded), left(notedFailed)];
  const counted: JobStatus = {
    ...rest,
    ...nonZero({ succeeded: succeeded + notedSucceeded.length - waitingSucceeded.length }),
    ...nonZero({ failed: failed + notedFailed.length - waitingFailed.length }),
    uncountedTerminatedPods: listsOf(waitingSucceeded, waitingFailed),
  };
  const isOver = waitingSucceeded.length + waitingFailed.length + (status.terminating ?? 0) === 0;
  if (end === undefined || !isOver) return counted;
  const last = condition(end.type, end, now);
  return {
    ...counted,
    conditions: [...(status.conditions ?? []), last],
    ...(end.type === 'Complete' ? { completionTime: timestamp(now) } : {}),
  };
}

const condition = (
  type: string,
  { reason, message }: Pick<JobCondition, 'reason' | 'message'>,
  now: InstantMs,
  status = 'True',
): JobCondition => ({
  type,
  status,
  lastProbeTime: timestamp(now),
  lastTransitionTime: timestamp(now),
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

const SUSPENDED = { reason: 'JobSuspended', message: 'Job suspended' };
const RESUMED = { reason: 'JobResumed', message: 'Job resumed' };

function conditionsOf(job: Job, end: JobEnd | undefined, now: InstantMs): readonly JobCondition[] {
  const { conditions = [] } = job.status;
  if (end !== undefined) {
    const type = end.type === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';
    return conditions.some((each) => each.type === type) ? conditions : [...conditions, condition(type, end, now)];
  }
  const known = conditions.find(({ type }) => type === 'Suspended');
  const wanted = isSuspended(job) ? 'True' : 'False';
  if ((known?.status ?? 'False') === wanted) return conditions;
  const changed = condition('Suspended', isSuspended(job) ? SUSPENDED : RESUMED, now, wanted);
  return [...conditions.filter((each) => each !== known), changed];
}

/** undefined: nothing changed. */
export function suspensionChange(
  before: readonly JobCondition[] = [],
  after: readonly JobCondition[] = [],
): 'Suspended' | 'Resumed' | undefined {
  const of = (conditions: readonly JobCondition[]): string =>
    conditions.find(({ type }) => type === 'Suspended')?.status ?? 'False';
  if (of(before) === of(after)) return undefined;
  return of(after) === 'True' ? 'Suspended' : 'Resumed';
}

const isResumed = (before: readonly JobCondition[], after: readonly JobCondition[]): boolean =>
  suspensionChange(before, after) === 'Resumed';
