import { describe, expect, test } from 'vitest';
import { NodeWorld, type PodParts } from '../../../test/nodefailure/node-world.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { serviceUnavailable } from '../../kube/api-error.ts';
import { Nodes } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { taintEvictionController } from './tainteviction.ts';

const CONTROLLER = 'taint-eviction-controller';
const taint = (key: string, timeAdded?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(timeAdded === undefined ? {} : { timeAdded }),
});
const tolerates = (key: string, tolerationSeconds?: number): PodParts => ({
  node: 'a',
  tolerations: [
    { key, operator: 'Exists', effect: 'NoExecute', ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }) },
  ],
});

async function world(pods: Readonly<Record<string, PodParts>>, profile = '1.36.3'): Promise<NodeWorld> {
  const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
  await run.addNode('a');
  for (const [name, parts] of Object.entries(pods))
    await run.addPod(name, { finalizers: ['example.com/hold'], ...parts });
  run.start(taintEvictionController({ profile }));
  await run.wait(SECOND_MS);
  return run;
}
const deletions = (run: NodeWorld): readonly string[] =>
  run
    .writesOf(CONTROLLER)
    .flatMap(({ at, text }) =>
      text.startsWith('delete') ? `${text.split('/')[1] ?? ''} ${Math.round(at / 100) / 10}` : [],
    );
const eviction = (what: string, name: string, count = 1): string =>
  `Normal TaintManagerEviction Pod/default/${name} x${count}: ${what} Pod default/${name}`;
const marking = (name: string, count = 1): string => eviction('Marking for deletion', name, count);
const cancelling = (name: string, count = 1): string => eviction('Cancelling deletion of', name, count);

