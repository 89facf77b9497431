import { describe, expect, it } from 'vitest';
import { replicaSets } from '../../../test/workloads/replica-sets.ts';
import { type WorkloadWorld, podTemplate, refused, workloadWorld } from '../../../test/workloads/workload-world.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type Deployment, Deployments } from '../../kube/resources/deployment.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { deploymentController } from './deployment.ts';

type Spec = Partial<Draft<Deployment>['spec']>;

const draft = (spec: Spec = {}): Draft<Deployment> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: podTemplate('web'), ...spec },
});
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

async function started(spec: Spec = {}, version?: string) {
  const settings = version === undefined ? {} : { profile: version };
  const run = await workloadWorld([deploymentController(settings), replicaSets(settings)]);
  await run.world.user.create(Deployments, draft(spec));
  await run.wait(SECOND_MS);
  return run;
}
const patch = async (run: WorkloadWorld, spec: object): Promise<void> => {
  await run.world.user.patch(Deployments, 'default/web', { type: 'merge', body: { spec } });
  await run.wait(SECOND_MS);
};
const image = (name: string) => ({ template: podTemplate('web', name) });
const deploymentOf = ({ world }: WorkloadWorld) => world.user.get(Deployments, 'default/web');
/** `one 3`, from the first revision to the last. */
const setsOf = async ({ world }: WorkloadWorld) => {
  const { items } = await world.user.list(ReplicaSets);
  return items
    .map(({ metadata, spec }) => ({
      revision: Number(metadata.annotations?.['deployment.kubernetes.io/revision']),
      text: `${spec.template.spec.containers[0]?.image ?? ''} ${spec.replicas ?? 1}`,
    }))
    .toSorted((left, right) => left.revision - right.revision)
    .map(({ revision, text }) => `${revision}: ${text}`);
};
const conditionOf = async (run: WorkloadWorld, type: string) =>
  (await deploymentOf(run)).status.conditions?.find((each) => each.type === type);
/** Scaling events, the names of the sets left out. */
const scalings = async ({ world }: WorkloadWorld) =>
  (await world.events())
    .filter((event) => event.includes('ScalingReplicaSet'))
    .map((event) => event.replace(/^.*: Scaled /, '').replace(/web-[a-z0-9]+/, 'x'))
    .toSorted();

