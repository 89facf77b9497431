import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import type { WatchEvent, WatchOptions } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Secrets } from '../kube/resources/secret.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { genericStrategy } from './registry/generic-strategy.ts';
import { WatchService } from './watch-service.ts';

const strategy = genericStrategy(ConfigMaps);

function setUp(options: WatchOptions, historyCapacity = 8) {
  const clock = new SteppedClock(0);
  const store = new ObjectStore({ historyCapacity });
  const service = new WatchService({ store, clock, random: new SeededRandom(1) });
  const events: WatchEvent<KubeObject>[] = [];
  const ends: unknown[] = [];
  const put = (name: string, resource: typeof ConfigMaps | typeof Secrets = ConfigMaps): void => {
    const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' };
    store.put(resource, `ns/${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  };
  const open = (more: WatchOptions = {}) =>
    service.open(
      strategy,
      { ...options, ...more },
      { event: (event) => void events.push(event), closed: (cause) => void ends.push(cause) },
    );
  return { clock, store, events, ends, put, open };
}

describe('WatchService', () => {
  it('bookmarks asked for -> about once a minute, and only when there is something new to tell', async () => {
    const { clock, events, put, open } = setUp({ allowWatchBookmarks: true, resourceVersion: '0' });
    open();
    put('s', Secrets);
    await clock.advanceTo(MINUTE_MS);
    await clock.advanceTo(3 * MINUTE_MS);
    put('t', Secrets);
    await clock.advanceTo(5 * MINUTE_MS);
    expect(events).toEqual([
      { type: 'BOOKMARK', resourceVersion: '0', initialEventsEnd: true },
      { type: 'BOOKMARK', resourceVersion: '1', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '2', initialEventsEnd: false },
    ]);
  });

  it('bookmarks not asked for -> none', async () => {
    const { clock, events, put, open } = setUp({});
    open();
    put('s', Secrets);
    await clock.advanceTo(5 * MINUTE_MS);
    expect(events).toEqual([]);
  });

  it('timeoutSeconds -> a last bookmark, then a clean end, and silence', async () => {
    const { clock, events, ends, put, open } = setUp({ allowWatchBookmarks: true, timeoutSeconds: 5 });
    open();
    put('s', Secrets);
    await clock.advanceTo(5 * SECOND_MS);
    put('a');
    expect(events.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(ends).toEqual([undefined]);
  });

  it('no timeout named -> ends between half an hour and an hour', async () => {
    const { clock, ends, open } = setUp({});
    open();
    await clock.advanceTo(30 * MINUTE_MS - 1);
    expect(ends).toEqual([]);
    await clock.advanceTo(60 * MINUTE_MS);
    expect(ends).toEqual([undefined]);
  });

  it('disposed -> no timer is left that would do anything', async () => {
    const { clock, events, ends, put, open } = setUp({
      allowWatchBookmarks: true,
      timeoutSeconds: 5,
      resourceVersion: '0',
    });
    open().dispose();
    put('a');
    expect(await clock.advanceUntilQuiet(60 * MINUTE_MS)).toBe('quiet');
    await clock.advanceTo(60 * MINUTE_MS);
    expect([events.length, ends, clock.fired]).toEqual([1, [], 0]);
  });

  it('P-API-5 revision older than the history -> an error that says so, and the end', () => {
    const { events, ends, put, open } = setUp({}, 2);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) put(name);
    open({ resourceVersion: '1' });
    expect(events).toMatchObject([
      { type: 'ERROR', error: { code: 410, reason: 'Expired', message: 'too old resource version: 1 (4)' } },
    ]);
    expect(ends).toEqual([undefined]);
  });

  it('revision that lies in the future -> silence until it has passed', () => {
    const { events, put, open } = setUp({ resourceVersion: '2' });
    open();
    for (const name of ['a', 'b', 'c']) put(name);
    expect(events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'c' } } }]);
  });

  it('initial events declined -> only what comes', () => {
    const { events, put, open } = setUp({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
    put('a');
    open();
    put('b');
    expect(events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'b' } } }]);
  });
});
