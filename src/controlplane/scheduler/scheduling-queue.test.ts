import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { aNode, aWorkload } from '../../../test/scheduler/makers.ts';
import type { PluginName } from './plugin.ts';
import { SchedulingQueue } from './scheduling-queue.ts';
import { type SchedulerSettings, resolveSettings } from './settings.ts';

const STARTED: Reason = { type: 'started', entry: null };
/** In the middle of a second, so that windows of a second are seen. */
const BEGIN = 1_000_000_000_300;

function queueOf(settings: SchedulerSettings = {}) {
  const clock = new SteppedClock(BEGIN);
  const stop = new AbortController();
  const queue = new SchedulingQueue({
    clock,
    settings: resolveSettings(settings),
    signal: stop.signal,
    hints: { namespaceNamed: () => undefined },
  });
  /** What was taken so far, with the milliseconds since the beginning. */
  const taken: string[] = [];
  let onTaken: (pod: Pod) => void = () => undefined;
  const loop = async () => {
    for (;;) {
      const { pod } = await queue.take(stop.signal);
      taken.push(`${pod.metadata.name}@${clock.now() - BEGIN}`);
      onTaken(pod);
    }
  };
  const start = () => void loop().catch(() => undefined);
  return {
    clock,
    queue,
    taken,
    stop,
    start,
    advance: (ms: number) => clock.advanceTo(BEGIN + ms),
    add: (pod: Pod) => queue.add(pod, STARTED),
    refuse: (pod: Pod, ...rejectedBy: readonly PluginName[]) =>
      queue.returnFailed(keyOf(pod), pod, { rejectedBy: new Set(rejectedBy) }),
    onTaken: (act: (pod: Pod) => void) => (onTaken = act),
  };
}

const pod = (name: string, priority = 0) => aWorkload({ name, priority, claims: [`claim-of-${name}`] });
const claimOf = (name: string) => aClaim({ name: `claim-of-${name}` });

