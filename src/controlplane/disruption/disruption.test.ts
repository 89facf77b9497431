import { describe, expect, test } from 'vitest';
import { NodeWorld } from '../../../test/nodefailure/node-world.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { Deployments } from '../../kube/resources/deployment.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  PodDisruptionBudgets,
} from '../../kube/resources/pod-disruption-budget.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { StatefulSets } from '../../kube/resources/stateful-set.ts';
import { disruptionController } from './disruption.ts';

const LABELS = { app: 'db' };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'main', image: 'pause' }] } };
const SPEC = { selector: { matchLabels: LABELS }, template: TEMPLATE };

function budget(spec: PodDisruptionBudget['spec'], name = 'b'): Draft<PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: LABELS }, ...spec },
  };
}
async function world(): Promise<NodeWorld> {
  const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
  run.start(disruptionController());
  await run.wait(SECOND_MS);
  return run;
}
async function statefulSet(run: NodeWorld, replicas: number): Promise<void> {
  const set = await run.user.create(StatefulSets, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'default' },
    spec: { ...SPEC, replicas, serviceName: 'db' },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: set.metadata.uid };
  for (let index = 0; index < replicas; index++)
    await run.addPod(`db-${index}`, { labels: LABELS, owner, node: 'a', finalizers: ['example.com/hold'] });
}
const statusOf = async ({ user }: NodeWorld, name = 'b'): Promise<PodDisruptionBudgetStatus> =>
  (await user.get(PodDisruptionBudgets, `default/${name}`)).status;
const figures = async (run: NodeWorld): Promise<readonly number[]> => {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = await statusOf(run);
  return [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods];
};
const evict = async ({ user }: NodeWorld, name: string): Promise<unknown> =>
  await user.post(Pods, `default/${name}`, 'eviction', {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace: 'default' },
  });
const unready = (pod: Pod): Pod => ({
  ...pod,
  status: { ...pod.status, conditions: (pod.status.conditions ?? []).map((each) => ({ ...each, status: 'False' })) },
});

describe('budgets', () => {
  test('P-DIS-1 P-DIS-2 a StatefulSet of three, maxUnavailable 1 -> one may go', async () => {
    const run = await world();
    await statefulSet(run, 3);
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([1, 3, 2, 3]);
    const { observedGeneration, conditions } = await statusOf(run);
    expect(observedGeneration).toBe(1);
    expect(conditions?.map(({ status, reason }) => [status, reason])).toEqual([['True', 'SufficientPods']]);
  });

  test('P-DIS-2 a pod is not ready any more -> none may go; minAvailable 50 % of three is two', async () => {
    const run = await world();
    await statefulSet(run, 3);
    await run.user.create(PodDisruptionBudgets, budget({ minAvailable: '50%' }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([1, 3, 2, 3]);
    await run.user.update(Pods, unready(await run.user.get(Pods, 'default/db-0')), { subresource: 'status' });
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([0, 2, 2, 3]);
  });

  test('P-DIS-1 pods of a ReplicaSet of a Deployment -> the Deployment counts', async () => {
    const run = await world();
    const deployment = await run.user.create(Deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: { ...SPEC, replicas: 4 },
    });
    const reference = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      uid: deployment.metadata.uid,
      controller: true,
    };
    const set = await run.user.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: 'default', ownerReferences: [reference] },
      spec: { ...SPEC, replicas: 2 },
    });
    await run.addPod('web-1-x', {
      labels: LABELS,
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.metadata.uid },
    });
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: '25%' }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([0, 1, 3, 4]);
  });

  test('P-DIS-1 the Deployment is gone -> the scale of the ReplicaSet is asked for', async () => {
    const run = await world();
    const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'gone', controller: true };
    const set = await run.user.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: 'default', ownerReferences: [reference] },
      spec: { ...SPEC, replicas: 2 },
    });
    await run.addPod('web-1-x', {
      labels: LABELS,
      owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.metadata.uid },
    });
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([0, 1, 1, 2]);
  });

  test('P-DIS-2 no pods -> nothing allowed, said in an Event', async () => {
    const run = await world();
    await run.user.create(PodDisruptionBudgets, budget({ minAvailable: 0 }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([0, 0, 0, 0]);
    expect((await run.events())[0]).toMatch(
      /^Normal NoPods PodDisruptionBudget\/default\/b x\d: No matching pods found$/,
    );
  });

  test('P-DIS-1 pods without a controller -> not counted, and said', async () => {
    const run = await world();
    await run.addPod('lone', { labels: LABELS });
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(SECOND_MS);
    expect(await figures(run)).toEqual([0, 1, 0, 0]);
    expect((await run.events())[0]).toContain('UnmanagedPods PodDisruptionBudget/default/b');
  });

  test.each([
    ['apps/v1', 'StatefulSet', 'found no controllers for pod "lost"'],
    ['batch/v1', 'Job', 'jobs.batch does not implement the scale subresource'],
    ['example.com/v1', 'Thing', 'no matches for kind "Thing" in version "example.com/v1"'],
  ])('P-DIS-4 a controller %s %s that cannot be counted -> nothing allowed: %s', async (apiVersion, kind, message) => {
    const run = await world();
    await run.addPod('lost', { labels: LABELS, owner: { apiVersion, kind, name: 'x', uid: 'x' } });
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(MINUTE_MS);
    const { conditions, disruptionsAllowed } = await statusOf(run);
    expect(disruptionsAllowed).toBe(0);
    expect(conditions?.map((each) => [each.status, each.reason, each.message])).toEqual([
      ['False', 'SyncFailed', message],
    ]);
    expect((await run.events())[0]).toContain(
      `CalculateExpectedPodCountFailed PodDisruptionBudget/default/b x2: Failed to calculate the number of expected pods: ${message}`,
    );
  });

  test('P-DIS-6 two budgets select a pod -> one is counted, and the pod is told', async () => {
    const run = await world();
    await run.user.create(PodDisruptionBudgets, budget({ minAvailable: 1 }));
    await run.user.create(PodDisruptionBudgets, budget({ minAvailable: 2 }, 'c'));
    await run.wait(SECOND_MS);
    await run.addPod('p', { labels: LABELS });
    await run.wait(SECOND_MS);
    expect((await statusOf(run)).currentHealthy).toBe(1);
    expect((await statusOf(run, 'c')).currentHealthy).toBe(0);
    expect(
      (await run.events()).some(
        (text) =>
          text.includes('MultiplePodDisruptionBudgets Pod/default/p') &&
          text.endsWith('Pod "default"/"p" matches multiple PodDisruptionBudgets.  Chose "b" arbitrarily.'),
      ),
    ).toBe(true);
  });
});