describe('P-DEP-1 a set for each template', () => {
  it('a new Deployment -> one set of its size, named after the template, and its status', async () => {
    const run = await started();
    expect(await setsOf(run)).toEqual(['1: pause 3']);
    const [set] = (await run.world.user.list(ReplicaSets)).items;
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.spec.selector?.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(set?.spec.template.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
    const { metadata, status } = await deploymentOf(run);
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    const { conditions, ...counts } = status;
    expect(counts).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    expect(conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason ?? ''}`)).toEqual([
      'Available True MinimumReplicasAvailable',
      'Progressing True NewReplicaSetAvailable',
    ]);
  });

  it('the size alone changes -> the same set; the words of the event by version', async () => {
    const run = await started();
    await patch(run, { replicas: 5 });
    await patch(run, { replicas: 2 });
    expect(await setsOf(run)).toEqual(['1: pause 2']);
    expect(await scalings(run)).toEqual([
      'down replica set x from 5 to 2',
      'up replica set x from 0 to 3',
      'up replica set x from 3 to 5',
    ]);
    const before = await started({}, '1.31');
    await patch(before, { replicas: 5 });
    expect(await scalings(before)).toEqual(['up replica set x to 3', 'up replica set x to 5 from 3']);
    expect((await deploymentOf(before)).status).not.toHaveProperty('terminatingReplicas');
  });

  it('P-DEP-9 the name of the set is taken by another -> a collision is counted and another name found', async () => {
    const trial = await started();
    const [taken] = (await trial.world.user.list(ReplicaSets)).items;
    const run = await workloadWorld([deploymentController(), replicaSets()]);
    await run.world.user.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: taken?.metadata.name ?? '', namespace: 'default' },
      spec: { replicas: 0, selector: { matchLabels: { app: 'other' } }, template: podTemplate('other') },
    });
    await run.world.user.create(Deployments, draft());
    await run.wait(SECOND_MS);
    expect((await deploymentOf(run)).status).toMatchObject({ collisionCount: 1, availableReplicas: 3 });
  });

  it('a set that matches and has no owner -> adopted and used', async () => {
    const trial = await started();
    const [made] = (await trial.world.user.list(ReplicaSets)).items;
    const run = await workloadWorld([deploymentController(), replicaSets()]);
    await run.world.user.create(ReplicaSets, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'orphan', namespace: 'default', labels: made?.metadata.labels ?? {} },
      spec: { replicas: 1, selector: made?.spec.selector ?? {}, template: made?.spec.template ?? {} },
    });
    await run.world.user.create(Deployments, draft());
    await run.wait(SECOND_MS);
    expect(
      (await run.world.user.list(ReplicaSets)).items.map(({ metadata, spec }) => [metadata.name, spec.replicas]),
    ).toEqual([['orphan', 3]]);
    expect(await conditionOf(run, 'Progressing')).toMatchObject({ reason: 'NewReplicaSetAvailable' });
  });
});

describe('P-DEP-2 RollingUpdate', () => {
  it('a new template -> step by step; the old set stays empty', async () => {
    const run = await started(rolling(1, 0));
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 3']);
    expect(await scalings(run)).toEqual([
      'down replica set x from 1 to 0',
      'down replica set x from 2 to 1',
      'down replica set x from 3 to 2',
      'up replica set x from 0 to 1',
      'up replica set x from 0 to 3',
      'up replica set x from 1 to 2',
      'up replica set x from 2 to 3',
    ]);
  });

  it('new pods never become available -> the old ones stay; past the deadline that is said, and said once', async () => {
    const run = await started({ replicas: 1, ...rolling(1, 0) });
    run.slow.add('two');
    await patch(run, image('two'));
    await run.wait(10 * MINUTE_MS - SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 1', '2: two 1']);
    expect(await conditionOf(run, 'Progressing')).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
    await run.wait(SECOND_MS);
    expect(await conditionOf(run, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    });
    const { resourceVersion } = (await deploymentOf(run)).metadata;
    await run.wait(60 * MINUTE_MS);
    expect((await deploymentOf(run)).metadata.resourceVersion).toBe(resourceVersion);
    expect(await setsOf(run)).toEqual(['1: pause 1', '2: two 1']);
  });

  it('minReadySeconds -> a pod counts when it has been ready for so long', async () => {
    const run = await started({ replicas: 1, minReadySeconds: 300, ...rolling(1, 0) });
    await run.wait(5 * MINUTE_MS);
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 1', '2: two 1']);
    await run.wait(298 * SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 1', '2: two 1']);
    await run.wait(2 * SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 1']);
  });

  it('a third template while the second is stuck -> the second’s pods go first', async () => {
    const run = await started({ replicas: 4, ...rolling(1, 1) });
    run.slow.add('two');
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 3', '2: two 2']);
    run.slow.add('three');
    await patch(run, image('three'));
    expect(await setsOf(run)).toEqual(['1: pause 3', '2: two 0', '3: three 2']);
    run.slow.delete('three');
    for (const { metadata } of (await run.world.user.list(Pods)).items) {
      if (metadata.name !== '')
        await run.world.user.patch(Pods, `default/${metadata.name}`, {
          type: 'merge',
          body: { metadata: { annotations: { look: 'again' } } },
        });
    }
    await run.wait(SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 0', '3: three 4']);
  });
});

describe('P-DEP-3 Recreate', () => {
  it('an old pod hangs in deletion -> nothing new until it is gone', async () => {
    const run = await started({ replicas: 2, strategy: { type: 'Recreate' } });
    const [first = ''] = await run.pods();
    run.dead.add(first);
    await patch(run, image('two'));
    await run.wait(60 * MINUTE_MS);
    expect(await run.pods()).toEqual([`${first} deleting`]);
    expect(await setsOf(run)).toEqual(['1: pause 0']);
    await run.world.user.delete(Pods, `default/${first}`, { gracePeriodSeconds: 0 });
    await run.wait(SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 2']);
    expect(await run.pods()).toHaveLength(2);
  });

  it('a pod hangs in deletion without a rollout -> replaced at once, as with any strategy', async () => {
    const run = await started({ replicas: 1, strategy: { type: 'Recreate' } });
    const [first = ''] = await run.pods();
    run.dead.add(first);
    await run.world.user.delete(Pods, `default/${first}`);
    await run.wait(SECOND_MS);
    expect(await run.pods()).toHaveLength(2);
  });

  it('an old pod has failed and stays -> it holds nothing up', async () => {
    const run = await started({ replicas: 1, strategy: { type: 'Recreate' } });
    const [first = ''] = await run.pods();
    await run.end(first, 'Failed');
    await run.wait(SECOND_MS);
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 1']);
  });
});

describe('P-DEP-4 scaling in the middle of a rollout', () => {
  it('stuck half way, twice the size -> both sets grow by their share', async () => {
    const run = await started({ replicas: 10, ...rolling(0, 5) });
    run.slow.add('two');
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 5', '2: two 5']);
    await run.world.user.patch(Deployments, 'default/web', { type: 'merge', body: { spec: { replicas: 20 } } });
    await run.wait(SECOND_MS);
    expect(await setsOf(run)).toEqual(['1: pause 10', '2: two 10']);
    expect(await scalings(run)).toContain('up replica set x from 5 to 10');
  });
});

describe('P-DEP-5 paused', () => {
  it('a new template while paused -> nothing; resumed -> rolled out', async () => {
    const run = await started();
    await patch(run, { paused: true, ...image('two') });
    await run.wait(60 * MINUTE_MS);
    expect(await setsOf(run)).toEqual(['1: pause 3']);
    expect(await conditionOf(run, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
    await patch(run, { replicas: 5 });
    expect(await setsOf(run)).toEqual(['1: pause 5']);
    await patch(run, { paused: null });
    expect(await setsOf(run)).toEqual(['1: pause 0', '2: two 5']);
    expect(await conditionOf(run, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });
});

describe('P-DEP-7 P-DEP-8 history', () => {
  it('back to an older template -> its set serves again under a new revision, and remembers', async () => {
    const run = await started();
    await patch(run, image('two'));
    await patch(run, image('pause'));
    expect(await setsOf(run)).toEqual(['2: two 0', '3: pause 3']);
    const sets = (await run.world.user.list(ReplicaSets)).items;
    const annotations = sets.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision-history']);
    expect(annotations.filter((each) => each !== undefined)).toEqual(['1']);
    expect((await deploymentOf(run)).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  it('history limit 1 -> one old set is kept', async () => {
    const run = await started({ revisionHistoryLimit: 1 });
    for (const name of ['two', 'three', 'four']) await patch(run, image(name));
    expect(await setsOf(run)).toEqual(['3: three 0', '4: four 3']);
  });

  it('minReadySeconds and annotations of the Deployment change -> its set follows, without a rollout', async () => {
    const run = await started();
    await run.world.user.patch(Deployments, 'default/web', {
      type: 'merge',
      body: { metadata: { annotations: { note: 'x' } }, spec: { minReadySeconds: 7 } },
    });
    await run.wait(SECOND_MS);
    const [set, ...others] = (await run.world.user.list(ReplicaSets)).items;
    expect(others).toEqual([]);
    expect(set?.spec.minReadySeconds).toBe(7);
    expect(set?.metadata.annotations?.['note']).toBe('x');
  });
});

describe('P-DEP-10 what people are told', () => {
  it('the set cannot be made -> condition and event; it can again -> rolled out', async () => {
    let failure: Error | undefined = new Error('no room');
    const controller = refused(deploymentController(), (plural) => (plural === 'replicasets' ? failure : undefined));
    const run = await workloadWorld([controller, replicaSets()]);
    await run.world.user.create(Deployments, draft());
    await run.wait(SECOND_MS);
    const condition = await conditionOf(run, 'Progressing');
    expect(condition).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    expect(condition?.message).toMatch(/^Failed to create new replica set "web-[a-z0-9]+": no room$/);
    expect((await run.world.events()).join('\n')).toMatch(
      /Warning ReplicaSetCreateError Deployment\/default\/web x\d+: Failed to create new replica set/,
    );
    failure = undefined;
    await run.wait(MINUTE_MS);
    expect((await deploymentOf(run)).status.availableReplicas).toBe(3);
  });

  it('pods cannot be made -> ReplicaFailure is passed on', async () => {
    const controller = refused(replicaSets(), (plural) =>
      plural === 'pods' ? new Error('exceeded quota') : undefined,
    );
    const run = await workloadWorld([deploymentController(), controller]);
    await run.world.user.create(Deployments, draft());
    await run.wait(SECOND_MS);
    expect(await conditionOf(run, 'ReplicaFailure')).toMatchObject({
      status: 'True',
      reason: 'FailedCreate',
      message: 'exceeded quota',
    });
  });

  it('the Deployment is being deleted -> counted, and nothing is done', async () => {
    const run = await workloadWorld([deploymentController(), replicaSets()]);
    const { metadata, ...rest } = draft();
    await run.world.user.create(Deployments, { ...rest, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await run.wait(SECOND_MS);
    await run.world.user.delete(Deployments, 'default/web');
    await patch(run, image('two'));
    expect(await setsOf(run)).toEqual(['1: pause 3']);
    expect((await deploymentOf(run)).status.observedGeneration).toBe(3);
  });
});
