import { describe, expect, it } from 'vitest';
import { AssertionFailure } from '../base/assert.ts';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { conflict } from '../kube/api-error.ts';
import { keyOf } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import { type Outcome, type Turn, startController, trigger } from './controller.ts';
import { InformerFactory } from './informer-factory.ts';
import { Widgets, testContext, widget } from '../../test/runtime/test-context.ts';

const SETTLED: Outcome = { type: 'settled' };
const started: Reason = { type: 'started', entry: null };

function setUp(reconcile: (key: string, turn: Turn) => Promise<Outcome>, workers = 1) {
  const context = testContext();
  const informers = new InformerFactory(context);
  const widgets = informers.of(Widgets);
  const controller = startController({
    reconciler: { name: 'painter', kind: 'Widget', reconcile },
    triggers: [trigger(widgets, (change) => [keyOf(change.object)])],
    workers,
    context,
    waitFor: [informers],
  });
  informers.start();
  return { ...context, controller };
}

describe('startController', () => {
  it('P-RT-14 a change -> its key reconciled once the caches know their content, writing in the name of the change', async () => {
    const seen: string[] = [];
    const run = setUp(async (key, turn) => {
      seen.push(key);
      if (key === 'ns/a') await turn.cluster.create(Widgets, widget('made-for-a'));
      return SETTLED;
    });
    const entry = { at: 0, actor: 'user', verb: 'create', kind: 'Widget', key: 'ns/a', because: null };
    const number = run.timeline.record({ ...entry, resourceVersion: '1' });
    run.cluster.put(Widgets, widget('a'));
    await run.clock.advanceUntilQuiet(SECOND_MS);
    expect(seen).toEqual(['ns/a', 'ns/made-for-a']);
    expect(run.cluster.calls.map((call) => call.reason)).toEqual([
      { type: 'changed', kind: 'Widget', key: 'ns/a', entry: number },
    ]);
  });

  it('P-RT-15 requeue -> comes back after the wait; equal waits are one entry of the timeline', async () => {
    const at: number[] = [];
    const reasons: Reason[] = [];
    const run = setUp(async (_key, turn) => {
      at.push(run.clock.monotonic());
      reasons.push(turn.reason);
      return at.length < 4 ? { type: 'requeue', after: 10 * SECOND_MS, waitingFor: 'paint to dry' } : SETTLED;
    });
    run.cluster.put(Widgets, widget('a'));
    await run.clock.advanceUntilQuiet(MINUTE_MS);
    expect(at).toEqual([0, 10 * SECOND_MS, 20 * SECOND_MS, 30 * SECOND_MS]);
    expect(
      [...run.timeline.entries()].map((entry) => [entry.actor, entry.verb, entry.kind, entry.key, entry.detail]),
    ).toEqual([['painter', 'waits', 'Widget', 'ns/a', 'paint to dry']]);
    expect(reasons[1]).toEqual({ type: 'requeued', waitingFor: 'paint to dry', entry: 1 });
  });

  it('P-RT-16 a pass that throws -> tried again after 5, 10, 20 ms, reset by success; conflicts are no news', async () => {
    const at: number[] = [];
    const run = setUp(async () => {
      at.push(run.clock.monotonic());
      if (at.length === 1) throw conflict(Widgets, 'a');
      if (at.length < 4 || at.length === 5) throw new Error('no paint');
      return SETTLED;
    });
    run.cluster.put(Widgets, widget('a'));
    await run.clock.advanceUntilQuiet(SECOND_MS);
    expect(at).toEqual([0, 5, 15, 35]);
    expect(run.lines.map((line) => line.level)).toEqual(['debug', 'warn', 'warn']);
    run.controller.queue.add('ns/a', started);
    await run.clock.advanceUntilQuiet(SECOND_MS);
    expect(at.slice(4).map((each) => each - (at[4] ?? 0))).toEqual([0, 5]);
  });

  it('P-RT-6 a bug in a pass -> logged as an error with itself, other keys go on', async () => {
    const bug = new AssertionFailure('paint is wet');
    const seen: string[] = [];
    const run = setUp(async (key) => {
      seen.push(key);
      if (key === 'ns/a' && seen.length === 1) throw bug;
      return SETTLED;
    });
    run.cluster.put(Widgets, widget('a'));
    run.cluster.put(Widgets, widget('b'));
    await run.clock.advanceUntilQuiet(SECOND_MS);
    expect(seen).toEqual(['ns/a', 'ns/b', 'ns/a']);
    expect(run.lines.map((line) => [line.level, line.fields?.['error']])).toEqual([['error', bug]]);
  });

  it('P-RT-8 two workers, one key -> never at the same time; two keys -> at the same time', async () => {
    const running = new Set<string>();
    let most = 0;
    const run = setUp(async (key) => {
      expect(running.has(key)).toBe(false);
      running.add(key);
      most = Math.max(most, running.size);
      await run.clock.sleep(SECOND_MS);
      running.delete(key);
      return SETTLED;
    }, 2);
    run.cluster.put(Widgets, widget('a'));
    run.cluster.put(Widgets, widget('b'));
    await run.clock.advanceTo(run.clock.now() + 500);
    run.cluster.put(Widgets, widget('a'));
    await run.clock.advanceUntilQuiet(MINUTE_MS);
    expect(most).toBe(2);
    expect(run.clock.monotonic()).toBe(2 * SECOND_MS);
  });

  it('P-RT-7 signal during a pass -> no further pass, no timer', async () => {
    let passes = 0;
    const run = setUp(async () => {
      passes++;
      await run.clock.sleep(SECOND_MS);
      throw new Error('too late to matter');
    });
    run.cluster.put(Widgets, widget('a'));
    await run.clock.advanceTo(run.clock.now() + 500);
    run.stop.abort();
    await run.clock.advanceTo(run.clock.now() + MINUTE_MS);
    expect(passes).toBe(1);
    expect(run.clock.pendingTimers).toBe(0);
  });
});
