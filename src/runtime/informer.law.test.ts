import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../base/clock.ts';
import { expired, serviceUnavailable } from '../kube/api-error.ts';
import { type ObjectKey, keyOf } from '../kube/object.ts';
import { SharedInformer } from './informer.ts';
import { type Widget, Widgets, testContext, widget } from '../../test/runtime/test-context.ts';

type Act =
  | { readonly do: 'put'; readonly name: string; readonly colour: string }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'close' | 'break' | 'expire' | 'compact' | 'bookmark' | 'subscribe' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'lists-fail' | 'lists-work' }
  | { readonly do: 'lists-stale'; readonly by: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('put' as const), name, colour: fc.constantFrom('red', 'blue') }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'close' as const,
        'break' as const,
        'expire' as const,
        'compact' as const,
        'bookmark' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('subscribe' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 5000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lists-fail' as const, 'lists-work' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lists-stale' as const), by: fc.integer({ min: 0, max: 6 }) }) },
);

/** What a handler knows by its changes alone; refuses a change that does not fit what came before. */
class Replay {
  readonly content = new Map<ObjectKey, Widget>();

  constructor(informer: SharedInformer<Widget>) {
    informer.subscribe((change) => {
      const key = keyOf(change.object);
      const known = this.content.get(key);
      if (change.type === 'added') expect(known).toBeUndefined();
      if (change.type === 'updated') expect(known).toBe(change.before);
      if (change.type === 'deleted') expect(known).toBeDefined();
      if (change.type === 'deleted') this.content.delete(key);
      else this.content.set(key, change.object);
    });
  }
}

function setUp() {
  const context = testContext();
  const informer = new SharedInformer({ ...context, resource: Widgets, indexes: { colour: (each) => each.colours } });
  return { ...context, informer, replays: [new Replay(informer)] };
}

async function play(world: ReturnType<typeof setUp>, each: Act): Promise<void> {
  const { cluster, clock } = world;
  switch (each.do) {
    case 'put':
      return void cluster.put(Widgets, widget(each.name, [each.colour]));
    case 'remove':
      return void cluster.remove(Widgets, `ns/${each.name}`);
    case 'close':
      return cluster.closeWatches();
    case 'break':
      return cluster.closeWatches(serviceUnavailable('broken pipe'));
    case 'expire':
      return cluster.closeWatches(expired('too old resource version'));
    case 'compact':
      return cluster.forgetBefore(cluster.revision);
    case 'bookmark':
      return cluster.bookmark();
    case 'subscribe':
      return void world.replays.push(new Replay(world.informer));
    case 'wait':
      return clock.advanceTo(clock.now() + each.ms);
    case 'lists-fail':
      cluster.onRequest = () => {
        throw serviceUnavailable('not now');
      };
      return undefined;
    case 'lists-work':
      cluster.onRequest = () => undefined;
      return undefined;
    case 'lists-stale':
      cluster.staleness = () => each.by;
      return undefined;
  }
}

const byKey = (content: Iterable<Widget>): Map<ObjectKey, Widget> =>
  new Map([...content].map((each) => [keyOf(each), each]));

describe('SharedInformer', () => {
  it('P-RT-1 random writes, dropped watches, 410s, failing and stale lists -> content, indexes and replays equal the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const world = setUp();
        world.informer.start(world.signal);
        for (const each of acts) await play(world, each);
        world.cluster.onRequest = () => undefined;
        await world.clock.advanceTo(world.clock.now() + 2 * MINUTE_MS);
        const truth = world.cluster.contentOf(Widgets);
        expect(byKey(world.informer.all())).toEqual(truth);
        for (const replay of world.replays) expect(replay.content).toEqual(truth);
        for (const colour of ['red', 'blue']) {
          const scan = [...world.informer.all()].filter((each) => each.colours.includes(colour));
          expect(byKey(world.informer.by('colour', colour))).toEqual(byKey(scan));
        }
        expect(world.lines).toEqual([]);
        world.stop.abort();
        expect(world.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
