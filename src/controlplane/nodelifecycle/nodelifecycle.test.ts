import { describe, expect, test } from 'vitest';
import { NodeWorld } from '../../../test/nodefailure/node-world.ts';
import { StalledWatch } from '../../../test/nodefailure/stalled-watch.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { serviceUnavailable } from '../../kube/api-error.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { nodeLifecycleController } from './nodelifecycle.ts';
import type { NodeLifecycleSettings } from './settings.ts';

const CONTROLLER = 'node-lifecycle-controller';
const LATENCY = { requestMs: 3, watchMs: 2 };

/** Node `a` with pods, and `b` that keeps the zone up. */
async function world(settings: NodeLifecycleSettings = {}): Promise<NodeWorld> {
  const run = new NodeWorld(LATENCY);
  await run.addNode('a');
  await run.addNode('b');
  await run.addPod('p', { node: 'a' });
  await run.addPod('never-ready', { node: 'a', ready: '' });
  run.startKubelet('a');
  run.startKubelet('b');
  run.start(nodeLifecycleController(settings));
  return run;
}

describe('a node that falls silent', () => {
  test('P-NL-3 last renewal -> Unknown 50 to 55.5 s later, with reason, message and transition', async () => {
    const run = await world();
    await run.wait(63 * SECOND_MS); // last renewal at 60 s
    run.crash('a');
    await run.wait(2 * MINUTE_MS);
    const at = run.timeOf(CONTROLLER, /update nodes a status/) ?? 0;
    expect(at - 60).toBeGreaterThan(50);
    expect(at - 60).toBeLessThanOrEqual(55.5);
    const { status } = await run.user.get(Nodes, 'a');
    expect(
      status.conditions?.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
    ).toEqual(
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => [
        type,
        'Unknown',
        'NodeStatusUnknown',
        'Kubelet stopped posting node status.',
      ]),
    );
    expect(await run.readyOf('b')).toBe('True Said');
  });

  test('P-NL-3 before 1.32 -> 40 to 45.5 s', async () => {
    const run = await world({ profile: '1.31.0' });
    await run.wait(63 * SECOND_MS);
    run.crash('a');
    await run.wait(2 * MINUTE_MS);
    const at = run.timeOf(CONTROLLER, /update nodes a status/) ?? 0;
    expect(at - 60).toBeGreaterThan(40);
    expect(at - 60).toBeLessThanOrEqual(45.5);
  });

  test('P-NL-3 silence of 37.9 s -> no write and no event', async () => {
    const run = await world();
    await run.wait(61 * SECOND_MS);
    const before = run.writesOf(CONTROLLER).length;
    run.crash('a');
    await run.wait(37.9 * SECOND_MS);
    run.startKubelet('a');
    await run.wait(5 * MINUTE_MS);
    expect(run.writesOf(CONTROLLER)).toHaveLength(before);
  });

  test('NL-01 P-NL-3 status stale, lease fresh -> no change; lease stale, status fresh -> no change', async () => {
    const run = new NodeWorld(LATENCY);
    await run.addNode('lease');
    await run.addNode('status');
    run.start(nodeLifecycleController());
    for (let second = 0; second < 200; second += 10) {
      await run.renewLease('lease');
      await run.postStatus('status');
      await run.wait(10 * SECOND_MS);
    }
    expect(await run.readyOf('lease')).toBe('True Said');
    expect(await run.readyOf('status')).toBe('True Said');
  });

  test('NL-01 P-NL-4 both stale -> pods not ready with an event, phase and all else untouched', async () => {
    const run = await world();
    run.crash('a');
    const before = await run.podOf('p');
    await run.wait(2 * MINUTE_MS);
    const after = await run.podOf('p');
    expect(after?.status.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False' });
    expect({ ...after?.status, conditions: [] }).toEqual({ ...before?.status, conditions: [] });
    const events = (await run.events()).filter((text) => text.includes('NotReady'));
    expect(events).toEqual([
      'Normal NodeNotReady Node/a x1: Node a status is now: NodeNotReady',
      'Warning NodeNotReady Pod/default/p x1: Node is not ready',
    ]);
  });

  test('NL-03 P-NL-4 marking a pod fails in the first pass -> marked by the second, once', async () => {
    const run = new NodeWorld(LATENCY);
    await run.addNode('a');
    await run.addNode('b');
    await run.addPod('p', { node: 'a' });
    run.startKubelet('b');
    let failures = 1;
    run.start(nodeLifecycleController(), (key) =>
      key === 'default/p' && failures-- > 0 ? serviceUnavailable('no') : undefined,
    );
    await run.wait(2 * MINUTE_MS);
    expect(run.writesOf(CONTROLLER).filter(({ text }) => text.includes('pods'))).toHaveLength(1);
    expect((await run.podOf('p'))?.status.conditions?.[0]?.status).toBe('False');
  });

  test('P-NL-5 Unknown -> unreachable:NoSchedule within 0.2 s and NoExecute within 0.35 s, both with their time', async () => {
    const run = await world();
    run.crash('a');
    await run.wait(2 * MINUTE_MS);
    const unknownAt = run.timeOf(CONTROLLER, /update nodes a status/) ?? 0;
    const patches = run.writesOf(CONTROLLER).filter(({ text }) => text === 'patch nodes a');
    expect(patches.map(({ at }) => at / SECOND_MS - unknownAt < 0.35)).toEqual([true, true]);
    expect(await run.taintsOf('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    const { spec } = await run.user.get(Nodes, 'a');
    expect(spec.taints?.every(({ timeAdded }) => timeAdded !== undefined)).toBe(true);
  });

  test('P-NL-5 before 1.34 -> NoExecute one pass after Unknown', async () => {
    const run = await world({ profile: '1.33.2' });
    run.crash('a');
    await run.wait(2 * MINUTE_MS);
    const unknownAt = run.timeOf(CONTROLLER, /update nodes a status/) ?? 0;
    const last = run.writesOf(CONTROLLER).findLast(({ text }) => text === 'patch nodes a')?.at ?? 0;
    expect(last / SECOND_MS - unknownAt).toBeGreaterThan(5);
    expect(last / SECOND_MS - unknownAt).toBeLessThan(5.4);
  });

  test('P-NL-6 the node comes back -> NoSchedule goes at once, NoExecute within a period', async () => {
    const run = await world();
    run.crash('a');
    await run.wait(2 * MINUTE_MS + 1234);
    const backAt = run.clock.monotonic();
    run.startKubelet('a');
    await run.postStatus('a');
    await run.wait(100);
    expect(await run.taintsOf('a')).toEqual(['unreachable:NoExecute']);
    await run.wait(5 * SECOND_MS);
    expect(await run.taintsOf('a')).toEqual([]);
    expect(run.writesOf(CONTROLLER).at(-1)?.at).toBeGreaterThan(backAt + 1000);
  });

  test('P-NL-6 the kubelet says not ready -> not-ready; then silence -> swapped for unreachable, added first', async () => {
    const run = await world();
    await run.postStatus('a', { Ready: 'False' });
    await run.wait(6 * SECOND_MS);
    expect(await run.taintsOf('a')).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);
    run.crash('a');
    await run.wait(90 * SECOND_MS);
    expect((await run.taintsOf('a')).toSorted()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect((await run.events()).filter((text) => text.includes('NodeNotReady'))).toEqual([]);
  });

  test('P-NL-7 a node that never said anything -> Unknown after the startup grace period', async () => {
    const run = new NodeWorld(LATENCY);
    await run.addNode('mute', { conditions: {} });
    await run.addNode('b');
    run.startKubelet('b');
    run.start(nodeLifecycleController());
    await run.wait(59 * SECOND_MS);
    expect(await run.readyOf('mute')).toBe('none');
    await run.wait(7 * SECOND_MS);
    expect(await run.readyOf('mute')).toBe('Unknown NodeStatusNeverUpdated');
  });

  test('P-NL-4 a pod placed on a silent node later -> marked not ready as well', async () => {
    const run = await world();
    run.crash('a');
    await run.wait(2 * MINUTE_MS);
    await run.addPod('late', { node: 'a' });
    await run.wait(SECOND_MS);
    expect(await run.events()).toContain('Warning NodeNotReady Pod/default/late x1: Node is not ready');
  });

  test('P-NL-8 the node is deleted -> said within a period', async () => {
    const run = await world();
    await run.wait(MINUTE_MS);
    await run.user.delete(Nodes, 'a');
    await run.wait(5.1 * SECOND_MS);
    expect(await run.events()).toContain(
      'Normal RemovingNode Node/a x1: Node a event: Removing Node a from Controller',
    );
  });
});

describe('a controller that starts', () => {
  test('P-NL-8 every node is registered once', async () => {
    const run = await world();
    await run.wait(MINUTE_MS);
    expect((await run.events()).filter((text) => text.includes('RegisteredNode'))).toEqual([
      'Normal RegisteredNode Node/a x1: Node a event: Registered Node a in Controller',
      'Normal RegisteredNode Node/b x1: Node b event: Registered Node b in Controller',
    ]);
  });

  test('P-NL-8 a silent node is tainted -> the taint is taken off and put on again with a new time, others 10 s later', async () => {
    const run = new NodeWorld(LATENCY);
    for (const name of ['a', 'b', 'c']) await run.addNode(name);
    run.startKubelet('c');
    const stop = run.start(nodeLifecycleController());
    await run.wait(3 * MINUTE_MS);
    expect(await run.taintsOf('b')).toContain('unreachable:NoExecute');
    const timeOf = async (name: string): Promise<number> => {
      const { spec } = await run.user.get(Nodes, name);
      return Date.parse(spec.taints?.find(({ effect }) => effect === 'NoExecute')?.timeAdded ?? '');
    };
    stop();
    const restartedAt = run.clock.now();
    run.start(nodeLifecycleController());
    await run.wait(50);
    expect(await run.taintsOf('a')).toEqual(['unreachable:NoSchedule']);
    await run.wait(15 * SECOND_MS);
    expect((await timeOf('a')) - restartedAt).toBeLessThanOrEqual(SECOND_MS);
    expect((await timeOf('b')) - (await timeOf('a'))).toBe(10 * SECOND_MS);
  });
});

describe('zones', () => {
  const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
  const tainted = async (run: NodeWorld, names: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const name of names) if ((await run.taintsOf(name)).includes('unreachable:NoExecute')) found.push(name);
    return found;
  };

  test('P-NL-9 Normal zone -> the k-th silent node is tainted 10 s after the one before', async () => {
    const run = new NodeWorld(LATENCY);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await run.addNode(name);
    for (const name of ['c', 'd', 'e']) run.startKubelet(name);
    run.start(nodeLifecycleController());
    await run.wait(MINUTE_MS);
    expect(await tainted(run, ['a', 'b'])).toEqual(['a']);
    await run.wait(10 * SECOND_MS);
    expect(await tainted(run, ['a', 'b'])).toEqual(['a', 'b']);
  });

  test('P-NL-9 three of five nodes silent -> tainting stops at the third; those before keep their taint', async () => {
    const run = new NodeWorld(LATENCY);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await run.addNode(name);
    for (const name of names) run.startKubelet(name);
    run.start(nodeLifecycleController());
    await run.wait(MINUTE_MS);
    for (const name of ['a', 'b', 'c']) {
      run.crash(name);
      await run.wait(6 * SECOND_MS);
    }
    await run.wait(10 * MINUTE_MS);
    expect(await tainted(run, names)).toEqual(['a']);
    expect(await run.taintsOf('c')).toEqual(['unreachable:NoSchedule']);
    run.startKubelet('b');
    await run.postStatus('b');
    await run.wait(20 * SECOND_MS);
    expect(await tainted(run, names)).toEqual(['a', 'c']);
  });

  test('P-NL-10 every zone silent -> all NoExecute taints go; one node answers -> silence is counted anew', async () => {
    const run = new NodeWorld(LATENCY);
    await run.addNode('a', zone('x'));
    await run.addNode('b', zone('y'));
    run.startKubelet('b');
    run.start(nodeLifecycleController());
    await run.wait(2 * MINUTE_MS);
    expect(await tainted(run, ['a', 'b'])).toEqual(['a']);
    run.crash('b');
    await run.wait(5 * MINUTE_MS);
    expect(await run.taintsOf('a')).toEqual(['unreachable:NoSchedule']);
    expect(await tainted(run, ['a', 'b'])).toEqual([]);
    run.startKubelet('b');
    await run.postStatus('b');
    await run.wait(30 * SECOND_MS);
    expect(await tainted(run, ['a', 'b'])).toEqual(['a']);
  });

  test('P-NL-9 a zone of its own is wholly silent, another is not -> its nodes are tainted at the full rate', async () => {
    const run = new NodeWorld(LATENCY);
    for (const name of ['a', 'b', 'c']) await run.addNode(name, zone('x'));
    await run.addNode('d', zone('y'));
    run.startKubelet('d');
    run.start(nodeLifecycleController());
    await run.wait(90 * SECOND_MS);
    expect(await tainted(run, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
  });
});

describe('leases that come late', () => {
  const stalled = async (profile: string): Promise<{ run: NodeWorld; leases: StalledWatch }> => {
    const run = new NodeWorld(LATENCY);
    const leases = new StalledWatch(Leases);
    for (const name of ['a', 'b']) await run.addNode(name);
    for (const name of ['a', 'b']) run.startKubelet(name);
    run.start(leases.around(nodeLifecycleController({ profile })));
    await run.wait(MINUTE_MS);
    leases.stall();
    await run.wait(90 * SECOND_MS);
    return { run, leases };
  };

  test('P-NL-11 until 1.36 -> nodes that live are called silent', async () => {
    const { run } = await stalled('1.36.3');
    expect(await run.readyOf('a')).toBe('Unknown NodeStatusUnknown');
  });

  test('P-NL-11 from 1.37 on -> the live Lease is read, and nobody is judged until the cache has caught up', async () => {
    const { run, leases } = await stalled('1.37.0');
    run.crash('a');
    expect(await run.readyOf('a')).toBe('True Said');
    await run.wait(2 * MINUTE_MS);
    expect(await run.readyOf('a')).toBe('True Said');
    leases.letGo();
    await run.wait(MINUTE_MS);
    expect(await run.readyOf('a')).toBe('Unknown NodeStatusUnknown');
    expect(await run.readyOf('b')).toBe('True Said');
  });
});
