import { describe, expect, test } from 'vitest';
import { NOW, type PodParts, aMember, ago } from '../../../test/workloads/makers.ts';
import type { Job, JobSpec, JobStatus } from '../../kube/resources/job.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type JobDecision, decideJob } from './decide-job.ts';
import { formatIndexes, parseIndexes, tallyOf } from './job-pods.ts';

const aJob = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: ago(60) },
  spec: {
    template: { metadata: {}, spec: { containers: [] } },
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    ...spec,
  },
  status,
});
const { completions: _none, ...uncounted } = aJob({ parallelism: 2 }).spec;
const ANY_NUMBER: Job = { ...aJob(), spec: uncounted };
const pod = (name: string, parts: PodParts = {}, index?: number): Pod => {
  const made = aMember(name, { createdAgo: 60, ...parts });
  const annotations = index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(index) };
  return { ...made, metadata: { ...made.metadata, annotations, finalizers: ['batch.kubernetes.io/job-tracking'] } };
};
const decide = (job: Job, pods: readonly Pod[] = []): JobDecision =>
  decideJob({ job, pods, tally: tallyOf(job, pods), now: NOW });

const RUNNING = pod('a');
const DONE = pod('b', { phase: 'Succeeded', readyFor: undefined });
const FAILED = pod('c', { phase: 'Failed', readyFor: undefined });
const once = { type: 'create', indexes: [undefined] };
const WAIT = { type: 'wait' };
const end = (type: string, reason: string) => ({ type: 'end', end: expect.objectContaining({ type, reason }) });
const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

describe('P-JOB-2 decideJob', () => {
  test.each([
    ['no pod                          -> one', aJob(), [], once],
    ['one runs                        -> wait', aJob(), [RUNNING], WAIT],
    ['one is done                     -> complete', aJob(), [DONE], end('Complete', 'CompletionsReached')],
    ['one of two is done              -> the next', aJob({ completions: 2 }), [DONE], once],
    ['one too many runs               -> one goes', aJob(), [RUNNING, pod('d')], { type: 'remove', pods: [pod('d')] }],
    [
      'one failed just now             -> wait 10 s',
      aJob(),
      [pod('c', { phase: 'Failed', createdAgo: 0 })],
      { type: 'wait', after: 10_000 },
    ],
    ['one failed long ago             -> another', aJob(), [FAILED], once],
    [
      'one more failed than may        -> failed',
      aJob({ backoffLimit: 0 }),
      [FAILED],
      end('Failed', 'BackoffLimitExceeded'),
    ],
    ['failed ones counted before      -> failed', aJob({}, { failed: 7 }), [], end('Failed', 'BackoffLimitExceeded')],
    [
      'past its deadline               -> failed',
      aJob({ activeDeadlineSeconds: 5 }, { startTime: ago(5) }),
      [RUNNING],
      end('Failed', 'DeadlineExceeded'),
    ],
    [
      'suspended, past its deadline    -> its pod goes',
      aJob({ activeDeadlineSeconds: 5, suspend: true }, { startTime: ago(9) }),
      [RUNNING],
      { type: 'remove', pods: [RUNNING] },
    ],
    ['suspended                       -> no pod', aJob({ suspend: true }), [], WAIT],
    [
      'no number of completions        -> as many as at a time',
      ANY_NUMBER,
      [],
      { type: 'create', indexes: [undefined, undefined] },
    ],
    ['no number, one done, one runs   -> wait', ANY_NUMBER, [DONE, RUNNING], WAIT],
    [
      'deleted by somebody             -> replaced at once, as failed',
      aJob(),
      [pod('a', { deleting: true, createdAgo: 60 })],
      once,
    ],
    [
      'deleted, replaced when failed   -> wait',
      aJob({ podReplacementPolicy: 'Failed' }),
      [pod('a', { deleting: true })],
      WAIT,
    ],
    [
      'indexes                         -> those that are free',
      aJob(INDEXED, { completedIndexes: '1' }),
      [pod('a', {}, 0)],
      { type: 'create', indexes: [2] },
    ],
    [
      'the same index twice            -> one goes',
      aJob(INDEXED),
      [pod('a', {}, 0), pod('d', {}, 0)],
      { type: 'remove', pods: [pod('d', {}, 0)] },
    ],
    [
      'decided before                  -> stays so',
      aJob({}, { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'r' }] }),
      [DONE],
      end('Failed', 'r'),
    ],
  ])('%s', (_situation, job, pods, expected) => {
    expect(decide(job, pods)).toEqual(expected);
  });
});

test.each([
  ['', []],
  ['4', [4]],
  ['0,1', [0, 1]],
  ['0-2,5', [0, 1, 2, 5]],
])('P-JOB-6 %j -> the indexes, and back', (text, indexes) => {
  expect(parseIndexes(text)).toEqual(indexes);
  expect(formatIndexes(indexes)).toBe(text);
});