describe('evictions', () => {
  test('P-DIS-3 evicted and going -> the budget forgets the pod and has no more to give', async () => {
    const run = await world();
    await statefulSet(run, 3);
    await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(SECOND_MS);
    await evict(run, 'db-0');
    expect((await statusOf(run)).disruptedPods).toEqual({ 'db-0': expect.any(String) });
    await run.wait(SECOND_MS);
    expect((await statusOf(run)).disruptedPods).toBeUndefined();
    expect(await figures(run)).toEqual([0, 2, 2, 3]);
    await expect(evict(run, 'db-1')).rejects.toMatchObject({ code: 429 });
  });

  test('P-DIS-3 noted as evicted but never deleted -> after two minutes given back, and said', async () => {
    const run = await world();
    await statefulSet(run, 3);
    const made = await run.user.create(PodDisruptionBudgets, budget({ maxUnavailable: 1 }));
    await run.wait(SECOND_MS);
    const current = await run.user.get(PodDisruptionBudgets, 'default/b');
    const disruptedPods = { 'db-0': made.metadata.creationTimestamp };
    await run.user.update(
      PodDisruptionBudgets,
      { ...current, status: { ...current.status, disruptedPods } },
      { subresource: 'status' },
    );
    await run.wait(MINUTE_MS);
    expect(await figures(run)).toEqual([0, 2, 2, 3]);
    await run.wait(MINUTE_MS + SECOND_MS);
    expect(await figures(run)).toEqual([1, 3, 2, 3]);
    expect(await run.events()).toEqual([
      "Warning NotDeleted Pod/default/db-0 x1: Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
  });

  test('P-DIS-5 told to go and never deleted -> after two minutes told that it may stay', async () => {
    const run = await world();
    const pod = await run.addPod('p', { labels: LABELS });
    const told = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      lastProbeTime: null,
      lastTransitionTime: pod.metadata.creationTimestamp,
    };
    await run.user.update(
      Pods,
      { ...pod, status: { ...pod.status, conditions: [...(pod.status.conditions ?? []), told] } },
      { subresource: 'status' },
    );
    await run.wait(119 * SECOND_MS);
    expect((await run.podOf('p'))?.status.conditions?.[1]?.status).toBe('True');
    await run.wait(3 * SECOND_MS);
    expect((await run.podOf('p'))?.status.conditions?.[1]).toMatchObject({ status: 'False', observedGeneration: 1 });
  });
});
