import { describe, expect, test } from 'vitest';
import { type WorkloadWorld, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { type DaemonSet, DaemonSets } from '../../kube/resources/daemon-set.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { daemonSetController } from './daemonset.ts';
import { targetOf } from './daemon-pods.ts';

const SET: Draft<DaemonSet> = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } },
  },
};
const KEY = 'default/agent';

async function start(): Promise<WorkloadWorld> {
  const run = await workloadWorld([daemonSetController()], { hasAllKinds: true });
  for (const name of ['a', 'b', 'c']) await addNode(run, name);
  await run.world.user.create(DaemonSets, SET);
  await run.wait(SECOND_MS);
  return run;
}

const addNode = (run: WorkloadWorld, name: string): Promise<unknown> =>
  run.world.user.create(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });

const places = async ({ world }: WorkloadWorld): Promise<readonly string[]> =>
  (await world.user.list(Pods)).items.map((pod) => targetOf(pod) ?? '').toSorted();

const revisions = async ({ world }: WorkloadWorld): Promise<readonly number[]> =>
  (await world.user.list(ControllerRevisions)).items.map(({ revision }) => revision).toSorted((a, b) => a - b);

const setImage = ({ world }: WorkloadWorld, image: string): Promise<unknown> =>
  world.user.patch(DaemonSets, KEY, {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  });

describe('a DaemonSet', () => {
  test('P-DS-2 nodes come and go -> one pod on each; P-DS-4 and the status says so', async () => {
    const run = await start();
    expect(await places(run)).toEqual(['a', 'b', 'c']);
    expect((await run.world.user.get(DaemonSets, KEY)).status).toMatchObject({
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      observedGeneration: 1,
    });
    await addNode(run, 'd');
    await run.wait(SECOND_MS);
    expect(await places(run)).toEqual(['a', 'b', 'c', 'd']);
    await run.world.user.delete(Nodes, 'a');
    await run.wait(SECOND_MS);
    expect(await places(run)).toEqual(['b', 'c', 'd']);
  });

  test('P-DS-3 another image -> every pod is replaced; P-DS-6 back again -> the old revision is in force', async () => {
    const run = await start();
    await setImage(run, 'agent:2');
    await run.wait(MINUTE_MS);
    const images = (await run.world.user.list(Pods)).items.map(({ spec }) => spec.containers[0]?.image);
    expect(images).toEqual(['agent:2', 'agent:2', 'agent:2']);
    expect(await revisions(run)).toEqual([1, 2]);
    await setImage(run, 'agent:1');
    await run.wait(MINUTE_MS);
    expect(await revisions(run)).toEqual([2, 3]);
    expect((await run.world.user.get(DaemonSets, KEY)).status).toMatchObject({ updatedNumberScheduled: 3 });
  });

  test('P-DS-5 a pod that fails -> deleted and made again, after longer and longer waits', async () => {
    const run = await start();
    const fail = async (): Promise<string> => {
      const pod = (await run.world.user.list(Pods)).items.find((each) => targetOf(each) === 'a');
      await run.end(pod?.metadata.name ?? '', 'Failed');
      await run.wait(0.4 * SECOND_MS);
      return pod?.metadata.name ?? '';
    };
    const first = await fail();
    expect((await run.pods()).join()).not.toContain(first);
    const second = await fail();
    expect((await run.pods()).join()).toContain(second);
    await run.wait(SECOND_MS);
    expect((await run.pods()).join()).not.toContain(second);
    expect(await places(run)).toEqual(['a', 'b', 'c']);
  });

  test('P-DS-2 the controller is killed in the middle and started again -> no pod too many', async () => {
    const run = await workloadWorld([], { hasAllKinds: true, requestMs: 20 });
    for (const name of ['a', 'b', 'c']) await addNode(run, name);
    const kill = run.start(daemonSetController());
    await run.wait(SECOND_MS);
    await run.world.user.create(DaemonSets, SET);
    await run.wait(90);
    kill();
    run.start(daemonSetController());
    await run.wait(MINUTE_MS);
    expect(await places(run)).toEqual(['a', 'b', 'c']);
  });
});
