// Objects in etcd, which several servers may share. The cache follows etcd by a watch and is never written to otherwise: a
// request runs against it without a trace, and what it would have written is offered to etcd, one transaction a key, each
// under the condition that the key is as old as the cache says. Whoever was slower waits until the cache knows better and
// runs again. So a Conflict that a client is told is about what the client knew, as with a store of its own.
//
// Reads see every write that was answered before they were asked, by whichever server: they wait until the cache has reached
// the revision that etcd names as its newest.
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import { internal, isApiError } from '../../../kube/api-error.ts';
import type { KubeObject, Resource } from '../../../kube/object.ts';
import { type Channel, type RequestStream, openChannel } from '../../../grpc/channel.ts';
import type { ObjectBytes } from '../../object-bytes.ts';
import type { Change } from '../../objectstore/change-history.ts';
import { ObjectStore, SERVED_HISTORY_BYTES_MAX, isStagedRevision } from '../../objectstore/object-store.ts';
import { isStoredObject } from '../../objectstore/unparsed-object.ts';
import { type Attempt, type Served, type Storage, StorageRefused } from '../storage.ts';
import { EtcdClient, type KeyValue, REGISTRY_END } from './etcd-client.ts';
import { Etcd, type EtcdAnswer, type EtcdRequest } from './etcd-messages.ts';
import { type Address, parseAddress } from './address.ts';
import { REGISTRY, RegistryKeys } from './registry-key.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/server/options/etcd.go */
const EVENT_TTL_MS = HOUR_MS;
/** kubernetes:staging/src/k8s.io/apiserver/pkg/storage/storagebackend/config.go */
const COMPACTION_MS = 5 * MINUTE_MS;
const RECONNECT_MS = SECOND_MS / 4;
/** Against writers of other servers; those of this one wait for each other. */
const TRIES_MAX = 100;
const DELETED = 1;

export interface EtcdOptions {
  /** `etcd://HOST:PORT`, with `?ca=FILE&cert=FILE&key=FILE` for TLS. */
  readonly address: string;
  readonly readFile: (path: string) => string;
  readonly resources: readonly Resource<KubeObject>[];
  readonly bytes: ObjectBytes;
  readonly clock: Clock;
  readonly log: Log;
  readonly historyCapacity?: number;
}

/** Throws StorageRefused. */
export async function openEtcd(options: EtcdOptions): Promise<{ store: ObjectStore; storage: Storage }> {
  const { historyCapacity, clock } = options;
  const address: Address = parseAddress(options.address, options.readFile);
  const channel = await openChannel({ ...address, clock, keepAliveMs: 10 * SECOND_MS });
  const store = new ObjectStore({
    historyBytesMax: SERVED_HISTORY_BYTES_MAX,
    ...(historyCapacity === undefined ? {} : { historyCapacity }),
  });
  const storage = new EtcdStorage(options, store, channel);
  try {
    await storage.start();
    return { store, storage };
  } catch (error) {
    channel.close();
    const why = isApiError(error) ? error.message : undefined;
    throw why === undefined ? error : new StorageRefused(`etcd at ${address.address}: ${why}`);
  }
}

interface Waiter {
  readonly revision: number;
  resolve(): void;
  reject(error: Error): void;
}

class EtcdStorage implements Storage {
  readonly #options: EtcdOptions;
  readonly #store: ObjectStore;
  readonly #channel: Channel;
  readonly #client: EtcdClient;
  readonly #keys: RegistryKeys;
  /** For a revision of the cache. */
  #waiters: Waiter[] = [];
  /** Keys that a write of ours is on its way to, with its end. */
  readonly #busy = new Map<string, Promise<unknown>>();
  #watch: RequestStream<EtcdRequest<'WatchRequest'>> | undefined;
  /** A question for the newest revision that is not sent yet: it serves all who ask before it is. */
  #question: Promise<number> | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #fault: string | undefined;
  #isClosed = false;

  constructor(options: EtcdOptions, store: ObjectStore, channel: Channel) {
    this.#options = options;
    this.#store = store;
    this.#channel = channel;
    this.#client = new EtcdClient(channel, options.clock);
    this.#keys = new RegistryKeys(options.resources);
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  async start(): Promise<void> {
    const { revision, kvs } = await this.#client.all();
    this.#store.load({ revision, objects: [] });
    for (const kv of kvs) {
      const place = this.#keys.placeOf(textOf(kv));
      if (place !== undefined) this.#store.keep(place.resource, place.key, objectIn(kv));
    }
    this.#follow();
    this.#compactLater(0, revision);
  }

  settling(): undefined {
    return undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.cancel();
    this.#channel.close();
    return Promise.resolve();
  }

  async serve<T>(attempt: Attempt<T>): Promise<Served<T>> {
    if (!attempt.isWrite) {
      await this.#caughtUp();
      return { result: attempt.run() };
    }
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const served = await this.#try(attempt, tries > 1);
      if (served !== undefined) return served;
    }
    throw internal('too many others write to the same objects');
  }