describe('P-SCH-3 SchedulingQueue', () => {
  it('several ready pods -> by priority, then by age', async () => {
    const { add, start, taken, advance, clock } = queueOf();
    add(pod('old'));
    await clock.advanceTo(BEGIN + 1);
    add(pod('young'));
    add(pod('vital', 100));
    start();
    await advance(2);
    expect(taken.map((each) => each.split('@')[0])).toEqual(['vital', 'old', 'young']);
  });

  it('refused pod -> waits for a change that its plugins care about, and for its own claim only', async () => {
    const { add, start, refuse, queue, taken, advance, onTaken } = queueOf();
    onTaken((each) => refuse(each, 'VolumeBinding'));
    add(pod('a'));
    add(pod('b'));
    start();
    await advance(10);
    queue.react({ type: 'claim-updated', claim: claimOf('b') }, STARTED);
    queue.react({ type: 'pod-deleted', pod: aWorkload({ name: 'other', nodeName: 'n' }) }, STARTED);
    await advance(20);
    expect(taken).toEqual(['a@0', 'b@0', 'b@10']);
  });

  it('idle scheduler from 1.33 on -> a refused pod leaves its back-off at once', async () => {
    const { add, start, refuse, queue, taken, advance, onTaken } = queueOf();
    onTaken((each) => refuse(each, 'VolumeBinding'));
    add(pod('a'));
    start();
    for (const ms of [100, 200, 300]) {
      await advance(ms);
      queue.react({ type: 'volume-added', volume: aVolume() }, STARTED);
    }
    await advance(301);
    expect(taken).toEqual(['a@0', 'a@100', 'a@200', 'a@300']);
  });

  it('idle scheduler up to 1.32 -> back-offs of 1, 2, 4, 8 and 10 s are sat out, looked at once a second', async () => {
    const { add, start, refuse, queue, taken, advance, onTaken } = queueOf({ profile: '1.32' });
    onTaken((each) => {
      refuse(each, 'VolumeBinding');
      queue.react({ type: 'volume-added', volume: aVolume() }, STARTED);
    });
    add(pod('a'));
    start();
    await advance(40 * SECOND_MS);
    expect(taken).toEqual(['a@0', 'a@2000', 'a@5000', 'a@10000', 'a@19000', 'a@30000']);
  });

  it('broken attempt -> tried again after a back-off although nothing changed, aligned to the second', async () => {
    const { add, start, refuse, taken, advance, onTaken } = queueOf();
    onTaken((each) => refuse(each));
    add(pod('a'));
    start();
    await advance(10 * SECOND_MS);
    // Until second 1, so at second 2; then until 4, so at 5; then until 9, so at 10 (the begin is at 0.3).
    expect(taken).toEqual(['a@0', 'a@1700', 'a@4700', 'a@9700']);
  });

  it('configured back-off -> used', async () => {
    const { add, start, refuse, taken, advance, onTaken } = queueOf({
      podInitialBackoffSeconds: 5,
      podMaxBackoffSeconds: 6,
    });
    onTaken((each) => refuse(each));
    add(pod('a'));
    start();
    await advance(20 * SECOND_MS);
    expect(taken).toEqual(['a@0', 'a@5700', 'a@12700', 'a@19700']);
  });

  it('nothing changes -> tried again after five minutes, at the next half minute', async () => {
    const { add, start, refuse, taken, advance, onTaken, clock } = queueOf();
    onTaken((each) => refuse(each, 'NodeAffinity'));
    await clock.advanceTo(BEGIN + 10 * SECOND_MS);
    add(pod('a'));
    start();
    await advance(11 * MINUTE_MS);
    expect(taken).toEqual(['a@10000', `a@${5.5 * MINUTE_MS}`, `a@${11 * MINUTE_MS}`]);
  });

  it('parked pods alone -> the world is quiet', async () => {
    const { add, start, refuse, onTaken, clock } = queueOf();
    onTaken((each) => refuse(each, 'NodeAffinity'));
    add(pod('a'));
    start();
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
  });

  it('scheduling gates -> not taken until the last is gone', async () => {
    const { add, start, queue, taken, advance } = queueOf();
    const gated = aWorkload({ name: 'a', schedulingGates: [{ name: 'one' }, { name: 'two' }] });
    const half = aWorkload({ name: 'a', schedulingGates: [{ name: 'two' }] });
    const free = aWorkload({ name: 'a' });
    add(gated);
    start();
    await advance(10 * MINUTE_MS);
    queue.update(gated, half, STARTED);
    await advance(11 * MINUTE_MS);
    expect(taken).toEqual([]);
    queue.update(half, free, STARTED);
    await advance(12 * MINUTE_MS);
    expect(taken).toEqual([`a@${11 * MINUTE_MS}`]);
  });

  it('own status written -> no reason to try again; tolerations added -> one', async () => {
    const { add, start, refuse, queue, taken, advance, onTaken } = queueOf();
    onTaken((each) => refuse(each, 'TaintToleration'));
    const before = pod('a');
    const written = { ...before, status: { ...before.status, message: 'x' } };
    const tolerant = { ...written, spec: { ...written.spec, tolerations: [{ operator: 'Exists' }] } };
    add(before);
    start();
    await advance(5);
    queue.update(before, written, STARTED);
    await advance(10);
    expect(taken).toEqual(['a@0']);
    queue.update(written, tolerant, STARTED);
    await advance(15);
    expect(taken).toEqual(['a@0', 'a@10']);
  });

  it('pod deleted while it waits -> never taken', async () => {
    const { add, start, queue, taken, advance } = queueOf();
    add(pod('a'));
    add(pod('b'));
    queue.delete('default/a');
    start();
    await advance(5);
    expect(taken).toEqual(['b@0']);
  });

  it('pod made again under its name during an attempt -> the old attempt does not park the new pod', async () => {
    const { add, start, refuse, taken, advance, onTaken } = queueOf();
    const first = pod('a');
    const second = { ...first, metadata: { ...first.metadata, uid: 'another' } };
    onTaken((each) => {
      if (each !== first) return;
      add(second);
      refuse(first, 'NodeAffinity');
    });
    add(first);
    start();
    await advance(5);
    expect(taken).toEqual(['a@0', 'a@0']);
  });

  it('refused by two plugins -> a change for either of them counts', async () => {
    const { add, start, refuse, queue, taken, advance, onTaken } = queueOf();
    onTaken((each) => refuse(each, 'NodeAffinity', 'VolumeBinding'));
    add(aWorkload({ name: 'a', nodeSelector: { disk: 'ssd' } }));
    start();
    await advance(5);
    queue.react({ type: 'node-updated', before: aNode(), node: aNode({ unschedulable: true }) }, STARTED);
    await advance(10);
    expect(taken).toEqual(['a@0']);
    queue.react({ type: 'node-updated', before: aNode(), node: aNode({ labels: { disk: 'ssd' } }) }, STARTED);
    await advance(15);
    expect(taken).toEqual(['a@0', 'a@10']);
  });

  it('stopped -> no timer is left', async () => {
    const { add, start, refuse, onTaken, stop, clock, advance } = queueOf();
    onTaken((each) => refuse(each));
    add(pod('a'));
    start();
    await advance(5);
    stop.abort();
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    expect(clock.fired).toBe(0);
  });
});
