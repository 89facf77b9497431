// A server, virtual time and whatever components a test starts. Times are told from the start of the world.
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { tableStrategies } from '../../src/apiserver/registry/table-kinds.ts';
import type { DurationMs } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import type { Cluster, Draft } from '../../src/kube/cluster.ts';
import { type KubeObject, type Resource, keyOf } from '../../src/kube/object.ts';
import { type Event, Events } from '../../src/kube/resources/event.ts';
import type { Component } from '../../src/runtime/component.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

export interface Written {
  readonly at: DurationMs;
  readonly actor: string;
  /** `update persistentvolumes v status` */
  readonly text: string;
}

/** Why a write of this object fails now; undefined if it does not. */
export type Faults = (key: string) => Error | undefined;

export interface StorageWorldOptions {
  readonly seed?: string;
  /** Off: objects that the server would refuse can be stored. */
  readonly validates?: boolean;
  /** On: the server has all built-in kinds, not only those with a declaration. */
  readonly hasAllKinds?: boolean;
  readonly requestMs?: DurationMs;
  readonly watchMs?: DurationMs;
}

export class StorageWorld {
  readonly clock = new SteppedClock(Date.UTC(2026, 0, 1));
  readonly timeline = new RecordedTimeline();
  readonly access: LocalClusterAccess;
  /** Whoever acts from outside. */
  readonly user: Cluster;
  readonly logged: string[] = [];
  readonly #writes: Written[] = [];
  readonly #random: SeededRandom;

  constructor(options: StorageWorldOptions = {}) {
    const { seed = 'test', validates = true, hasAllKinds = false, requestMs = 0, watchMs = 0 } = options;
    this.#random = new SeededRandom(seed);
    const own = defaultStrategies();
    const strategies = hasAllKinds ? [...own, ...tableStrategies(own)] : own;
    const server = new ApiServer({
      clock: this.clock,
      random: this.#random.fork('server'),
      store: new ObjectStore(),
      strategies: validates ? strategies : strategies.map((each) => ({ ...each, validate: () => [] })),
      onCommit: ({ before, after, user, verb, resource, key, subresource, reason }) => {
        const text = [verb, resource.plural, key, ...(subresource === undefined ? [] : [subresource])].join(' ');
        this.#writes.push({ at: this.clock.monotonic(), actor: user, text });
        const object = after ?? before;
        const version = object === undefined ? {} : { resourceVersion: object.metadata.resourceVersion };
        const because = reason?.entry ?? null;
        this.timeline.record({
          at: this.clock.now(),
          actor: user,
          verb,
          kind: resource.kind,
          key,
          because,
          ...version,
        });
      },
    });
    server.bootstrap();
    this.access = new LocalClusterAccess({
      server,
      clock: this.clock,
      latency: { request: (actor) => (actor === 'user' ? 0 : requestMs), watch: () => watchMs },
    });
    this.user = this.access.as('user');
  }

  /** Starts a component; the answer stops it. */
  start(component: Component, faults?: Faults): () => void {
    const stop = lifetime();
    const log: Log = { write: (level, message) => void this.logged.push(`${level} ${message}`) };
    component.start({
      clock: this.clock,
      random: this.#random.fork(component.name),
      cluster: faults === undefined ? this.access.as(component.name) : failing(this.access.as(component.name), faults),
      timeline: this.timeline,
      log,
      signal: stop.signal,
    });
    return () => stop.abort();
  }

  async wait(ms: DurationMs): Promise<void> {
    await this.clock.advanceTo(this.clock.now() + ms);
  }

  /** Creates an object with the status it has. */
  async create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...metadata } = object.metadata;
    const stored = await this.user.create(resource, { ...object, metadata } as unknown as Draft<T>);
    if (!('status' in object)) return stored;
    return await this.user.update(resource, { ...stored, status: object.status }, { subresource: 'status' });
  }

  async change<T extends KubeObject>(resource: Resource<T>, key: string, change: (object: T) => T): Promise<T> {
    return await this.user.update(resource, change(await this.user.get(resource, key)));
  }

  /** Writes of a component, without Events. */
  writesOf(actor: string): readonly Written[] {
    return this.#writes.filter((write) => write.actor === actor && !/ events /.test(write.text));
  }

  /** `Normal FailedBinding PersistentVolumeClaim/default/c x3: text` */
  async events(): Promise<readonly string[]> {
    const { items } = await this.user.list(Events);
    return items.map(eventText).toSorted();
  }
}

function eventText(event: Event): string {
  const { kind = '', namespace, name = '' } = event.involvedObject;
  const key = keyOf({ metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
  return `${event.type ?? ''} ${event.reason ?? ''} ${kind}/${key} x${event.count ?? 1}: ${event.message ?? ''}`;
}

/** Refuses writes of objects without telling the server. */
function failing(cluster: Cluster, faults: Faults): Cluster {
  const refuse = (key: string): void => {
    const fault = faults(key);
    if (fault !== undefined) throw fault;
  };
  return {
    get: (resource, key) => cluster.get(resource, key),
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options, sink) => cluster.watch(resource, options, sink),
    create: (resource, draft, options) => cluster.create(resource, draft, options),
    update: async (resource, object, options) => {
      refuse(keyOf(object));
      return await cluster.update(resource, object, options);
    },
    patch: (resource, key, patch, options) => cluster.patch(resource, key, patch, options),
    post: (resource, key, subresource, body) => cluster.post(resource, key, subresource, body),
    delete: async (resource, key, options) => {
      refuse(key);
      return await cluster.delete(resource, key, options);
    },
    deleteCollection: (resource, of, options) => cluster.deleteCollection(resource, of, options),
    because: (reason) => failing(cluster.because(reason), faults),
  };
}
