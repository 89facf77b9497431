import { describe, expect, it } from 'vitest';
import { Aborted, MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { expired, forbidden, serviceUnavailable } from '../kube/api-error.ts';
import type { Reason } from '../kube/reason.ts';
import { InformerFactory } from './informer-factory.ts';
import { type Change, SharedInformer, waitForSync } from './informer.ts';
import { type Widget, Widgets, testContext, widget } from '../../test/runtime/test-context.ts';

function setUp(options: { readonly resyncMs?: number } = {}) {
  const context = testContext();
  const informer = new SharedInformer({
    ...context,
    resource: Widgets,
    indexes: { colour: (object) => object.colours },
    options,
  });
  const told: string[] = [];
  const reasons: Reason[] = [];
  const tell = (change: Change<Widget>, reason: Reason): void => {
    told.push(`${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion}`);
    reasons.push(reason);
  };
  return { ...context, informer, told, reasons, tell };
}

const names = (widgets: Iterable<Widget>): string[] => [...widgets].map((each) => each.metadata.name);

describe('SharedInformer', () => {
  it('P-RT-1 objects before and after the start -> all told, in order, and found by key and index', async () => {
    const { cluster, clock, informer, signal, told, tell } = setUp();
    cluster.put(Widgets, widget('a', ['red']));
    informer.subscribe(tell);
    informer.start(signal);
    expect(informer.synced).toBe(false);
    await clock.advanceUntilQuiet(SECOND_MS);
    expect(informer.synced).toBe(true);
    cluster.put(Widgets, widget('b', ['red', 'blue']));
    cluster.put(Widgets, widget('a', ['blue']));
    cluster.remove(Widgets, 'ns/b');
    expect(told).toEqual(['added a@1', 'added b@2', 'updated a@3', 'deleted b@4']);
    expect(names(informer.all())).toEqual(['a']);
    expect(names(informer.by('colour', 'red'))).toEqual([]);
    expect(names(informer.by('colour', 'blue'))).toEqual(['a']);
    expect(informer.get('ns/b')).toBeUndefined();
  });

  it('P-RT-3 late subscriber -> told the content as added, then the changes', async () => {
    const { cluster, clock, informer, signal, told, tell } = setUp();
    cluster.put(Widgets, widget('a'));
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    const subscription = informer.subscribe(tell);
    cluster.put(Widgets, widget('a'));
    subscription.dispose();
    cluster.put(Widgets, widget('a'));
    expect(told).toEqual(['added a@1', 'updated a@2']);
  });

  it('P-RT-2 a recorded write -> its change names the entry; an unseen deletion names none', async () => {
    const { cluster, clock, informer, signal, timeline, reasons, tell } = setUp();
    informer.subscribe(tell);
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    const entry = { at: 0, actor: 'user', verb: 'create', kind: 'Widget', key: 'ns/a', because: null };
    const number = timeline.record({ ...entry, resourceVersion: '1' });
    cluster.put(Widgets, widget('a'));
    expect(reasons).toEqual([{ type: 'changed', kind: 'Widget', key: 'ns/a', entry: number }]);
    cluster.closeWatches(serviceUnavailable('gone for a while'));
    cluster.remove(Widgets, 'ns/a');
    cluster.forgetBefore(2);
    await clock.advanceUntilQuiet(MINUTE_MS);
    expect(reasons.at(-1)).toEqual({ type: 'changed', kind: 'Widget', key: 'ns/a', entry: null });
  });

  it('P-RT-1 a watch that ended after a while -> goes on at once from where it was, without a list', async () => {
    const { cluster, clock, informer, signal, told, tell } = setUp();
    const asked: string[] = [];
    informer.subscribe(tell);
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    cluster.onRequest = (verb) => void asked.push(verb);
    await clock.advanceTo(clock.now() + 5 * MINUTE_MS);
    cluster.closeWatches();
    expect(cluster.openWatches).toBe(1);
    cluster.put(Widgets, widget('a'));
    expect(told).toEqual(['added a@1']);
    expect(asked).toEqual([]);
  });

  it('P-RT-1 410 on a watch -> lists again 0.8 to 1.6 s later and tells the difference alone', async () => {
    const { cluster, clock, informer, signal, told, tell } = setUp();
    cluster.put(Widgets, widget('same'));
    cluster.put(Widgets, widget('gone'));
    informer.subscribe(tell);
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    cluster.closeWatches(expired('too old resource version'));
    told.length = 0;
    cluster.put(Widgets, widget('new'));
    cluster.remove(Widgets, 'ns/gone');
    await clock.advanceTo(clock.now() + 800 - 1);
    expect(told).toEqual([]);
    await clock.advanceTo(clock.now() + 801);
    expect(told).toEqual(['added new@3', 'deleted gone@2']);
  });

  it('P-RT-4 a server that refuses lists -> waits grow from 0.8 s to at most 60 s', async () => {
    const { cluster, clock, informer, signal } = setUp();
    const askedAt: number[] = [];
    cluster.onRequest = () => {
      askedAt.push(clock.monotonic());
      throw serviceUnavailable('starting');
    };
    informer.start(signal);
    await clock.advanceTo(clock.now() + 10 * MINUTE_MS);
    const gaps = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000].forEach((least, index) => {
      expect(gaps[index]).toBeGreaterThanOrEqual(least);
      expect(gaps[index]).toBeLessThanOrEqual(2 * least + 1);
    });
  });

  it('P-RT-4 a server that says we may not -> said once, and again when it took the right away later', async () => {
    const { cluster, clock, informer, signal, lines } = setUp();
    const refuse = (): never => {
      throw forbidden({ group: '', plural: 'widgets' }, '', 'no rights');
    };
    cluster.onRequest = refuse;
    informer.start(signal);
    await clock.advanceTo(clock.now() + MINUTE_MS);
    const message = 'cannot follow widgets, and tries again: widgets is forbidden: no rights';
    expect(lines).toMatchObject([{ level: 'warn', message }]);
    cluster.onRequest = () => undefined;
    await clock.advanceTo(clock.now() + MINUTE_MS);
    expect(informer.synced).toBe(true);
    cluster.onRequest = refuse;
    cluster.closeWatches(expired('too old resource version'));
    await clock.advanceTo(clock.now() + MINUTE_MS);
    expect(lines.map((line) => line.message)).toEqual([message, message]);
  });

  it('P-RT-1 more objects than a page -> all of them, in one replacement', async () => {
    const { cluster, clock, informer, signal } = setUp();
    for (let index = 0; index < 1201; index++) cluster.put(Widgets, widget(`w${index}`));
    let lists = 0;
    cluster.onRequest = () => void lists++;
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    expect(lists).toBe(3);
    expect([...informer.all()].length).toBe(1201);
  });

  it('P-RT-5 resync period -> every object told again with equal sides, as a background timer', async () => {
    const { cluster, clock, informer, signal, reasons } = setUp({ resyncMs: 15 * SECOND_MS });
    cluster.put(Widgets, widget('a'));
    const equalSides: boolean[] = [];
    informer.subscribe((change, reason) => {
      reasons.push(reason);
      if (change.type === 'updated') equalSides.push(change.before === change.object);
    });
    informer.start(signal);
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    await clock.advanceTo(clock.now() + 31 * SECOND_MS);
    expect(equalSides).toEqual([true, true]);
    expect(reasons.slice(1)).toEqual([
      { type: 'resync', entry: null },
      { type: 'resync', entry: null },
    ]);
  });

  it('P-RT-6 a handler that throws -> the others hear the change, and the failure is logged', async () => {
    const { cluster, clock, informer, signal, told, tell, lines } = setUp();
    informer.subscribe(() => {
      throw new Error('broken handler');
    });
    informer.subscribe(tell);
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    cluster.put(Widgets, widget('a'));
    await clock.advanceUntilQuiet(SECOND_MS);
    expect(told).toEqual(['added a@1']);
    expect(lines.map((line) => line.message)).toEqual(['handler of widgets failed: broken handler']);
  });

  it('P-RT-7 its signal fires -> watch disposed, nothing told any more, no timer left', async () => {
    const { cluster, clock, informer, signal, stop, told, tell } = setUp({ resyncMs: SECOND_MS });
    informer.subscribe(tell);
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    stop.abort();
    cluster.put(Widgets, widget('a'));
    await clock.advanceTo(clock.now() + MINUTE_MS);
    expect(told).toEqual([]);
    expect(cluster.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('waitForSync', () => {
  it('all informers listed -> resolves; aborted before -> Aborted', async () => {
    const { clock, informer, signal } = setUp();
    const order: string[] = [];
    const waiting = waitForSync([informer], signal).then(() => order.push('synced'));
    order.push('started');
    informer.start(signal);
    await clock.advanceUntilQuiet(SECOND_MS);
    await waiting;
    expect(order).toEqual(['started', 'synced']);
    const stop = new AbortController();
    const never = setUp().informer.whenSynced(stop.signal);
    stop.abort();
    await expect(never).rejects.toBeInstanceOf(Aborted);
  });
});

describe('InformerFactory', () => {
  it('two callers of one kind -> one informer with the indexes of both', async () => {
    const context = testContext();
    const informers = new InformerFactory(context);
    const first = informers.of(Widgets, { colour: (object) => object.colours });
    context.cluster.put(Widgets, widget('a', ['red']));
    informers.start();
    await context.clock.advanceUntilQuiet(SECOND_MS);
    await informers.whenSynced(context.signal);
    const second = informers.of(Widgets, { name: (object) => [object.metadata.name] });
    expect(second).toBe(first);
    expect(names(second.by('colour', 'red'))).toEqual(['a']);
    expect(names(first.by('name', 'a'))).toEqual(['a']);
    expect(informers.of(Widgets, {}, { namespace: 'other' })).not.toBe(first);
  });
});
