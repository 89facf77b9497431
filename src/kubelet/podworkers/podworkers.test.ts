// Pods without volumes: what becomes of their containers and of their objects.
import { describe, expect, it } from 'vitest';
import { isApiError } from '../../kube/api-error.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { KubeletBench, ROOT } from '../../../test/kubelet/kubelet-bench.ts';
import type { ContainerBehaviour } from './memory-runtime.ts';

const NODE = 'n1';

async function begin(behaviour: ContainerBehaviour = {}) {
  const bench = new KubeletBench();
  bench.addNode(NODE, { behaviourOf: () => behaviour });
  bench.start(NODE);
  await bench.advanceTo(10);
  bench.zeroMs = 10_000;
  bench.commits.length = 0;
  const create = (spec: Partial<Pod['spec']> = {}): Promise<Pod> =>
    bench.cluster.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: { nodeName: NODE, containers: [{ name: 'c', image: 'i' }], ...spec },
    });
  const pod = (): Promise<Pod | undefined> =>
    bench.cluster.get(Pods, 'default/p').catch((error: unknown) => {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    });
  const remove = (gracePeriodSeconds?: number): Promise<unknown> =>
    bench.cluster.delete(Pods, 'default/p', gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
  return { bench, create, pod, remove, machine: bench.node(NODE) };
}

describe('a pod on its node', () => {
  it('P-KL-7 nothing to wait for -> running and ready after the next look at its containers', async () => {
    const { bench, create, pod } = await begin();
    await create();
    await bench.advanceTo(3);
    const status = (await pod())?.status;
    expect(status?.phase).toBe('Running');
    expect(status?.conditions?.filter(({ status: is }) => is !== 'True')).toEqual([]);
    expect(bench.events().map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Created', 'Started']));
  });

  it.each([
    ['Never', 0, 'Succeeded'],
    ['Never', 3, 'Failed'],
    ['OnFailure', 0, 'Succeeded'],
  ])('P-KL-7 restartPolicy %s, ends with %d -> %s, and the object stays', async (restartPolicy, exitCode, phase) => {
    const { bench, create, pod } = await begin({ runs: { forMs: 5000, exitCode } });
    await create({ restartPolicy });
    await bench.advanceTo(20);
    const status = (await pod())?.status;
    expect(status?.phase).toBe(phase);
    expect(status?.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(exitCode);
  });

  it('P-KL-7 restartPolicy Always, ends -> started again', async () => {
    const { bench, create, pod } = await begin({ runs: { forMs: 5000, exitCode: 1 } });
    await create();
    await bench.advanceTo(20);
    const status = (await pod())?.status;
    expect(status?.phase).toBe('Running');
    expect(status?.containerStatuses?.[0]?.restartCount).toBeGreaterThanOrEqual(1);
  });

  it('P-KL-7 deleted -> object gone only when the containers have ended, with its directory', async () => {
    const { bench, create, pod, remove, machine } = await begin({ stopMs: 7000 });
    const { uid } = (await create()).metadata;
    await bench.advanceTo(5);
    await remove();
    await bench.advanceTo(11);
    expect(await pod()).toBeDefined();
    expect(machine.runtime.pod(uid)?.containers[0]?.exit).toBeUndefined();
    await bench.advanceTo(20);
    expect(await pod()).toBeUndefined();
    expect(machine.mounter.paths().filter((path) => path.startsWith(`${ROOT}/pods/`))).toEqual([]);
  });

  it('P-KL-7 slower than its grace -> killed, and the object goes', async () => {
    const { bench, create, pod, remove } = await begin({ stopMs: 60_000 });
    await create({ terminationGracePeriodSeconds: 3 });
    await bench.advanceTo(5);
    await remove();
    await bench.advanceTo(12);
    expect(await pod()).toBeUndefined();
  });

  it('P-KL-7 deleted by force -> object gone at once, containers ended afterwards', async () => {
    const { bench, create, pod, remove, machine } = await begin({ stopMs: 1000 });
    const { uid } = (await create()).metadata;
    await bench.advanceTo(5);
    await remove(0);
    expect(await pod()).toBeUndefined();
    await bench.advanceTo(15);
    expect(machine.runtime.pod(uid)).toBeUndefined();
    expect(machine.mounter.paths().filter((path) => path.startsWith(`${ROOT}/pods/`))).toEqual([]);
  });

  it('P-KL-7 somebody writes over its status -> written again within ten seconds', async () => {
    const { bench, create, pod } = await begin();
    await create();
    await bench.advanceTo(5);
    const body = { status: { phase: 'Pending' } };
    await bench.cluster.patch(Pods, 'default/p', { type: 'merge', body }, { subresource: 'status' });
    await bench.advanceTo(16);
    expect((await pod())?.status.phase).toBe('Running');
  });

  it('P-KL-8 kubelet stopped and started -> the same containers go on', async () => {
    const { bench, create, pod, machine } = await begin();
    const { uid } = (await create()).metadata;
    await bench.advanceTo(5);
    const before = machine.runtime.pod(uid)?.containers[0]?.id;
    bench.stop(NODE);
    await bench.advanceTo(60);
    bench.start(NODE);
    await bench.advanceTo(80);
    expect(machine.runtime.pod(uid)?.containers[0]?.id).toBe(before);
    expect((await pod())?.status.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('P-KL-8 the machine lost power -> containers made anew', async () => {
    const { bench, create, pod, machine } = await begin({ startMs: 3000 });
    const { uid } = (await create()).metadata;
    await bench.advanceTo(1.5);
    // While a start is under way.
    bench.stop(NODE);
    machine.runtime.loseAll();
    machine.mounter.loseMounts();
    await bench.advanceTo(2);
    bench.start(NODE);
    await bench.advanceTo(20);
    expect((await pod())?.status.phase).toBe('Running');
    expect(machine.runtime.pod(uid)?.containers).toHaveLength(1);
  });

  it('P-KL-8 deleted while the kubelet was away -> ended and gone after its return', async () => {
    const { bench, create, pod, remove, machine } = await begin();
    const { uid } = (await create()).metadata;
    await bench.advanceTo(5);
    bench.stop(NODE);
    await remove();
    await bench.advanceTo(50);
    expect(await pod()).toBeDefined();
    bench.start(NODE);
    await bench.advanceTo(70);
    expect(await pod()).toBeUndefined();
    expect(machine.runtime.pod(uid)).toBeUndefined();
  });
});
