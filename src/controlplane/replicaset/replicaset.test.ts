import { describe, expect, it } from 'vitest';
import {
  type WorkloadWorld,
  deaf,
  podTemplate,
  refused,
  workloadWorld,
} from '../../../test/workloads/workload-world.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft, Patch } from '../../kube/cluster.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type ReplicaSet, ReplicaSets } from '../../kube/resources/replica-set.ts';
import { replicaSetController, replicationController } from './replicaset.ts';

const NAME = 'replicaset-controller';

const draft = (spec: Partial<Draft<ReplicaSet>['spec']> = {}): Draft<ReplicaSet> => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: podTemplate('web'), ...spec },
});

async function started(
  spec: Partial<Draft<ReplicaSet>['spec']> = {},
  options: Parameters<typeof workloadWorld>[1] = {},
) {
  const run = await workloadWorld([replicaSetController()], options);
  await run.world.user.create(ReplicaSets, draft(spec));
  await run.wait(SECOND_MS);
  return run;
}
const scale = async (run: WorkloadWorld, replicas: number): Promise<void> => {
  await run.world.user.patch(ReplicaSets, 'default/web', { type: 'merge', body: { spec: { replicas } } });
  await run.wait(SECOND_MS);
};
const statusOf = async ({ world }: WorkloadWorld) => (await world.user.get(ReplicaSets, 'default/web')).status;
const podWrites = ({ world }: WorkloadWorld, verb: string) =>
  world.writesOf(NAME).filter(({ text }) => text.startsWith(`${verb} pods `));
const orphan = (name: string) => ({
  apiVersion: 'v1' as const,
  kind: 'Pod' as const,
  metadata: { name, namespace: 'default', labels: { app: 'web' } },
  spec: podTemplate('web').spec,
});

describe('P-RS-1 replacement', () => {
  it('WL-02 a pod gets a deletionTimestamp and its node is dead -> another is made at once, the old one stays', async () => {
    const run = await started({ replicas: 1 });
    const [name = ''] = await run.pods();
    run.dead.add(name);
    await run.world.user.delete(Pods, `default/${name}`);
    await run.wait(0);
    expect(podWrites(run, 'create').map(({ at }) => at)).toEqual([0, SECOND_MS]);
    await run.wait(24 * HOUR_MS);
    const pods = await run.pods();
    expect(pods).toHaveLength(2);
    expect(pods).toContain(`${name} deleting`);
    expect(await statusOf(run)).toMatchObject({ replicas: 1, readyReplicas: 1, terminatingReplicas: 1 });
  });

  it('a pod fails -> another is made, the failed one stays', async () => {
    const run = await started({ replicas: 1 });
    const [name = ''] = await run.pods();
    await run.end(name, 'Failed');
    await run.wait(SECOND_MS);
    const pods = await run.pods();
    expect(pods).toHaveLength(2);
    expect(pods).toContain(`${name} failed`);
    expect(await statusOf(run)).toMatchObject({ replicas: 1, terminatingReplicas: 0 });
  });
});

