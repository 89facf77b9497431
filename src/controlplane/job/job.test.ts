import { describe, expect, test } from 'vitest';
import { type WorkloadWorld, podTemplate, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type Job, type JobSpec, Jobs } from '../../kube/resources/job.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { jobController } from './job.ts';

const KEY = 'default/work';
const template = podTemplate('work');
const draft = (spec: Partial<JobSpec> = {}): Draft<Job> => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default' },
  spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }, ...spec },
});

async function start(spec: Partial<JobSpec> = {}): Promise<WorkloadWorld> {
  const run = await workloadWorld([jobController()], { hasAllKinds: true });
  await run.world.user.create(Jobs, draft(spec));
  await run.wait(SECOND_MS);
  return run;
}

const job = ({ world }: WorkloadWorld): Promise<Job> => world.user.get(Jobs, KEY);
const running = async (run: WorkloadWorld): Promise<readonly string[]> =>
  (await run.world.user.list(Pods)).items
    .filter(({ status, metadata }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
const conditions = async (run: WorkloadWorld): Promise<readonly string[]> =>
  ((await job(run)).status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason ?? ''}`);

async function endAll(run: WorkloadWorld, phase: 'Failed' | 'Succeeded', waitMs = SECOND_MS): Promise<void> {
  for (const name of await running(run)) await run.end(name, phase);
  await run.wait(waitMs);
}

describe('a Job', () => {
  test('P-JOB-1 its pod succeeds -> complete, counted once, and the pod may go', async () => {
    const run = await start();
    expect((await job(run)).status).toMatchObject({ active: 1, ready: 1, uncountedTerminatedPods: {} });
    await endAll(run, 'Succeeded');
    const { status } = await job(run);
    expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status.active).toBeUndefined();
    expect(status.completionTime).toBeDefined();
    expect(await conditions(run)).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
    const [pod] = (await run.world.user.list(Pods)).items;
    expect(pod?.metadata.finalizers).toBeUndefined();
    expect((await run.world.events()).map((text) => text.split(' ').slice(0, 3).join(' '))).toEqual([
      'Normal Completed Job/default/work',
      'Normal SuccessfulCreate Job/default/work',
    ]);
  });

  test('P-JOB-2 five in all, two at a time -> never more, and no sixth', async () => {
    const run = await start({ completions: 5, parallelism: 2 });
    for (const expected of [2, 2, 1]) {
      expect(await running(run)).toHaveLength(expected);
      await endAll(run, 'Succeeded');
    }
    expect((await job(run)).status.succeeded).toBe(5);
    expect((await run.world.user.list(Pods)).items).toHaveLength(5);
  });

  test('P-JOB-3 pods fail -> tried again after 10 s, 20 s, and given up beyond the limit', async () => {
    const run = await start({ backoffLimit: 2 });
    await endAll(run, 'Failed', 8 * SECOND_MS);
    expect(await running(run)).toHaveLength(0);
    await run.wait(3 * SECOND_MS);
    expect(await running(run)).toHaveLength(1);
    await endAll(run, 'Failed', 16 * SECOND_MS);
    expect(await running(run)).toHaveLength(0);
    await run.wait(15 * SECOND_MS);
    await endAll(run, 'Failed');
    expect((await job(run)).status.failed).toBe(3);
    expect(await conditions(run)).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ]);
    await run.wait(MINUTE_MS);
    expect(await running(run)).toHaveLength(0);
  });

  test('P-JOB-4 active for too long -> its pods are deleted and it has failed', async () => {
    const run = await start({ activeDeadlineSeconds: 30 });
    await run.wait(31 * SECOND_MS);
    expect(await run.pods()).toEqual([]);
    expect(await conditions(run)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
  });

  test('P-JOB-5 suspended -> its pods go, uncounted; resumed -> they come again', async () => {
    const run = await start({ parallelism: 2, completions: 2 });
    const suspend = (value: boolean): Promise<unknown> =>
      run.world.user.patch(Jobs, KEY, { type: 'merge', body: { spec: { suspend: value } } });
    await suspend(true);
    await run.wait(SECOND_MS);
    expect(await run.pods()).toEqual([]);
    expect(await conditions(run)).toEqual(['Suspended=True JobSuspended']);
    await suspend(false);
    await run.wait(SECOND_MS);
    expect(await running(run)).toHaveLength(2);
    expect(await conditions(run)).toEqual(['Suspended=False JobResumed']);
    expect((await job(run)).status.failed).toBeUndefined();
  });

  test('P-JOB-6 indexed -> each index once; one that fails is made again', async () => {
    const run = await start({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
    const pods = await running(run);
    expect(pods.map((name) => name.replace(/-\w+$/, '')).toSorted()).toEqual(['work-0', 'work-1', 'work-2']);
    for (const name of pods) await run.end(name, name.startsWith('work-1-') ? 'Failed' : 'Succeeded');
    await run.wait(20 * SECOND_MS);
    expect((await job(run)).status).toMatchObject({ completedIndexes: '0,2', succeeded: 2, failed: 1 });
    expect((await running(run)).map((name) => name.slice(0, 7))).toEqual(['work-1-']);
    await endAll(run, 'Succeeded');
    expect((await job(run)).status).toMatchObject({ completedIndexes: '0-2', succeeded: 3 });
  });

  test('P-JOB-7 the Job is deleted -> no pod waits for ever to be counted', async () => {
    const run = await start();
    const [name = ''] = await running(run);
    await run.world.user.delete(Jobs, KEY, { propagationPolicy: 'Background' });
    await run.wait(SECOND_MS);
    expect((await run.pod(name)).metadata.finalizers).toBeUndefined();
  });

  test.each([15, 40, 65, 90, 115, 140])(
    'P-JOB-1 the controller is killed %d ms after pods ended, and started again -> each is counted once',
    async (killAfterMs) => {
      const run = await workloadWorld([], { hasAllKinds: true, requestMs: 20 });
      const kill = run.start(jobController());
      await run.world.user.create(Jobs, draft({ completions: 3, parallelism: 3 }));
      await run.wait(5 * SECOND_MS);
      await endAll(run, 'Succeeded', killAfterMs);
      kill();
      run.start(jobController());
      await run.wait(MINUTE_MS);
      expect((await job(run)).status.succeeded).toBe(3);
      expect((await run.world.user.list(Pods)).items).toHaveLength(3);
    },
  );
});
