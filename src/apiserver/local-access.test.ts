import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import type { WatchEvent } from '../kube/cluster.ts';
import { type ConfigMap, ConfigMaps } from '../kube/resources/config-map.ts';
import { ApiServer, type Commit } from './apiserver.ts';
import { type Latency, type LocalAccessOptions, LocalClusterAccess } from './local-access.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { defaultStrategies } from './registry/strategies.ts';

const draft = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }) as const;

function world(latency: Partial<Latency> = {}, more: Partial<LocalAccessOptions> = {}) {
  const clock = new SteppedClock(0);
  const commits: Commit[] = [];
  const server = new ApiServer({
    clock,
    random: new SeededRandom(1),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    onCommit: (commit) => commits.push(commit),
  });
  const access = new LocalClusterAccess({
    server,
    clock,
    latency: { request: () => 0, watch: () => 0, ...latency },
    ...more,
  });
  return { clock, server, commits, access, cluster: access.as('tester') };
}

describe('LocalClusterAccess', () => {
  it('create while watching -> the event carries the created object, after the write and never inside it', async () => {
    const { clock, cluster } = world();
    const events: WatchEvent<ConfigMap>[] = [];
    cluster.watch(ConfigMaps, {}, { event: (event) => events.push(event), closed: () => undefined });
    const creating = cluster.create(ConfigMaps, draft('a'));
    expect(events).toEqual([]);
    const created = await creating;
    await clock.advanceTo(1);
    expect(events).toEqual([{ type: 'ADDED', object: created }]);
    expect(clock.fired).toBe(0);
  });

  it('P-API-9 get, list and event -> one and the same frozen object', async () => {
    const { clock, cluster } = world();
    const created = await cluster.create(ConfigMaps, draft('a'));
    const seen: ConfigMap[] = [];
    cluster.watch(
      ConfigMaps,
      {},
      { event: (event) => void ('object' in event && seen.push(event.object)), closed: () => undefined },
    );
    await clock.advanceTo(1);
    const { items } = await cluster.list(ConfigMaps);
    expect([await cluster.get(ConfigMaps, 'default/a'), items[0], seen[0]].every((each) => each === created)).toBe(
      true,
    );
    expect(Object.isFrozen(created.metadata)).toBe(true);
  });

  it('watch latency -> nothing arrives before it, and one timer carries all events of an instant', async () => {
    const { clock, cluster } = world({ watch: () => 50 });
    const seen: string[] = [];
    cluster.watch(ConfigMaps, {}, { event: (event) => seen.push(event.type), closed: () => undefined });
    await cluster.create(ConfigMaps, draft('a'));
    await cluster.create(ConfigMaps, draft('b'));
    await clock.advanceTo(49);
    expect(seen).toEqual([]);
    await clock.advanceTo(50);
    expect(seen).toEqual(['ADDED', 'ADDED']);
    expect(clock.fired).toBe(1);
  });

  it('P-API-16 latency that falls -> events and the end still in order', async () => {
    const latencies = [90, 5, 40, 1];
    const { clock, access, cluster } = world({ watch: () => latencies.shift() ?? 0 });
    const seen: string[] = [];
    const event = (each: WatchEvent<ConfigMap>): void =>
      void ('object' in each && seen.push(each.object.metadata.name));
    cluster.watch(ConfigMaps, {}, { event, closed: () => seen.push('closed') });
    for (const name of ['a', 'b', 'c']) await cluster.create(ConfigMaps, draft(name));
    access.dropWatches('tester');
    await clock.advanceTo(89);
    expect(seen).toEqual([]);
    await clock.advanceTo(90);
    expect(seen).toEqual(['a', 'b', 'c', 'closed']);
  });

  it('request latency -> the write happens half-way, the answer comes at the end', async () => {
    const { clock, cluster, server } = world({ request: () => 20 });
    let answeredAt = 0;
    void cluster.create(ConfigMaps, draft('a')).then(() => (answeredAt = clock.now()));
    await clock.advanceTo(9);
    expect(server.revision).toBe(0);
    await clock.advanceTo(10);
    expect(server.revision).toBe(1);
    await clock.advanceTo(30);
    expect(answeredAt).toBe(20);
  });

  it('P-API-16 limits of 10 a second, burst 2 -> the third request waits 100 ms', async () => {
    const { clock, access } = world();
    const cluster = access.as('limited', { qps: 10, burst: 2 });
    const done: number[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      void cluster.create(ConfigMaps, draft(name)).then(() => done.push(clock.now()));
    await clock.advanceTo(SECOND_MS);
    expect(done).toEqual([0, 0, 100, 200]);
  });

  it('limits of one actor -> another waits for nothing', async () => {
    const { clock, access } = world();
    const done: string[] = [];
    for (const actor of ['a', 'b']) {
      const cluster = access.as(actor, { qps: 1, burst: 1 });
      void cluster.list(ConfigMaps).then(() => done.push(actor));
    }
    await clock.advanceTo(0);
    expect(done).toEqual(['a', 'b']);
  });

  it('dropped watches of one actor -> closed once, others go on', async () => {
    const { clock, access } = world();
    const closed: string[] = [];
    const sink = (name: string) => ({ event: () => undefined, closed: () => closed.push(name) });
    access.as('a').watch(ConfigMaps, {}, sink('a'));
    access.as('b').watch(ConfigMaps, {}, sink('b'));
    access.dropWatches('a');
    access.dropWatches('a');
    await clock.advanceTo(1);
    expect(closed).toEqual(['a']);
  });

  it('P-API-17 reader further behind than the buffer -> what was on its way, then closed with Expired', async () => {
    const { clock, cluster } = world({ watch: () => 1000 }, { undeliveredEventsMax: 2 });
    const seen: string[] = [];
    const closed = (cause: { readonly reason: string } | undefined): void => void seen.push(`closed ${cause?.reason}`);
    cluster.watch(ConfigMaps, {}, { event: ({ type }) => seen.push(type), closed });
    for (const name of ['a', 'b', 'c', 'd']) await cluster.create(ConfigMaps, draft(name));
    await clock.advanceTo(2000);
    expect(seen).toEqual(['ADDED', 'ADDED', 'closed Expired']);
  });

  it('P-API-16 disposed before the request arrives -> never opened', async () => {
    const { clock, cluster } = world({ request: () => 20 });
    const seen: string[] = [];
    const watch = cluster.watch(
      ConfigMaps,
      {},
      { event: ({ type }) => seen.push(type), closed: () => seen.push('closed') },
    );
    watch.dispose();
    void cluster.create(ConfigMaps, draft('a'));
    await clock.advanceTo(100);
    expect(seen).toEqual([]);
  });

  it('because -> the reason reaches the commit', async () => {
    const { cluster, commits } = world();
    const reason = { type: 'resync', entry: 3 } as const;
    await cluster.because(reason).create(ConfigMaps, draft('a'));
    await cluster.create(ConfigMaps, draft('b'));
    expect(commits.map((commit) => commit.reason)).toEqual([reason, undefined]);
  });
});
