import { describe, expect, it, vi } from 'vitest';
import { SECOND_MS } from '../base/clock.ts';
import type { ObjectList, WatchEvent } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import { LIST_PAGE_SIZE } from '../runtime/watcher.ts';
import { SharedReader } from './shared-reader.ts';
import { type Widget, Widgets, testContext, widget } from '../../test/runtime/test-context.ts';

function setUp() {
  const context = testContext();
  const lists = vi.spyOn(context.cluster, 'list');
  const watches = vi.spyOn(context.cluster, 'watch');
  const asked = () => ({ lists: lists.mock.calls.length, watches: watches.mock.calls.length });
  const shared = new SharedReader(context);
  const reader = shared.readerFor(context.cluster);
  const wait = (ms: number): Promise<void> => context.clock.advanceTo(context.clock.now() + ms);
  /** What an informer does: list, then watch from there. */
  const follow = async () => {
    const seen: string[] = [];
    const list: ObjectList<Widget> = await reader.list(Widgets, { limit: LIST_PAGE_SIZE });
    seen.push(...list.items.map(({ metadata }) => `has ${metadata.name}`));
    const watch = reader.watch(
      Widgets,
      { resourceVersion: list.resourceVersion, allowWatchBookmarks: true },
      { event: (event) => void seen.push(told(event)), closed: () => void seen.push('closed') },
    );
    return { seen, watch };
  };
  return { ...context, asked, reader, wait, follow };
}

const told = (event: WatchEvent<KubeObject>): string =>
  'object' in event ? `${event.type} ${event.object.metadata.name}` : event.type;

describe('SharedReader', () => {
  it('P-WORLD-9 many follow one kind -> the server is asked once, and all see everything in order', async () => {
    const { asked, cluster, wait, follow } = setUp();
    await cluster.create(Widgets, widget('a'));
    const both = Promise.all([follow(), follow()]);
    await wait(0);
    const [first, second] = await both;
    const created = await cluster.create(Widgets, widget('b'));
    await wait(0);
    const late = await follow();
    await cluster.delete(Widgets, keyOf(created));
    await wait(0);
    expect(first.seen).toEqual(['has a', 'ADDED b', 'DELETED b']);
    expect(second.seen).toEqual(first.seen);
    expect(late.seen).toEqual(['has a', 'has b', 'DELETED b']);
    expect(asked()).toEqual({ lists: 1, watches: 1 });
  });

  it('P-WORLD-9 a change between list and watch -> not missed; after the end of a watch -> nothing comes', async () => {
    const { cluster, reader, wait, follow } = setUp();
    const ready = follow();
    await wait(0);
    const { seen, watch } = await ready;
    const list = await reader.list(Widgets, { limit: LIST_PAGE_SIZE });
    await cluster.create(Widgets, widget('between'));
    await wait(0);
    const events: string[] = [];
    reader.watch(
      Widgets,
      { resourceVersion: list.resourceVersion },
      { event: (event) => void events.push(told(event)), closed: () => undefined },
    );
    expect(events).toEqual(['ADDED between']);
    watch.dispose();
    await cluster.create(Widgets, widget('after'));
    await wait(0);
    expect(seen).toEqual(['ADDED between']);
    expect(events).toEqual(['ADDED between', 'ADDED after']);
  });

  it('P-WORLD-9 a revision that nobody gave -> expired; a list of another kind of reader -> the server answers', async () => {
    const { asked, reader, wait, follow } = setUp();
    const ready = follow();
    await wait(0);
    await ready;
    const ends: (string | undefined)[] = [];
    const sink = {
      event: () => undefined,
      closed: (cause?: { readonly reason: string }) => void ends.push(cause?.reason),
    };
    reader.watch(Widgets, { resourceVersion: '17' }, sink);
    expect(ends).toEqual(['Expired']);
    await reader.list(Widgets, { namespace: 'ns' });
    expect(asked()).toEqual({ lists: 2, watches: 1 });
    await wait(SECOND_MS);
  });
});