describe('taint eviction', () => {
  test('TE-01 P-TE-1 not tolerated, for 1 s, for ever -> now, after 1 s, never', async () => {
    const run = await world({ p1: { node: 'a' }, p2: tolerates('t', 1), p3: tolerates('t') });
    await run.setTaints('a', [taint('t')]);
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual(['p1 1', 'p2 2']);
    expect(await run.events()).toEqual([marking('p1'), marking('p2')]);
  });

  test('P-TE-3 evicted -> told why before it is deleted with its own grace period', async () => {
    const run = await world({ p: { node: 'a' } });
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    expect(run.writesOf(CONTROLLER).map(({ text }) => text)).toEqual([
      'patch pods default/p status',
      'delete pods default/p',
    ]);
    const pod = await run.podOf('p');
    expect(pod?.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(pod?.status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      observedGeneration: 1,
    });
  });

  test('P-TE-3 1.25 -> deleted without a word; its Events come from the node controller', async () => {
    const run = await world({ p: { node: 'a' } }, '1.25.3');
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    expect(run.writesOf(CONTROLLER).map(({ text }) => text)).toEqual(['delete pods default/p']);
  });

  test('P-TE-2 the taint is taken off in time -> cancelled with an Event, nothing deleted', async () => {
    const run = await world({ p: tolerates('t', 300) });
    await run.setTaints('a', [taint('t')]);
    await run.wait(299 * SECOND_MS);
    await run.setTaints('a', []);
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual([]);
    expect(await run.events()).toEqual([cancelling('p')]);
  });

  test('TE-02 P-TE-2 two taints, the one that is tolerated for ever remains -> cancelled', async () => {
    const run = await world({
      p: { node: 'a', tolerations: [...(tolerates('t', 60).tolerations ?? []), ...(tolerates('u').tolerations ?? [])] },
    });
    await run.setTaints('a', [taint('t'), taint('u')]);
    await run.wait(30 * SECOND_MS);
    await run.setTaints('a', [taint('u')]);
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual([]);
    expect(await run.events()).toEqual([cancelling('p')]);
  });

  test('P-TE-2 unreachable swapped for not-ready, added first -> the clock goes on', async () => {
    const run = await world({
      p: {
        node: 'a',
        tolerations: [...(tolerates('u', 300).tolerations ?? []), ...(tolerates('n', 300).tolerations ?? [])],
      },
    });
    await run.setTaints('a', [taint('u')]);
    await run.wait(100 * SECOND_MS);
    await run.setTaints('a', [taint('u'), taint('n')]);
    await run.wait(5);
    await run.setTaints('a', [taint('n')]);
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual(['p 301']);
    expect(await run.events()).toEqual([marking('p')]);
  });

  test('P-TE-2 clock running, an untolerated taint comes -> cancelled and evicted at once, both said', async () => {
    const run = await world({ p: tolerates('t', 300) });
    await run.setTaints('a', [taint('t')]);
    await run.wait(100 * SECOND_MS);
    await run.setTaints('a', [taint('t'), taint('node.kubernetes.io/out-of-service')]);
    await run.wait(SECOND_MS);
    expect(deletions(run)).toEqual(['p 101']);
    expect(await run.events()).toEqual([cancelling('p'), marking('p')]);
  });

  test('P-TE-2 the pod is deleted by somebody else -> cancelled with an Event', async () => {
    const run = await world({ p: { ...tolerates('t', 300), finalizers: [] } });
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    await run.user.delete(Pods, 'default/p', { gracePeriodSeconds: 0 });
    await run.wait(SECOND_MS);
    expect(await run.events()).toEqual([cancelling('p')]);
  });

  test('P-TE-2 the Node object is deleted -> the clock goes on', async () => {
    const run = await world({ p: tolerates('t', 300) });
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    await run.user.delete(Nodes, 'a');
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual(['p 301']);
  });

  test('P-TE-4 a further taint on a pod that is going -> marked again, counted in one Event', async () => {
    const run = await world({ p: { node: 'a' } });
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    await run.setTaints('a', [taint('t'), taint('u')]);
    await run.wait(SECOND_MS);
    expect(await run.events()).toEqual([marking('p', 2)]);
  });

  test.each([
    ['1.36.3', 2],
    ['1.32.0', 1],
  ])('P-TE-4 %s, a toleration of a pod that is going runs out again -> marked %i times', async (profile, times) => {
    const run = await world({ p: tolerates('t', 1) }, profile);
    await run.setTaints('a', [taint('t', '2026-01-01T00:00:00Z')]);
    await run.wait(2 * SECOND_MS);
    await run.setTaints('a', [taint('t', '2026-01-01T00:00:09Z')]);
    await run.wait(2 * SECOND_MS);
    expect(await run.events()).toEqual([marking('p', times)]);
  });

  test('P-TE-5 a pod comes to a tainted node -> its clock starts when it is placed', async () => {
    const run = await world({});
    await run.setTaints('a', [taint('t')]);
    await run.wait(100 * SECOND_MS);
    await run.addPod('late', { ...tolerates('t', 10), finalizers: ['example.com/hold'] });
    await run.wait(60 * SECOND_MS);
    expect(deletions(run)).toEqual(['late 111']);
  });

  test('P-TE-5 a toleration is added behind the one that is used -> the clock goes on', async () => {
    const run = await world({ p: tolerates('t', 60) });
    await run.setTaints('a', [taint('t')]);
    await run.wait(SECOND_MS);
    await run.change(Pods, 'default/p', (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), { operator: 'Exists' }] },
    }));
    await run.wait(120 * SECOND_MS);
    expect(deletions(run)).toEqual(['p 61']);
  });

  test('P-TE-6 a restart -> every clock starts over, whatever the taint says of its age', async () => {
    const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
    await run.addNode('a');
    await run.addPod('p', { ...tolerates('t', 300), finalizers: ['example.com/hold'] });
    const stop = run.start(taintEvictionController());
    await run.setTaints('a', [taint('t', '2026-01-01T00:00:00Z')]);
    await run.wait(200 * SECOND_MS);
    stop();
    run.start(taintEvictionController());
    await run.wait(600 * SECOND_MS);
    expect(deletions(run)).toEqual(['p 500']);
  });

  test('P-TE-7 the server is away for a moment -> tried up to five times, 10 ms apart', async () => {
    const run = new NodeWorld({ requestMs: 3, watchMs: 2 });
    await run.addNode('a');
    await run.addPod('p', { node: 'a', finalizers: ['example.com/hold'] });
    await run.addPod('q', { node: 'a', finalizers: ['example.com/hold'] });
    let failures = 4;
    run.start(taintEvictionController(), (key) =>
      key === 'default/q' || failures-- > 0 ? serviceUnavailable('away') : undefined,
    );
    await run.wait(SECOND_MS);
    await run.setTaints('a', [taint('t')]);
    await run.wait(60 * SECOND_MS);
    expect(deletions(run).map((text) => text.split(' ')[0])).toEqual(['p']);
    expect(run.logged).toEqual(['warn pod default/q not evicted: away']);
  });
});
