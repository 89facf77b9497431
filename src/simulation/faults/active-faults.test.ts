import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Draft, WatchEvent } from '../../kube/cluster.ts';
import { type ConfigMap, ConfigMaps } from '../../kube/resources/config-map.ts';
import { isMountError } from '../../kubelet/mounter/mounter.ts';
import { SIMULATION_STARTS_AT } from '../../worlds/simulated.ts';
import type { Fault } from './fault.ts';
import { DRIVER, IN_CONTROL_PLANE, MACHINE, ON_MACHINE, type ProbeStage, probeStage, watched } from './probe-stage.ts';

const map = (name: string): Draft<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});
const user = (stage: ProbeStage) => stage.world.as('user');
const call = (deadlineMs = 10 * SECOND_MS) => ({ signal: new AbortController().signal, deadlineMs });
const publish = (stage: ProbeStage, deadlineMs?: number) =>
  watched(
    stage.nodeService().nodePublishVolume(
      {
        volumeId: 'disk-1',
        publishContext: {},
        stagingTargetPath: '/staging',
        volumeCapability: {
          accessType: { case: 'mount', fsType: 'ext4', mountFlags: [] },
          accessMode: 'SINGLE_NODE_WRITER',
        },
        secrets: {},
        volumeContext: {},
        targetPath: '/target',
        readonly: false,
      },
      call(deadlineMs),
    ),
  );
const staging = (stage: ProbeStage, deadlineMs?: number) =>
  watched(
    stage.nodeService().nodeStageVolume(
      {
        volumeId: 'disk-1',
        publishContext: {},
        stagingTargetPath: '/staging',
        volumeCapability: {
          accessType: { case: 'mount', fsType: 'ext4', mountFlags: [] },
          accessMode: 'SINGLE_NODE_WRITER',
        },
        secrets: {},
        volumeContext: {},
      },
      call(deadlineMs),
    ),
  );

/** What a watch of one probe has heard. */
function listen(stage: ProbeStage, context = stage.onMachine()): { readonly heard: string[] } {
  const heard: string[] = [];
  context.cluster.watch(
    ConfigMaps,
    {},
    {
      event: (event: WatchEvent<ConfigMap>) =>
        heard.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type),
      closed: (cause) => heard.push(`closed ${cause?.reason ?? 'by the server'}`),
    },
  );
  return { heard };
}

