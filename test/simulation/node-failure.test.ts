// The controllers of node failure together, held to the intervals that were recorded from real ones.
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { nodeLifecycleController } from '../../src/controlplane/nodelifecycle/nodelifecycle.ts';
import { podGarbageCollector } from '../../src/controlplane/podgc/podgc.ts';
import { taintEvictionController } from '../../src/controlplane/tainteviction/tainteviction.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import { NodeWorld } from '../nodefailure/node-world.ts';

const LIFECYCLE = 'node-lifecycle-controller';
const EVICTION = 'taint-eviction-controller';
const COLLECTOR = 'pod-garbage-collector-controller';
const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
const tolerations = (tolerationSeconds: number) =>
  ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));

/** Node `a` with a pod and its crash at `crashAt`; `b` lives on. */
async function crashed(tolerationSeconds: number): Promise<{ run: NodeWorld; crashAt: number; restart: () => void }> {
  const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
  for (const name of ['a', 'b']) await run.addNode(name);
  for (const name of ['a', 'b']) run.startKubelet(name);
  await run.addPod('db-0', { node: 'a', tolerations: tolerations(tolerationSeconds) });
  const start = (): readonly (() => void)[] =>
    [nodeLifecycleController(), taintEvictionController(), podGarbageCollector()].map((each) => run.start(each));
  let running = start();
  const restart = (): void => {
    for (const stop of running) stop();
    running = start();
  };
  await run.wait(61.5 * SECOND_MS);
  run.crash('a');
  return { run, crashAt: run.clock.monotonic() / SECOND_MS, restart };
}
const evictions = async (run: NodeWorld): Promise<readonly string[]> =>
  (await run.events()).filter((text) => text.includes('TaintManagerEviction'));

describe('a node crashes', () => {
  test('E2E-01 nobody acts -> Unknown 40 to 55.5 s later, deletionTimestamp 300 s after the taint, then nothing for hours', async () => {
    const { run, crashAt } = await crashed(300);
    await run.wait(2 * 60 * MINUTE_MS);
    const unknownAt = run.timeOf(LIFECYCLE, /update nodes a status/) ?? 0;
    expect(unknownAt - crashAt).toBeGreaterThan(40);
    expect(unknownAt - crashAt).toBeLessThanOrEqual(55.5);
    const taintedAt = run.writesOf(LIFECYCLE).findLast(({ text }) => text === 'patch nodes a')?.at ?? 0;
    const deletedAt = run.timeOf(EVICTION, /delete pods default\/db-0/) ?? 0;
    expect(Math.abs(deletedAt - taintedAt / SECOND_MS - 300)).toBeLessThan(0.25);
    const pod = await run.podOf('db-0');
    expect(pod?.metadata.deletionTimestamp).toBeDefined();
    expect(pod?.status.phase).toBe('Running');
    expect(run.writesOf(COLLECTOR)).toEqual([]);
    expect(await evictions(run)).toEqual([
      'Normal TaintManagerEviction Pod/default/db-0 x1: Marking for deletion Pod default/db-0',
    ]);
  });

  test('tolerationSeconds 30 -> deletionTimestamp 30 s after the taint', async () => {
    const { run } = await crashed(30);
    await run.wait(3 * MINUTE_MS);
    const taintedAt = run.writesOf(LIFECYCLE).findLast(({ text }) => text === 'patch nodes a')?.at ?? 0;
    const deletedAt = run.timeOf(EVICTION, /delete pods/) ?? 0;
    expect(Math.abs(deletedAt - taintedAt / SECOND_MS - 30)).toBeLessThan(0.25);
  });

  test('out-of-service two minutes later -> evicted within 0.2 s, collected within 20 s', async () => {
    const { run } = await crashed(300);
    await run.wait(3 * MINUTE_MS);
    const taintedAt = run.clock.monotonic() / SECOND_MS;
    const { spec } = await run.user.get(Nodes, 'a');
    await run.setTaints('a', [...(spec.taints ?? []), OUT_OF_SERVICE]);
    await run.wait(30 * SECOND_MS);
    expect((run.timeOf(EVICTION, /delete pods/) ?? 0) - taintedAt).toBeLessThan(0.2);
    expect((run.timeOf(COLLECTOR, /delete pods/) ?? 0) - taintedAt).toBeLessThan(20.2);
    expect(await run.podOf('db-0')).toBeUndefined();
    expect(await evictions(run)).toEqual([
      'Normal TaintManagerEviction Pod/default/db-0 x1: Cancelling deletion of Pod default/db-0',
      'Normal TaintManagerEviction Pod/default/db-0 x1: Marking for deletion Pod default/db-0',
    ]);
  });

  test('the Node object is deleted -> orphan failed and deleted 40 to 60 s later, its clock cancelled then', async () => {
    const { run } = await crashed(300);
    await run.wait(3 * MINUTE_MS);
    const removedAt = run.clock.monotonic() / SECOND_MS;
    await run.user.delete(Nodes, 'a');
    await run.wait(MINUTE_MS);
    const collectedAt = run.timeOf(COLLECTOR, /delete pods/) ?? 0;
    expect(collectedAt - removedAt).toBeGreaterThanOrEqual(40);
    expect(collectedAt - removedAt).toBeLessThanOrEqual(60.5);
    expect(await evictions(run)).toEqual([
      'Normal TaintManagerEviction Pod/default/db-0 x1: Cancelling deletion of Pod default/db-0',
    ]);
  });

  test('the manager restarts during the toleration -> taint anew, clock from the start', async () => {
    const { run, restart } = await crashed(300);
    await run.wait(3 * MINUTE_MS);
    const restartedAt = run.clock.monotonic() / SECOND_MS;
    restart();
    await run.wait(10 * MINUTE_MS);
    const deletedAt = run.timeOf(EVICTION, /delete pods/) ?? 0;
    expect(deletedAt - restartedAt).toBeGreaterThan(300);
    expect(deletedAt - restartedAt).toBeLessThan(301);
  });

  test('cut off for 35 s -> nothing is written', async () => {
    const { run } = await crashed(300);
    const before = run.writesOf(LIFECYCLE).length;
    await run.wait(33.5 * SECOND_MS);
    run.startKubelet('a');
    await run.wait(10 * MINUTE_MS);
    expect(run.writesOf(LIFECYCLE)).toHaveLength(before);
    expect(run.writesOf(EVICTION)).toEqual([]);
  });
});
