import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import type { WatchEvent } from '../kube/cluster.ts';
import { type ConfigMap, ConfigMaps } from '../kube/resources/config-map.ts';
import { ApiServer } from './apiserver.ts';
import { LocalClusterAccess } from './local-access.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { defaultStrategies } from './registry/strategies.ts';

const draft = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }) as const;

function world(latencyMs = 0) {
  const clock = new SteppedClock(0);
  const server = new ApiServer({
    clock,
    random: new SeededRandom(1),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
  });
  const latency = { request: () => 0, watch: () => latencyMs };
  const access = new LocalClusterAccess({ server, clock, latency });
  return { clock, access, cluster: access.as('tester') };
}

describe('LocalClusterAccess', () => {
  it('create, then watch -> the event carries the created object', async () => {
    const { clock, cluster } = world();
    const events: WatchEvent<ConfigMap>[] = [];
    cluster.watch(ConfigMaps, {}, { event: (event) => events.push(event), closed: () => undefined });
    const created = await cluster.create(ConfigMaps, draft('a'));
    await clock.advanceTo(1);
    expect(events).toEqual([{ type: 'ADDED', object: created }]);
    expect(Object.isFrozen(created.metadata)).toBe(true);
  });

  it('watch latency -> nothing arrives before it, and one timer carries all events of an instant', async () => {
    const { clock, cluster } = world(50);
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

  it('limits of 10 a second, burst 2 -> the third request waits 100 ms', async () => {
    const { clock, access } = world();
    const cluster = access.as('limited', { qps: 10, burst: 2 });
    const done: number[] = [];
    for (const name of ['a', 'b', 'c', 'd'])
      void cluster.create(ConfigMaps, draft(name)).then(() => done.push(clock.now()));
    await clock.advanceTo(SECOND_MS);
    expect(done).toEqual([0, 0, 100, 200]);
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
});
