// Events go an hour after they were last written. Those that were there at the start go an hour after the time that they bear.
// One timer at a time: all events live equally long, so the one written first goes first.
// kubernetes:staging/src/k8s.io/apiserver/pkg/server/options/etcd.go (event-ttl)
import { type Clock, type DurationMs, HOUR_MS, type InstantMs } from '../base/clock.ts';
import type { KubeObject, ObjectKey } from '../kube/object.ts';
import { Events } from '../kube/resources/event.ts';
import type { ObjectStore } from './objectstore/object-store.ts';

const EVENT_TTL_MS: DurationMs = HOUR_MS;

export interface EventExpiryOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  /** Removes the event if this is still its version. */
  readonly remove: (key: ObjectKey, resourceVersion: string) => void;
}

interface Due {
  readonly at: InstantMs;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
}

export class EventExpiry {
  readonly #options: EventExpiryOptions;
  /** In the order in which they go, from #head on. A timer is set exactly while there are any. */
  #due: Due[] = [];
  #head = 0;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
  }

  start(): void {
    const { store, clock } = this.#options;
    for (const event of store.all(Events)) this.#add(event, writtenAt(event) ?? clock.now());
    this.#due.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
    store.subscribe(Events, ({ after }) => {
      if (after === undefined) return;
      this.#add(after, clock.now());
      if (this.#due.length - this.#head === 1) this.#schedule();
    });
    if (this.#due.length > 0) this.#schedule();
  }

  #add({ metadata }: KubeObject, written: InstantMs): void {
    const { namespace = '', name, resourceVersion } = metadata;
    this.#due.push({ at: written + EVENT_TTL_MS, key: `${namespace}/${name}`, resourceVersion });
  }

  #schedule(): void {
    const { clock } = this.#options;
    const next = this.#due[this.#head];
    if (next !== undefined) clock.after(Math.max(0, next.at - clock.now()), () => this.#expire(), { background: true });
  }

  #expire(): void {
    const { store, clock, remove } = this.#options;
    const now = clock.now();
    for (let due = this.#due[this.#head]; due !== undefined && due.at <= now; due = this.#due[this.#head]) {
      this.#head++;
      const isUnchanged = store.get(Events, due.key)?.metadata.resourceVersion === due.resourceVersion;
      if (isUnchanged) remove(due.key, due.resourceVersion);
    }
    this.#due = this.#due.slice(this.#head);
    this.#head = 0;
    this.#schedule();
  }
}

/** By the account of who wrote which field when. */
function writtenAt({ metadata }: KubeObject): InstantMs | undefined {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time = '' }) => time)];
  const instants = times.map((time) => Date.parse(time)).filter((instant) => !Number.isNaN(instant));
  return instants.length === 0 ? undefined : Math.max(...instants);
}
