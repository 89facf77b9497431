// The room against the in-process API server: what the small test server of the other tests takes for granted.
import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { ApiServer } from '../apiserver/apiserver.ts';
import { LocalClusterAccess } from '../apiserver/local-access.ts';
import { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../apiserver/registry/strategies.ts';
import { keyOf } from '../kube/object.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Events } from '../kube/resources/event.ts';
import { Leases } from '../kube/resources/lease.ts';
import { startController, trigger } from './controller.ts';
import { InformerFactory } from './informer-factory.ts';
import { LeaderElector } from './lease.ts';
import { EventRecorder } from './recorder.ts';
import { testContext } from '../../test/runtime/test-context.ts';

const map = (name: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }) as const;

function setUp() {
  const base = testContext();
  const { clock, random, timeline } = base;
  const server = new ApiServer({
    clock,
    random: random.fork('server'),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    onCommit: ({ before, after, user, verb, reason }) => {
      const object = after ?? before;
      if (object === undefined) return;
      const { kind, metadata } = object;
      const { resourceVersion } = metadata;
      timeline.record({
        at: clock.now(),
        actor: user,
        verb,
        kind,
        key: keyOf(object),
        because: reason?.entry ?? null,
        resourceVersion,
      });
    },
  });
  const access = new LocalClusterAccess({ server, clock, latency: { request: () => 2, watch: () => 3 } });
  const context = { ...base, cluster: access.as('labeller') };
  const wait = (ms: number) => clock.advanceTo(clock.now() + ms);
  /** The answer of a request, letting time pass. */
  const ask = async <T>(request: Promise<T>): Promise<T> => {
    await wait(10);
    return request;
  };
  return { ...context, context, access, user: access.as('user'), wait, ask };
}

describe('against the in-process API server', () => {
  it('P-RT-14 a write -> seen, worked on, answered by a write that names it as its cause', async () => {
    const { context, user, timeline, wait, ask, access } = setUp();
    const informers = new InformerFactory(context);
    const maps = informers.of(ConfigMaps);
    startController({
      reconciler: {
        name: 'labeller',
        reconcile: async (key, turn) => {
          const found = maps.get(key);
          if (found === undefined || found.metadata.labels?.['seen'] === 'yes') return { type: 'settled' };
          const labels = { seen: 'yes' };
          await turn.cluster.update(ConfigMaps, { ...found, metadata: { ...found.metadata, labels } });
          return { type: 'settled' };
        },
      },
      triggers: [trigger(maps, (change) => [keyOf(change.object)])],
      workers: 2,
      context,
      waitFor: [informers],
    });
    informers.start();
    await wait(SECOND_MS);
    await ask(user.create(ConfigMaps, map('a')));
    await wait(SECOND_MS);
    access.dropWatches('labeller');
    await ask(user.create(ConfigMaps, map('b')));
    await wait(5 * SECOND_MS);
    const entries = [...timeline.entries()].map(({ number, actor, verb, key, because }) => [
      number,
      actor,
      verb,
      key,
      because,
    ]);
    expect(entries).toEqual([
      [1, 'user', 'create', 'default/a', null],
      [2, 'labeller', 'update', 'default/a', 1],
      [3, 'user', 'create', 'default/b', null],
      [4, 'labeller', 'update', 'default/b', 3],
    ]);
  });

  it('P-RT-24 the same event twice -> one core/v1 Event of count two', async () => {
    const { context, user, ask, wait } = setUp();
    const about = await ask(user.create(ConfigMaps, map('a')));
    const recorder = new EventRecorder({ ...context, component: 'labeller' });
    recorder.event(about, 'Warning', 'NoLabel', 'none to give');
    await wait(MINUTE_MS);
    recorder.event(about, 'Warning', 'NoLabel', 'none to give');
    await wait(SECOND_MS);
    const { items } = await ask(user.list(Events));
    expect(items.map(({ count, message, involvedObject }) => [count, message, involvedObject.uid])).toEqual([
      [2, 'none to give', about.metadata.uid],
    ]);
    expect(items[0]?.firstTimestamp).not.toBe(items[0]?.lastTimestamp);
  });

  it('P-RT-31 two candidates -> one leads', async () => {
    const { context, access, wait, ask, user } = setUp();
    const leads: string[] = [];
    for (const identity of ['a', 'b']) {
      const elector = new LeaderElector({
        ...context,
        cluster: access.as(identity),
        namespace: 'default',
        name: 'l',
        identity,
      });
      void elector.run(context.signal, { onStarted: () => void leads.push(identity), onStopped: () => undefined });
    }
    await wait(MINUTE_MS);
    expect(leads.length).toBe(1);
    expect((await ask(user.get(Leases, 'default/l'))).spec.holderIdentity).toBe(leads[0]);
    context.stop.abort();
  });
});