describe('P-SIM-6 faults of machines', () => {
  test('node-crash -> its process dies and no call is answered; its end -> a new life, and nothing is mounted', async () => {
    const stage = probeStage();
    await stage.mounter().makeDirectory('/target', 0o750);
    await stage
      .mounter()
      .mount({ source: 'disk', target: '/target', fsType: '', options: [] }, stage.onMachine().signal);
    const { signal } = stage.onMachine();
    stage.begin({ type: 'node-crash', node: MACHINE }, 60 * SECOND_MS);
    const unanswered = staging(stage, 5 * SECOND_MS);
    await stage.pass(30 * SECOND_MS);
    expect(signal.aborted).toBe(true);
    expect(await stage.mounter().mounts()).toHaveLength(1);
    expect(unanswered).toMatchObject({ state: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    await stage.pass(40 * SECOND_MS);
    expect(stage.lives(ON_MACHINE)).toBe(2);
    expect(stage.onMachine().signal.aborted).toBe(false);
    expect(await stage.mounter().mounts()).toEqual([]);
    expect(staging(stage)).toMatchObject({ state: 'waiting' });
  });

  test('node-freeze -> timers, answers and events wait, and all of them come when it ends', async () => {
    const stage = probeStage();
    const { clock, cluster } = stage.onMachine();
    const { heard } = listen(stage);
    await stage.pass(SECOND_MS);
    const rings: number[] = [];
    clock.after(2 * SECOND_MS, () => rings.push(2));
    clock.after(5 * SECOND_MS, () => rings.push(5));
    clock.after(6 * SECOND_MS, () => rings.push(6)).cancel();
    stage.begin({ type: 'node-freeze', node: MACHINE }, 10 * SECOND_MS);
    const answer = watched(cluster.list(ConfigMaps));
    await user(stage).create(ConfigMaps, map('one'));
    await stage.pass(9 * SECOND_MS);
    expect([rings, heard, answer.state]).toEqual([[], [], 'waiting']);
    await stage.pass(SECOND_MS);
    expect([rings, heard, answer.state]).toEqual([[2, 5], ['ADDED one'], 'done']);
    expect(stage.lives(ON_MACHINE)).toBe(1);
  });

  test('node-return -> ends what keeps the machine away, and nothing else', async () => {
    const stage = probeStage();
    const partition: Fault = { type: 'partition', node: MACHINE, from: 'both' };
    const full: Fault = { type: 'disk-full', node: MACHINE };
    for (const fault of [partition, full, { type: 'node-freeze', node: MACHINE } as const]) stage.begin(fault);
    stage.begin({ type: 'node-return', node: MACHINE }, 0);
    await stage.pass(SECOND_MS);
    expect([...stage.faults.active]).toEqual([full]);
    expect(watched(stage.onMachine().cluster.list(ConfigMaps)).state).toBe('waiting');
  });

  test('kubelet-restart -> a new life of the process; what is mounted stays', async () => {
    const stage = probeStage();
    await stage.mounter().makeDirectory('/target', 0o750);
    await stage
      .mounter()
      .mount({ source: 'disk', target: '/target', fsType: '', options: [] }, stage.onMachine().signal);
    stage.begin({ type: 'kubelet-restart', node: MACHINE }, SECOND_MS);
    expect(stage.onMachine().signal.aborted).toBe(true);
    await stage.pass(2 * SECOND_MS);
    expect(stage.lives(ON_MACHINE)).toBe(2);
    expect(await stage.mounter().mounts()).toHaveLength(1);
  });

  test('a process held down by two faults -> lives again when both have ended', async () => {
    const stage = probeStage();
    stage.begin({ type: 'kubelet-restart', node: MACHINE }, 5 * SECOND_MS);
    stage.begin({ type: 'node-crash', node: MACHINE }, 20 * SECOND_MS);
    await stage.pass(10 * SECOND_MS);
    expect(stage.lives(ON_MACHINE)).toBe(1);
    await stage.pass(15 * SECOND_MS);
    expect(stage.lives(ON_MACHINE)).toBe(2);
  });

  test('clock-step -> wall time jumps, elapsed time does not, and its end is the jump back', async () => {
    const stage = probeStage();
    const { clock } = stage.onMachine();
    stage.begin({ type: 'clock-step', node: MACHINE, byMs: -3600 * SECOND_MS }, 10 * SECOND_MS);
    const rings: number[] = [];
    clock.after(2 * SECOND_MS, () => rings.push(clock.monotonic()));
    await stage.pass(5 * SECOND_MS);
    expect(clock.now()).toBe(SIMULATION_STARTS_AT + 5 * SECOND_MS - 3600 * SECOND_MS);
    expect([clock.monotonic(), rings]).toEqual([5 * SECOND_MS, [2 * SECOND_MS]]);
    expect(stage.inControlPlane().clock.now()).toBe(SIMULATION_STARTS_AT + 5 * SECOND_MS);
    await stage.pass(5 * SECOND_MS);
    expect(clock.now()).toBe(SIMULATION_STARTS_AT + 10 * SECOND_MS);
  });

  test('disk-full -> nothing can be written, things can be unmounted; its end -> written again', async () => {
    const stage = probeStage();
    const fault: Fault = { type: 'disk-full', node: MACHINE };
    stage.begin(fault);
    await expect(stage.mounter().makeDirectory('/a', 0o750)).rejects.toSatisfy(isMountError);
    await expect(stage.mounter().unmount('/a', stage.onMachine().signal)).resolves.toBeUndefined();
    stage.faults.end(fault);
    await expect(stage.mounter().makeDirectory('/a', 0o750)).resolves.toBeUndefined();
  });

  test('device-busy -> nothing can be unmounted; its end -> unmounted again', async () => {
    const stage = probeStage();
    const fault: Fault = { type: 'device-busy', node: MACHINE };
    stage.begin(fault);
    await expect(stage.mounter().unmount('/a', stage.onMachine().signal)).rejects.toThrow('target is busy');
    stage.faults.end(fault);
    await expect(stage.mounter().unmount('/a', stage.onMachine().signal)).resolves.toBeUndefined();
  });
});

describe('P-SIM-6 partitions', () => {
  test('from the API, short -> requests and events arrive late', async () => {
    const stage = probeStage();
    const { heard } = listen(stage);
    await stage.pass(SECOND_MS);
    stage.begin({ type: 'partition', node: MACHINE, from: 'api' }, 5 * SECOND_MS);
    const answer = watched(stage.onMachine().cluster.create(ConfigMaps, map('late')));
    await stage.pass(4 * SECOND_MS);
    expect([answer.state, heard]).toEqual(['waiting', []]);
    await stage.pass(2 * SECOND_MS);
    expect([answer.state, heard]).toEqual(['done', ['ADDED late']]);
  });

  test('from the API, long -> requests time out without effect, watches end after 45 s; others are not touched', async () => {
    const stage = probeStage();
    const { heard } = listen(stage);
    await stage.pass(SECOND_MS);
    stage.begin({ type: 'partition', node: MACHINE, from: 'api' }, 60 * SECOND_MS);
    const answer = watched(stage.onMachine().cluster.create(ConfigMaps, map('never')));
    const other = watched(stage.inControlPlane().cluster.create(ConfigMaps, map('other')));
    await stage.pass(11 * SECOND_MS);
    expect(answer).toMatchObject({ state: 'failed', error: { reason: 'Timeout' } });
    expect(other.state).toBe('done');
    await stage.pass(33 * SECOND_MS);
    expect(heard).toEqual([]);
    await stage.pass(2 * SECOND_MS);
    expect(heard).toEqual(['closed Timeout']);
    await stage.pass(20 * SECOND_MS);
    const names = await stage.onMachine().cluster.list(ConfigMaps, { namespace: 'default' });
    expect(names.items.map(({ metadata }) => metadata.name)).not.toContain('never');
  });

  test('from the API while the answer is under way -> the effect is there, the caller never knows', async () => {
    const stage = probeStage();
    const answer = watched(stage.onMachine().cluster.create(ConfigMaps, map('done')));
    stage.begin({ type: 'partition', node: MACHINE, from: 'api' }, 60 * SECOND_MS);
    await stage.pass(30 * SECOND_MS);
    expect(answer).toMatchObject({ state: 'failed', error: { reason: 'Timeout' } });
    const found = await user(stage).get(ConfigMaps, 'default/done');
    expect(found.metadata.name).toBe('done');
  });

  test('from storage -> staging hangs, unpublishing works, the API is reached; a call given up does nothing', async () => {
    const stage = probeStage();
    stage.begin({ type: 'partition', node: MACHINE, from: 'storage' }, 20 * SECOND_MS);
    const given = staging(stage, 5 * SECOND_MS);
    const patient = publish(stage, 60 * SECOND_MS);
    const local = watched(
      stage.nodeService().nodeUnpublishVolume({ volumeId: 'disk-1', targetPath: '/target' }, call()),
    );
    const api = watched(stage.onMachine().cluster.list(ConfigMaps));
    await stage.pass(10 * SECOND_MS);
    expect([given.state, patient.state, local.state, api.state]).toEqual(['failed', 'waiting', 'done', 'done']);
    await stage.pass(11 * SECOND_MS);
    // Nothing was staged by the call that its caller had given up.
    expect(patient).toMatchObject({ state: 'failed', error: { code: 'FAILED_PRECONDITION' } });
  });
});

describe('P-SIM-6 faults of views', () => {
  test('api-error -> requests of that actor fail without effect; its end -> they work', async () => {
    const stage = probeStage();
    const fault: Fault = {
      type: 'api-error',
      actor: ON_MACHINE,
      reason: 'InternalError',
      probability: 1,
      afterEffect: false,
    };
    stage.begin(fault);
    const answer = watched(stage.onMachine().cluster.create(ConfigMaps, map('one')));
    await stage.pass(SECOND_MS);
    expect(isApiError(answer.error, 'InternalError')).toBe(true);
    stage.faults.end(fault);
    await stage.onMachine().cluster.create(ConfigMaps, map('one'));
  });

  test('api-error after the effect -> the caller sees an error, the object is there', async () => {
    const stage = probeStage();
    stage.begin({ type: 'api-error', actor: ON_MACHINE, reason: 'Timeout', probability: 1, afterEffect: true });
    const answer = watched(stage.onMachine().cluster.create(ConfigMaps, map('one')));
    await stage.pass(SECOND_MS);
    expect(answer).toMatchObject({ state: 'failed', error: { reason: 'Timeout' } });
    await user(stage).get(ConfigMaps, 'default/one');
  });

  test('api-latency -> requests and events take longer and keep their order; its end -> they do not overtake', async () => {
    const stage = probeStage();
    const { heard } = listen(stage);
    await stage.pass(SECOND_MS);
    const fault: Fault = { type: 'api-latency', actor: ON_MACHINE, byMs: 3 * SECOND_MS };
    stage.begin(fault);
    await user(stage).create(ConfigMaps, map('one'));
    await stage.pass(SECOND_MS);
    stage.faults.end(fault);
    await user(stage).create(ConfigMaps, map('two'));
    await stage.pass(SECOND_MS);
    expect(heard).toEqual([]);
    await stage.pass(2 * SECOND_MS);
    expect(heard).toEqual(['ADDED one', 'ADDED two']);
  });

  test('stale-reads -> watches stand still and lists that allow it are old; gets and consistent lists are not', async () => {
    const stage = probeStage();
    const { heard } = listen(stage);
    await stage.pass(SECOND_MS);
    const fault: Fault = { type: 'stale-reads', actor: ON_MACHINE };
    stage.begin(fault);
    await user(stage).create(ConfigMaps, map('new'));
    await stage.pass(SECOND_MS);
    const names = async (options: object): Promise<readonly string[]> => {
      const listed = await stage.onMachine().cluster.list(ConfigMaps, { namespace: 'default', ...options });
      return listed.items.map(({ metadata }) => metadata.name).filter((name) => name === 'new');
    };
    expect(heard).toEqual([]);
    expect(await names({ resourceVersion: '0' })).toEqual([]);
    expect(await names({})).toEqual(['new']);
    await stage.onMachine().cluster.get(ConfigMaps, 'default/new');
    stage.faults.end(fault);
    expect(heard).toEqual(['ADDED new']);
    expect(await names({ resourceVersion: '0' })).toEqual(['new']);
  });

  test('watch-drop -> open watches end and new ones are refused while it lasts', async () => {
    const stage = probeStage();
    const before = listen(stage);
    await stage.pass(SECOND_MS);
    const fault: Fault = { type: 'watch-drop', actor: ON_MACHINE };
    stage.begin(fault);
    const during = listen(stage);
    await stage.pass(SECOND_MS);
    stage.faults.end(fault);
    const after = listen(stage);
    await user(stage).create(ConfigMaps, map('one'));
    await stage.pass(SECOND_MS);
    expect([before.heard, during.heard, after.heard]).toEqual([
      ['closed by the server'],
      ['closed ServiceUnavailable'],
      ['ADDED one'],
    ]);
  });
});

describe('P-SIM-6 faults of drivers', () => {
  test('csi after the effect -> an error, and the work is done', async () => {
    const stage = probeStage();
    stage.begin({ type: 'csi', call: 'NodeStageVolume', code: 'UNAVAILABLE', probability: 1, afterEffect: true });
    await stage.mounter().makeDirectory('/staging', 0o750);
    const answer = staging(stage);
    await stage.pass(SECOND_MS);
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'UNAVAILABLE' } });
    expect(stage.world.backends.get(DRIVER)?.volume('disk-1')?.staged).toHaveLength(1);
  });

  test('csi of another driver -> not touched', async () => {
    const stage = probeStage();
    stage.begin({
      type: 'csi',
      driver: 'other',
      call: 'NodeStageVolume',
      code: 'INTERNAL',
      probability: 1,
      afterEffect: false,
    });
    await stage.mounter().makeDirectory('/staging', 0o750);
    const answer = staging(stage);
    await stage.pass(SECOND_MS);
    expect(answer.state).toBe('done');
  });

  test('csi-hang -> no answer while it lasts; who waits is answered then, who gave up has done nothing', async () => {
    const stage = probeStage();
    stage.begin({ type: 'csi-hang', call: 'NodeStageVolume' }, 20 * SECOND_MS);
    await stage.mounter().makeDirectory('/staging', 0o750);
    const gaveUp = staging(stage, 5 * SECOND_MS);
    await stage.pass(21 * SECOND_MS);
    expect(gaveUp).toMatchObject({ state: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(stage.world.backends.get(DRIVER)?.volume('disk-1')?.staged).toEqual([]);
    expect(staging(stage)).toBeDefined();
    await stage.pass(SECOND_MS);
    expect(stage.world.backends.get(DRIVER)?.volume('disk-1')?.staged).toHaveLength(1);
  });

  test('csi-slow -> the driver finishes after its caller gave up, and does one thing at a time to a volume', async () => {
    const stage = probeStage();
    stage.begin({ type: 'csi-slow', call: 'NodeStageVolume', byMs: 20 * SECOND_MS }, SECOND_MS);
    await stage.mounter().makeDirectory('/staging', 0o750);
    const slow = staging(stage, 5 * SECOND_MS);
    await stage.pass(10 * SECOND_MS);
    const meanwhile = watched(
      stage.nodeService().nodeUnstageVolume({ volumeId: 'disk-1', stagingTargetPath: '/staging' }, call()),
    );
    await stage.pass(SECOND_MS);
    expect(slow).toMatchObject({ state: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    expect(meanwhile).toMatchObject({ state: 'failed', error: { code: 'ABORTED' } });
    expect(stage.world.backends.get(DRIVER)?.volume('disk-1')?.staged).toEqual([]);
    await stage.pass(10 * SECOND_MS);
    expect(stage.world.backends.get(DRIVER)?.volume('disk-1')?.staged).toHaveLength(1);
  });
});

describe('P-SIM-6 faults of processes', () => {
  test.each([
    ['component-restart', { type: 'component-restart', component: IN_CONTROL_PLANE }],
    ['component-crash', { type: 'component-crash', component: IN_CONTROL_PLANE }],
    ['leader-change', { type: 'leader-change', program: 'kube-controller-manager' }],
  ] as readonly (readonly [string, Fault])[])('%s -> dead while it lasts, then a new life', async (_, fault) => {
    const stage = probeStage();
    stage.begin(fault, 17 * SECOND_MS);
    await stage.pass(16 * SECOND_MS);
    expect([stage.inControlPlane().signal.aborted, stage.lives(IN_CONTROL_PLANE)]).toEqual([true, 1]);
    await stage.pass(2 * SECOND_MS);
    expect([stage.inControlPlane().signal.aborted, stage.lives(IN_CONTROL_PLANE)]).toEqual([false, 2]);
  });

  test('component-freeze -> the process stands still, goes on with what it had in mind, others do not notice', async () => {
    const stage = probeStage();
    const rings: string[] = [];
    stage.inControlPlane().clock.after(SECOND_MS, () => rings.push('frozen'));
    stage.onMachine().clock.after(SECOND_MS, () => rings.push('other'));
    stage.begin({ type: 'component-freeze', component: IN_CONTROL_PLANE }, 10 * SECOND_MS);
    await stage.pass(9 * SECOND_MS);
    expect(rings).toEqual(['other']);
    await stage.pass(2 * SECOND_MS);
    expect([rings, stage.lives(IN_CONTROL_PLANE)]).toEqual([['other', 'frozen'], 1]);
  });
});
