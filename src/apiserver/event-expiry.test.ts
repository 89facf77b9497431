import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../base/clock.ts';
import { SeededRandom } from '../base/random.ts';
import { SteppedClock } from '../base/virtual-clock.ts';
import { Events } from '../kube/resources/event.ts';
import { ApiServer } from './apiserver.ts';
import { ObjectStore } from './objectstore/object-store.ts';
import { defaultStrategies } from './registry/strategies.ts';

const USER = { name: 'tester', groups: ['system:masters'] };

function serverOn(store: ObjectStore, clock: SteppedClock): ApiServer {
  const strategies = defaultStrategies();
  return new ApiServer({ clock, random: new SeededRandom(1), store, strategies, expiresEvents: true });
}

function record(server: ApiServer, name: string): void {
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  };
  server.handle({ verb: 'create', resource: Events, namespace: 'default', object }, USER);
}

const namesIn = (store: ObjectStore): readonly string[] => store.all(Events).map(({ metadata }) => metadata.name);

describe('EventExpiry', () => {
  it('P-API-19 event -> gone an hour after it was last written, each by its own time', async () => {
    const [store, clock] = [new ObjectStore(), new SteppedClock(0)];
    const server = serverOn(store, clock);
    server.bootstrap();
    record(server, 'a');
    record(server, 'again');
    await clock.advanceTo(10 * MINUTE_MS);
    record(server, 'b');
    const patch = { type: 'merge', body: { count: 2 } } as const;
    server.handle({ verb: 'patch', resource: Events, key: 'default/again', patch }, USER);
    await clock.advanceTo(HOUR_MS - 1);
    expect(namesIn(store)).toEqual(['a', 'again', 'b']);
    await clock.advanceTo(HOUR_MS);
    expect(namesIn(store)).toEqual(['again', 'b']);
    await clock.advanceTo(HOUR_MS + 10 * MINUTE_MS);
    expect(namesIn(store)).toEqual([]);
  });

  it('P-API-19 server started again -> events go by the time that they bear', async () => {
    const [store, clock] = [new ObjectStore(), new SteppedClock(0)];
    const server = serverOn(store, clock);
    server.bootstrap();
    record(server, 'a');
    const saved = store.all(Events).map((event) => [Events, event] as const);
    const [later, restarted] = [new SteppedClock(50 * MINUTE_MS), new ObjectStore()];
    restarted.load({ revision: store.revision, objects: saved });
    serverOn(restarted, later);
    await later.advanceTo(HOUR_MS - 1);
    expect(namesIn(restarted)).toEqual(['a']);
    await later.advanceTo(HOUR_MS);
    expect(namesIn(restarted)).toEqual([]);
  });
});