  /** undefined: once more. A refusal counts only when it is known to be about the newest state. */
  async #try<T>(attempt: Attempt<T>, isCaughtUp: boolean): Promise<Served<T> | undefined> {
    let staged: { readonly result: T; readonly changes: readonly Change[] };
    try {
      staged = this.#store.stage(() => attempt.run());
    } catch (error) {
      if (isCaughtUp) throw error;
      await this.#caughtUp();
      return undefined;
    }
    const { result, changes } = staged;
    if (changes.length === 0 && isCaughtUp) return { result };
    const keys = changes.map(({ resource, key }) => this.#keys.keyOf(resource, key));
    const before = keys.flatMap((key) => this.#busy.get(key) ?? [])[0];
    const revisions = changes.length === 0 || before !== undefined ? undefined : await this.#commit(changes, keys);
    if (revisions !== undefined) return { result, revisionOf: (revision) => revisions.get(revision) ?? revision };
    await before;
    if (before === undefined) await this.#caughtUp();
    return undefined;
  }

  /** The revisions of the writes by their staged ones, when the cache has them; undefined when one of them came too late. */
  #commit(changes: readonly Change[], keys: readonly string[]): Promise<ReadonlyMap<number, number> | undefined> {
    const committed = this.#writeAll(changes, keys);
    const ended = committed.catch(() => undefined);
    for (const key of keys) this.#busy.set(key, ended);
    return committed.finally(() => {
      for (const key of keys) if (this.#busy.get(key) === ended) this.#busy.delete(key);
    });
  }

  async #writeAll(
    changes: readonly Change[],
    keys: readonly string[],
  ): Promise<ReadonlyMap<number, number> | undefined> {
    const revisions = new Map<number, number>();
    const write = async (change: Change, key: string): Promise<boolean> => {
      const revision = await this.#write(change, key, revisions);
      if (revision !== undefined) revisions.set(change.revision, revision);
      return revision !== undefined;
    };
    let isDone = true;
    if (new Set(keys).size === keys.length) {
      isDone = (await Promise.all(changes.map((change, index) => write(change, keys[index] ?? '')))).every(Boolean);
    } else {
      for (const [index, change] of changes.entries()) isDone &&= await write(change, keys[index] ?? '');
    }
    await this.#reached(Math.max(0, ...revisions.values()));
    return isDone ? revisions : undefined;
  }