describe('P-RS-3 P-RS-6 making and deleting', () => {
  it('scaled up and down -> as many as asked for, told in upstream’s words', async () => {
    const run = await started({ replicas: 2 });
    expect(await run.pods()).toHaveLength(2);
    await scale(run, 5);
    expect(await run.pods()).toHaveLength(5);
    await scale(run, 1);
    const [left = '', ...others] = await run.pods();
    expect(others).toEqual([]);
    expect(left).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const events = await run.world.events();
    expect(events).toContain(`Normal SuccessfulCreate ReplicaSet/default/web x1: Created pod: ${left}`);
    expect(
      events.filter((event) => event.startsWith('Normal SuccessfulDelete ReplicaSet/default/web x1: Deleted pod: ')),
    ).toHaveLength(4);
    expect(await statusOf(run)).toEqual({
      replicas: 1,
      fullyLabeledReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      terminatingReplicas: 0,
      observedGeneration: 3,
    });
  });

  it('the server refuses pods -> one request a try, the failure is told; it relents -> the condition goes', async () => {
    let tries = 0;
    let quota: Error | undefined = new Error('exceeded quota');
    const controller = refused(replicaSetController(), (plural) => {
      if (plural !== 'pods') return undefined;
      tries += 1;
      return quota;
    });
    const run = await workloadWorld([controller]);
    await run.world.user.create(ReplicaSets, draft({ replicas: 10 }));
    await run.wait(0);
    expect(tries).toBeLessThanOrEqual(3);
    expect((await statusOf(run)).conditions).toMatchObject([
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' },
    ]);
    expect((await run.world.events()).join('\n')).toMatch(
      /Warning FailedCreate ReplicaSet\/default\/web x\d+: Error creating: exceeded quota/,
    );
    quota = undefined;
    await run.wait(MINUTE_MS);
    expect(await run.pods()).toHaveLength(10);
    expect(await statusOf(run)).not.toHaveProperty('conditions');
  });

  it('more than 500 are missing -> 500 a pass', async () => {
    const run = await started({ replicas: 501 });
    expect(await run.pods()).toHaveLength(501);
    expect(run.world.logged).toEqual([]);
  });

  it('the set is being deleted -> nothing is made', async () => {
    const run = await workloadWorld([replicaSetController()]);
    const { metadata, ...set } = draft({ replicas: 1 });
    await run.world.user.create(ReplicaSets, { ...set, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await run.wait(SECOND_MS);
    const [name = ''] = await run.pods();
    await run.world.user.delete(ReplicaSets, 'default/web');
    await run.world.user.delete(Pods, `default/${name}`);
    await run.wait(MINUTE_MS);
    expect(await run.pods()).toEqual([]);
    expect(await statusOf(run)).toMatchObject({ replicas: 0 });
  });
});

describe('P-RS-5 whose pods', () => {
  it('orphans that match -> adopted and counted; too many -> the surplus goes', async () => {
    const run = await workloadWorld([replicaSetController()]);
    for (const name of ['a', 'b', 'c']) await run.world.user.create(Pods, orphan(name));
    await run.world.user.create(ReplicaSets, draft({ replicas: 2 }));
    await run.wait(SECOND_MS);
    const { items } = await run.world.user.list(Pods);
    expect(items).toHaveLength(2);
    expect(items.every((pod) => controllerOf(pod)?.name === 'web')).toBe(true);
    expect(podWrites(run, 'create')).toEqual([]);
  });

  it('an orphan comes later -> adopted, and one of them goes', async () => {
    const run = await started({ replicas: 1 });
    await run.world.user.create(Pods, orphan('late'));
    await run.wait(SECOND_MS);
    expect(await run.pods()).toHaveLength(1);
  });

  it('a pod loses its label -> let go and replaced', async () => {
    const run = await started({ replicas: 1 });
    const [name = ''] = await run.pods();
    const body = { metadata: { labels: { app: 'other' } } };
    await run.world.user.patch(Pods, `default/${name}`, { type: 'merge', body });
    await run.wait(SECOND_MS);
    expect(await run.pods()).toHaveLength(2);
    expect((await run.pod(name)).metadata).not.toHaveProperty('ownerReferences');
  });
});

describe('P-RS-7 minReadySeconds', () => {
  it('pods are ready -> available when they have been for so long, and the status says so then', async () => {
    const run = await started({ replicas: 2, minReadySeconds: 30 });
    expect(await statusOf(run)).toMatchObject({ readyReplicas: 2 });
    expect(await statusOf(run)).not.toHaveProperty('availableReplicas');
    await run.wait(29 * SECOND_MS - 1);
    expect(await statusOf(run)).not.toHaveProperty('availableReplicas');
    await run.wait(1);
    expect(await statusOf(run)).toMatchObject({ availableReplicas: 2 });
  });
});

describe('P-RS-8 what is never seen', () => {
  it('a pod is made and gone between two looks at the server -> made again after five minutes', async () => {
    let missed = '';
    const controller = deaf(replicaSetController(), (object) => {
      if (object.kind === 'Pod' && missed === '') missed = object.metadata.name;
      return object.metadata.name === missed;
    });
    const run = await workloadWorld([controller]);
    await run.world.user.create(ReplicaSets, draft({ replicas: 1 }));
    await run.wait(SECOND_MS);
    await run.world.user.delete(Pods, `default/${missed}`, { gracePeriodSeconds: 0 });
    await run.wait(5 * MINUTE_MS - SECOND_MS);
    expect(await run.pods()).toEqual([]);
    await run.wait(SECOND_MS);
    expect(await run.pods()).toHaveLength(1);
  });
});

describe('P-RS-9 restart', () => {
  it.each([1, 2, 3, 5, 8, 13, 21])(
    'killed %d ms after a scale-up, started again -> exactly as many as asked for',
    async (killAfterMs) => {
      const run = await workloadWorld([], { requestMs: 2, watchMs: 3 });
      const kill = run.start(replicaSetController());
      await run.world.user.create(ReplicaSets, draft({ replicas: 2 }));
      await run.wait(SECOND_MS);
      await run.world.user.patch(ReplicaSets, 'default/web', { type: 'merge', body: { spec: { replicas: 9 } } });
      await run.wait(killAfterMs);
      kill();
      await run.wait(SECOND_MS);
      run.start(replicaSetController());
      await run.wait(5 * SECOND_MS);
      expect(await run.pods()).toHaveLength(9);
      expect(podWrites(run, 'delete')).toEqual([]);
    },
  );
});

describe('P-RS-10 a ReplicationController', () => {
  interface ReplicationController extends KubeObject {
    readonly kind: 'ReplicationController';
    readonly spec: { readonly replicas: number; readonly selector: object; readonly template: object };
    readonly status: object;
  }
  const ReplicationControllers: Resource<ReplicationController> = {
    group: '',
    version: 'v1',
    plural: 'replicationcontrollers',
    kind: 'ReplicationController',
    namespaced: true,
  };

  it('made, scaled down, beside the controller of ReplicaSets -> has its pods and no others, and says so', async () => {
    const run = await workloadWorld([replicaSetController(), replicationController()], { hasAllKinds: true });
    await run.world.user.create(ReplicationControllers, {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'old', namespace: 'default' },
      spec: { replicas: 3, selector: { app: 'old' }, template: podTemplate('old') },
    });
    await run.wait(SECOND_MS);
    const pods = await run.pods();
    expect(pods).toHaveLength(3);
    expect((await run.pod(pods[0] ?? '')).metadata.ownerReferences).toMatchObject([
      { apiVersion: 'v1', kind: 'ReplicationController', name: 'old', controller: true },
    ]);
    const status = async (): Promise<object> =>
      (await run.world.user.get(ReplicationControllers, 'default/old')).status;
    expect(await status()).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    const scaled: Patch = { type: 'merge', body: { spec: { replicas: 1 } } };
    await run.world.user.patch(ReplicationControllers, 'default/old', scaled);
    await run.wait(SECOND_MS);
    expect(await run.pods()).toHaveLength(1);
    expect(await status()).toMatchObject({ replicas: 1, observedGeneration: 2 });
  });
});
