import { describe, expect, test } from 'vitest';
import { NodeWorld } from '../../../test/nodefailure/node-world.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { serviceUnavailable } from '../../kube/api-error.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { podGarbageCollector } from './podgc.ts';

const CONTROLLER = 'pod-garbage-collector-controller';
const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
/** A forced deletion is two writes of the server, which count as one here. */
const writes = (run: NodeWorld): readonly string[] => [
  ...new Set(run.writesOf(CONTROLLER).map(({ at, text }) => `${Math.round(at / SECOND_MS)} ${text}`)),
];

async function world(settings: Parameters<typeof podGarbageCollector>[0] = {}): Promise<NodeWorld> {
  const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
  await run.addNode('a');
  run.start(podGarbageCollector(settings));
  await run.wait(7 * SECOND_MS);
  return run;
}

describe('out of service', () => {
  test('P-PGC-1 terminating pod, node not ready and out of service -> Failed, then gone, at the next pass', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a' });
    await run.addPod('stays', { node: 'a' });
    await run.user.delete(Pods, 'default/p');
    await run.wait(MINUTE_MS);
    expect(writes(run)).toEqual([]);
    await run.postStatus('a', { Ready: 'Unknown' });
    await run.setTaints('a', [OUT_OF_SERVICE]);
    await run.wait(20 * SECOND_MS);
    expect(writes(run)).toEqual(['80 patch pods default/p status', '80 delete pods default/p']);
    expect(await run.podOf('p')).toBeUndefined();
    expect((await run.podOf('stays'))?.status.phase).toBe('Running');
  });

  test('P-PGC-1 out of service but ready -> left; it turns not ready -> gone within 20 s', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a' });
    await run.setTaints('a', [OUT_OF_SERVICE]);
    await run.user.delete(Pods, 'default/p');
    await run.wait(MINUTE_MS);
    expect(await run.podOf('p')).toBeDefined();
    await run.postStatus('a', { Ready: 'False' });
    await run.wait(20 * SECOND_MS);
    expect(await run.podOf('p')).toBeUndefined();
  });

  test('P-PGC-1 1.25 -> never', async () => {
    const run = await world({ profile: '1.25.0' });
    await run.addPod('p', { node: 'a' });
    await run.user.delete(Pods, 'default/p');
    await run.postStatus('a', { Ready: 'Unknown' });
    await run.setTaints('a', [OUT_OF_SERVICE]);
    await run.wait(10 * MINUTE_MS);
    expect(writes(run)).toEqual([]);
  });
});

describe('orphans', () => {
  test('PG-01 P-PGC-2 node deleted -> 40 to 60 s later Failed with the reason, and gone', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a', finalizers: ['example.com/hold'] });
    await run.user.delete(Nodes, 'a');
    await run.wait(MINUTE_MS);
    expect(writes(run)).toEqual(['60 patch pods default/p status', '60 delete pods default/p']);
    const pod = await run.podOf('p');
    expect(pod?.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(pod?.status.phase).toBe('Failed');
    expect(pod?.status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
  });

  test('PG-01 P-PGC-2 the node comes back in time -> left', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a' });
    await run.user.delete(Nodes, 'a');
    await run.wait(45 * SECOND_MS);
    await run.addNode('a');
    await run.wait(5 * MINUTE_MS);
    expect(writes(run)).toEqual([]);
  });

  test('P-PGC-2 a pod that had ended -> not touched before it is deleted', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a', phase: 'Succeeded' });
    await run.user.delete(Nodes, 'a');
    await run.wait(MINUTE_MS);
    expect(writes(run)).toEqual(['60 delete pods default/p']);
  });

  test('P-PGC-2 placed on a node that never was -> removed after the quarantine', async () => {
    const run = await world();
    await run.addPod('p', { node: 'ghost' });
    await run.wait(2 * MINUTE_MS);
    expect(await run.podOf('p')).toBeUndefined();
  });

  test('P-PGC-5 it cannot be removed -> tried again after another quarantine', async () => {
    const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
    await run.addPod('p', { node: 'ghost', phase: 'Succeeded' });
    let failures = 1;
    run.start(podGarbageCollector(), () => (failures-- > 0 ? serviceUnavailable('away') : undefined));
    await run.wait(3 * MINUTE_MS);
    expect(writes(run)).toEqual(['80 delete pods default/p']);
  });
});

describe('others', () => {
  test('P-PGC-3 deleted before it had a node -> removed at the next pass', async () => {
    const run = await world();
    await run.addPod('p', { phase: 'Pending', ready: '', finalizers: ['example.com/hold'] });
    await run.user.delete(Pods, 'default/p');
    await run.wait(20 * SECOND_MS);
    expect((await run.podOf('p'))?.status.phase).toBe('Failed');
  });

  test('P-PGC-4 more ended pods than may stay -> the oldest go', async () => {
    const run = await world({ terminatedPodGcThreshold: 2 });
    for (const name of ['one', 'two', 'three', 'four']) {
      await run.addPod(name, { node: 'a', phase: 'Succeeded' });
      await run.wait(SECOND_MS);
    }
    await run.wait(20 * SECOND_MS);
    expect(writes(run)).toEqual(['20 delete pods default/one', '20 delete pods default/two']);
  });

  test('P-PGC-6 a day with nothing to remove -> not one pass is made', async () => {
    const run = await world();
    await run.addPod('p', { node: 'a' });
    await run.wait(MINUTE_MS);
    const quiet = await run.clock.advanceUntilQuiet(24 * 60 * MINUTE_MS);
    expect(quiet).toBe('quiet');
    expect(writes(run)).toEqual([]);
  });
});