  async #write(
    { resource, before, after }: Change,
    key: string,
    revisions: ReadonlyMap<number, number>,
  ): Promise<number | undefined> {
    const known = Number(before?.metadata.resourceVersion ?? 0);
    const isEvent = resource.plural === 'events' && resource.group === '' && after !== undefined;
    return this.#client.write({
      key,
      before: isStagedRevision(known) ? (revisions.get(known) ?? known) : known,
      value: after === undefined ? undefined : this.#options.bytes.once(unnumbered(after)),
      lease: isEvent ? await this.#client.lease(EVENT_TTL_MS) : 0n,
    });
  }

  /** Until the cache has what etcd had when this was asked. */
  async #caughtUp(): Promise<void> {
    this.#question ??= this.#asking.then(() => {
      const asked = this.#client.revision();
      this.#asking = asked.catch(() => undefined);
      this.#question = undefined;
      return asked;
    });
    const revision = await this.#question;
    if (this.#store.revision >= revision) return;
    // The newest write may be to a key that is not watched; etcd then says so.
    this.#watch?.send({ progress_request: {} });
    await this.#reached(revision);
  }

  #reached(revision: number): Promise<void> {
    if (this.#store.revision >= revision) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(internal('the server stops'));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ revision, resolve, reject });
    });
  }

  #wake(): void {
    const { revision } = this.#store;
    const [done, waiting] = [[], []] as [Waiter[], Waiter[]];
    for (const waiter of this.#waiters) (waiter.revision <= revision ? done : waiting).push(waiter);
    this.#waiters = waiting;
    for (const waiter of done) waiter.resolve();
  }

  #follow(): void {
    const watch = this.#channel.bidirectional(
      Etcd.watch,
      {
        message: (response) => this.#heard(response),
        closed: (cause) => this.#lost(cause?.message ?? 'the watch ended'),
      },
      { waitForReady: true },
    );
    this.#watch = watch;
    watch.send({
      create_request: {
        key: Buffer.from(REGISTRY),
        range_end: Buffer.from(REGISTRY_END),
        start_revision: this.#store.revision + 1,
        progress_notify: true,
      },
    });
    if (this.#waiters.length > 0) watch.send({ progress_request: {} });
  }

  #heard(response: EtcdAnswer<'WatchResponse'>): void {
    if (response.created) this.#fault = undefined;
    if (response.canceled) {
      this.#watch?.cancel();
      return;
    }
    for (const { type, kv } of response.events) if (kv !== undefined) this.#apply(kv, type === DELETED);
    if (response.events.length === 0 && !response.created) this.#store.advance(response.header?.revision ?? 0);
    this.#wake();
  }

  #apply(kv: KeyValue, isDeleted: boolean): void {
    const place = this.#keys.placeOf(textOf(kv));
    if (place === undefined) this.#store.advance(kv.mod_revision);
    else this.#store.apply(place.resource, place.key, isDeleted ? undefined : this.#readable(kv), kv.mod_revision);
  }

  /** What cannot be read is not there. */
  #readable(kv: KeyValue): KubeObject | undefined {
    try {
      return objectIn(kv);
    } catch (error) {
      if (!(error instanceof StorageRefused)) throw error;
      this.#options.log.write('error', error.message);
      return undefined;
    }
  }

  #lost(why: string): void {
    if (this.#isClosed) {
      for (const waiter of this.#waiters) waiter.reject(internal('the server stops'));
      return;
    }
    this.#fault = `etcd cannot be followed: ${why}`;
    this.#options.log.write('warn', 'etcd cannot be followed; trying again', { why });
    this.#options.clock.after(RECONNECT_MS, () => void this.#resume(), { background: true });
  }

  /** What was missed is read whole: the changes may be compacted. */
  async #resume(): Promise<void> {
    if (this.#isClosed) return;
    try {
      this.#compare(await this.#client.all());
      this.#wake();
      this.#follow();
    } catch (error) {
      this.#lost(error instanceof Error ? error.message : String(error));
    }
  }

  /** Removals are given revisions that etcd used for no object that is left: those under which something was removed. */
  #compare({ revision, kvs }: { readonly revision: number; readonly kvs: readonly KeyValue[] }): void {
    const store = this.#store;
    const known = store.revision;
    const newer = kvs.filter((kv) => kv.mod_revision > known);
    const used = new Set(newer.map((kv) => kv.mod_revision));
    const left = new Set(kvs.map(textOf));
    const changes = newer.map((kv) => ({ at: kv.mod_revision, make: () => this.#apply(kv, false) }));
    let at = known + 1;
    for (const { resource, key } of store.keys()) {
      if (left.has(this.#keys.keyOf(resource, key))) continue;
      while (used.has(at)) at++;
      const removedAt = at++;
      changes.push({ at: removedAt, make: () => store.apply(resource, key, undefined, removedAt) });
    }
    for (const { make } of changes.toSorted((a, b) => a.at - b.at)) make();
    store.advance(revision);
  }

  /** Old states of keys are of no use to anyone: history is the cache's. kubernetes:…/storage/etcd3/compact.go */
  #compactLater(version: number, revision: number): void {
    const { clock, log } = this.#options;
    const compact = async (): Promise<void> => {
      if (this.#isClosed) return;
      try {
        const claim = await this.#client.claimCompaction(version, revision);
        if (claim.isMine && revision > 0) await this.#client.compact(revision);
        this.#compactLater(claim.version, claim.revision);
      } catch (error) {
        log.write('warn', 'etcd was not compacted', { why: error instanceof Error ? error.message : String(error) });
        this.#compactLater(version, revision);
      }
    };
    clock.after(COMPACTION_MS, () => void compact(), { background: true });
  }
}

const textOf = (kv: KeyValue): string => Buffer.from(kv.key).toString('utf8');

/** The revision of an object is that of its key. */
const unnumbered = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: '' },
});

function objectIn(kv: KeyValue): KubeObject {
  const object = parsed(kv);
  if (!isStoredObject(object))
    throw new StorageRefused(
      `${textOf(kv)} in etcd is not JSON: this program cannot read what another kind of server wrote`,
    );
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(kv.mod_revision) } };
}

function parsed(kv: KeyValue): unknown {
  try {
    return JSON.parse(Buffer.from(kv.value).toString('utf8'));
  } catch {
    return undefined;
  }
}
