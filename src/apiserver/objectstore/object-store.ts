// All objects of the cluster, as one counter of revisions sees them. Each write takes the next revision, stamps it on the
// object, and is told to the listeners of its kind before `put` returns; objects are frozen, so whoever holds one may keep
// it. The store knows nothing of kinds, rules or time. Old states of a kind can be read as long as its history reaches.
//
// Where something makes writes last, the store is its cache in one of two ways. A store that holds back tells a change when
// it is released, or takes it back when it is revoked. A store that follows another stages writes, which leave no trace, and
// applies what the other says was written.
import { assert } from '../../base/assert.ts';
import type { Disposable } from '../../kube/cluster.ts';
import { deepFreeze } from '../../kube/deep-freeze.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf } from '../../kube/object.ts';
import { type Change, ChangeHistory, type HistoryLimits, weightOf } from './change-history.ts';
import { type KeyRange, OrderedMap } from './ordered-map.ts';
import { type Kept, UnparsedObject, objectOf } from './unparsed-object.ts';

/** How many changes of a kind stay known for watches from, and lists at, an old revision. */
const HISTORY_CAPACITY = 8192;
/** What the history of one kind may take where clients decide how large objects are. */
export const SERVED_HISTORY_BYTES_MAX = 64 * 1024 * 1024;
/** What a staged write is numbered from: above every revision, so that it cannot be taken for one. */
const STAGED_REVISION = 2 ** 52;

export const isStagedRevision = (revision: number): boolean => revision >= STAGED_REVISION;

/** The objects of a kind at one revision. */
export interface KindState {
  visit(range: KeyRange, visit: (object: KubeObject) => boolean): void;
}

/** The objects of a kind as they are kept, for those who keep them elsewhere. They do not change any more. */
export interface KeptKind {
  readonly resource: Resource<KubeObject>;
  /** In key order from `from` on, until `visit` answers false. */
  visit(from: ObjectKey, visit: (key: ObjectKey, kept: Kept) => boolean): void;
}

export interface ObjectStoreOptions {
  readonly historyCapacity?: number;
  /** About the bytes that the history of one kind may take, where that is bounded. */
  readonly historyBytesMax?: number | undefined;
  /** Changes are told when they are released instead of when they are made. */
  readonly holdsBack?: boolean;
}

interface Shelf {
  readonly resource: Resource<KubeObject>;
  readonly objects: OrderedMap<Kept>;
  readonly history: ChangeHistory;
  /** Replaced, never changed: a listener may come or go while others are told. */
  listeners: readonly ((change: Change) => void)[];
  /** The last old state that was asked for; pages of one list ask for the same again. */
  snapshot: { readonly revision: number; readonly objects: OrderedMap<Kept> } | undefined;
}

export class ObjectStore {
  readonly #historyLimits: HistoryLimits;
  readonly #shelves = new Map<string, Shelf>();
  /** The same shelves by identity of the Resource, to save building the name. */
  readonly #shelfOf = new Map<Resource<KubeObject>, Shelf>();
  #revision = 0;
  /** The revision this store began with: nothing before it is known of any kind. */
  #origin = 0;
  /** Changes that are made and not told, oldest first; undefined where each is told at once. */
  #held: Change[] | undefined;
  /** Writes of the request that is tried now; undefined unless one is. */
  #staged: Change[] | undefined;

  constructor(options: ObjectStoreOptions = {}) {
    const { historyCapacity: capacity = HISTORY_CAPACITY, historyBytesMax: weightMax } = options;
    this.#historyLimits = { capacity, weightMax };
    this.#held = options.holdsBack === true ? [] : undefined;
  }

  /** Of the newest write of any kind. */
  get revision(): number {
    return this.#revision;
  }

  /** Everything up to here was told. */
  get toldRevision(): number {
    const next = this.#held?.[0];
    return next === undefined ? this.#revision : next.revision - 1;
  }

  get(resource: Resource<KubeObject>, key: ObjectKey): KubeObject | undefined {
    const kept = this.#shelf(resource).objects.get(key);
    return kept === undefined ? undefined : objectOf(kept);
  }

  /** Calls `visit` in key order until it answers false. */
  visit(resource: Resource<KubeObject>, range: KeyRange, visit: (object: KubeObject) => boolean): void {
    this.#shelf(resource).objects.visit(range, (kept) => visit(objectOf(kept)));
  }

  /** All objects of a kind, or those of one namespace, in key order. */
  all(resource: Resource<KubeObject>, namespace?: string): readonly KubeObject[] {
    const objects: KubeObject[] = [];
    this.visit(resource, keyRange(namespace), (object) => objects.push(object) > 0);
    return objects;
  }

  /** The kind as it was at `revision`; undefined when the history does not reach back so far. */
  at(resource: Resource<KubeObject>, revision: number): KindState | undefined {
    const shelf = this.#shelf(resource);
    if (revision >= shelf.history.last) return stateOf(shelf.objects);
    if (shelf.snapshot?.revision === revision) return stateOf(shelf.snapshot.objects);
    const later = shelf.history.since(revision);
    if (later === undefined) return undefined;
    const objects = undo(shelf.objects.fork(), later);
    shelf.snapshot = { revision, objects };
    return stateOf(objects);
  }

  /** What happened to a kind after `revision`; undefined when that is no longer known. */
  changesSince(resource: Resource<KubeObject>, revision: number): readonly Change[] | undefined {
    return this.#shelf(resource).history.since(revision);
  }

  /** The oldest revision of a kind that can be watched from. */
  historyFloor(resource: Resource<KubeObject>): number {
    return this.#shelf(resource).history.floor;
  }

  /** Forgets what happened up to `revision`: older states can be neither watched from nor listed. */
  compact(revision: number): void {
    for (const shelf of this.#shelves.values()) {
      shelf.history.compact(Math.min(revision, this.toldRevision));
      if ((shelf.snapshot?.revision ?? revision) < revision) shelf.snapshot = undefined;
    }
  }

  /** Creates or replaces. The stored object is the given one, frozen, with the new revision on it. */
  put(resource: Resource<KubeObject>, key: ObjectKey, object: KubeObject): Change & { readonly after: KubeObject } {
    assert(keyOf(object) === key, 'an object is stored under its own name');
    const shelf = this.#shelf(resource);
    const revision = this.#nextRevision();
    const after = stamped(object, revision);
    const before = shelf.objects.set(key, after);
    const change = { revision, resource: shelf.resource, key, before: before && objectOf(before), after };
    this.#commit(shelf, change);
    return change;
  }

  remove(resource: Resource<KubeObject>, key: ObjectKey): Change & { readonly before: KubeObject } {
    const shelf = this.#shelf(resource);
    const before = shelf.objects.delete(key);
    assert(before !== undefined, 'only a stored object is removed');
    const revision = this.#nextRevision();
    const change = { revision, resource: shelf.resource, key, before: objectOf(before), after: undefined };
    this.#commit(shelf, change);
    return change;
  }

  subscribe(resource: Resource<KubeObject>, listener: (change: Change) => void): Disposable {
    const shelf = this.#shelf(resource);
    shelf.listeners = [...shelf.listeners, listener];
    return {
      dispose: () => {
        shelf.listeners = shelf.listeners.filter((each) => each !== listener);
      },
    };
  }

  /** Changes that are made and not told, oldest first. */
  get held(): readonly Change[] {
    return this.#held ?? [];
  }

  /** Tells the changes up to `revision`. */
  release(revision: number): void {
    const held = this.#held;
    assert(held !== undefined, 'only a store that holds back releases');
    const later = held.findIndex((change) => change.revision > revision);
    const told = held.splice(0, later < 0 ? held.length : later);
    for (const change of told) this.#tell(this.#shelf(change.resource), change);
  }

  /** Undoes every change that was not told. Their revisions are not given out again. */
  revoke(): void {
    const [first] = this.held;
    if (first === undefined) return;
    for (const { resource, key, before } of this.held.toReversed()) {
      const shelf = this.#shelf(resource);
      restore(shelf.objects, key, before);
      shelf.history.revoke(first.revision - 1);
      shelf.snapshot = undefined;
    }
    this.#held = [];
  }

  /** Runs `work` and answers what it would have written; nothing of it stays. */
  stage<T>(work: () => T): { readonly result: T; readonly changes: readonly Change[] } {
    assert(this.#staged === undefined, 'one request is tried at a time');
    const changes: Change[] = [];
    this.#staged = changes;
    try {
      return { result: work(), changes };
    } finally {
      for (const { resource, key, before } of changes.toReversed()) restore(this.#shelf(resource).objects, key, before);
      this.#staged = undefined;
    }
  }

  /** A change that was made elsewhere, under the revision it has there. Of an object that is not there nothing is removed. */
  apply(resource: Resource<KubeObject>, key: ObjectKey, after: KubeObject | undefined, revision: number): void {
    assert(revision >= this.#revision, 'changes come in the order of their revisions');
    const shelf = this.#shelf(resource);
    const before = after === undefined ? shelf.objects.delete(key) : shelf.objects.set(key, deepFreeze(after));
    if (before === undefined && after === undefined) this.advance(revision);
    else this.#commit(shelf, { revision, resource, key, before: before && objectOf(before), after });
  }

  /** Nothing changed up to `revision`. */
  advance(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
  }

  /** Fills an empty store with saved objects as they are. Nothing before `revision` can be watched or listed. */
  load(saved: {
    readonly revision: number;
    readonly objects: Iterable<readonly [Resource<KubeObject>, KubeObject]>;
  }): void {
    assert(this.#revision === 0 && this.#shelves.size === 0, 'only an empty store is loaded');
    this.#revision = saved.revision;
    this.#origin = saved.revision;
    for (const [resource, object] of saved.objects) {
      assert(Number(object.metadata.resourceVersion) <= saved.revision, 'no saved object is newer than the store');
      this.keep(resource, keyOf(object), deepFreeze(object));
    }
  }

  /** One object more of those that the store begins with. */
  keep(resource: Resource<KubeObject>, key: ObjectKey, kept: Kept): void {
    assert(this.#revision === this.#origin, 'what a store begins with comes before its first change');
    this.#shelf(resource).objects.set(key, kept);
  }

  /** A change made before this store began, after what it was loaded with: known to history, told to nobody. */
  replay(resource: Resource<KubeObject>, key: ObjectKey, after: Kept | undefined, revision: number): void {
    assert(revision > this.#revision, 'changes are replayed in the order of their revisions');
    const shelf = this.#shelf(resource);
    const before = after === undefined ? shelf.objects.delete(key) : shelf.objects.set(key, after);
    this.#revision = revision;
    const change = new ReplayedChange(shelf.resource, key, revision, { before, after });
    shelf.history.push(change, () => weightOfKept(after ?? before));
  }

  /** Every kind as it was told. What happens afterwards is not seen there. */
  keptKinds(): readonly KeptKind[] {
    const kinds = new Map([...this.#shelves.values()].map((shelf) => [shelf, shelf.objects.fork()]));
    for (const { resource, key, before } of this.held.toReversed()) {
      const objects = kinds.get(this.#shelf(resource));
      if (objects !== undefined) restore(objects, key, before);
    }
    return [...kinds].map(([{ resource }, objects]) => ({
      resource,
      visit: (from, visit) => objects.visitEntries({ from }, visit),
    }));
  }

  /** The names of everything there is. */
  *keys(): Generator<{ readonly resource: Resource<KubeObject>; readonly key: ObjectKey }> {
    for (const { resource, objects } of this.#shelves.values()) {
      const keys: ObjectKey[] = [];
      objects.visitEntries({ from: '' }, (key) => keys.push(key) > 0);
      for (const key of keys) yield { resource, key };
    }
  }

  /** An equal store without history or listeners. What happens to one is never seen by the other. */
  fork(): ObjectStore {
    const twin = new ObjectStore({
      historyCapacity: this.#historyLimits.capacity,
      historyBytesMax: this.#historyLimits.weightMax,
    });
    twin.#revision = this.#revision;
    twin.#origin = this.#revision;
    for (const [name, shelf] of this.#shelves) {
      const history = new ChangeHistory(this.#historyLimits, this.#revision);
      twin.#shelves.set(name, newShelf(shelf.resource, shelf.objects.fork(), history));
    }
    return twin;
  }

  #nextRevision(): number {
    return this.#staged === undefined ? this.#revision + 1 : STAGED_REVISION + this.#staged.length;
  }

  #commit(shelf: Shelf, change: Change): void {
    if (this.#staged !== undefined) {
      this.#staged.push(change);
      return;
    }
    this.#revision = change.revision;
    shelf.history.push(change);
    if (this.#held === undefined) this.#tell(shelf, change);
    else this.#held.push(change);
  }

  #tell(shelf: Shelf, change: Change): void {
    for (const listener of shelf.listeners) listener(change);
  }

  #shelf(resource: Resource<KubeObject>): Shelf {
    return this.#shelfOf.get(resource) ?? this.#findShelf(resource);
  }

  #findShelf(resource: Resource<KubeObject>): Shelf {
    const name = `${resource.plural}.${resource.group}`;
    let shelf = this.#shelves.get(name);
    if (shelf === undefined) {
      shelf = newShelf(resource, new OrderedMap(), new ChangeHistory(this.#historyLimits, this.#origin));
      this.#shelves.set(name, shelf);
    }
    this.#shelfOf.set(resource, shelf);
    return shelf;
  }
}

interface KeptChange {
  readonly before: Kept | undefined;
  readonly after: Kept | undefined;
}

/** A change whose objects are parsed when they are asked for. */
class ReplayedChange implements Change {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  readonly revision: number;
  readonly #kept: KeptChange;

  constructor(resource: Resource<KubeObject>, key: ObjectKey, revision: number, kept: KeptChange) {
    this.resource = resource;
    this.key = key;
    this.revision = revision;
    this.#kept = kept;
  }

  get before(): KubeObject | undefined {
    return this.#kept.before && objectOf(this.#kept.before);
  }

  get after(): KubeObject | undefined {
    return this.#kept.after && objectOf(this.#kept.after);
  }
}

/** What is not parsed yet need not be for this. */
const weightOfKept = (kept: Kept | undefined): number =>
  kept instanceof UnparsedObject ? (kept.bytes?.length ?? weightOf(kept.object)) : weightOf(kept);

const stateOf = (objects: OrderedMap<Kept>): KindState => ({
  visit: (range, visit) => objects.visit(range, (kept) => visit(objectOf(kept))),
});

/** The object with its revision on it, frozen. Where it came frozen, only the new spine has to be. */
function stamped(object: KubeObject, revision: number): KubeObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  if (!Object.isFrozen(object) || !Object.isFrozen(object.metadata)) return deepFreeze({ ...object, metadata });
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}

function newShelf(resource: Resource<KubeObject>, objects: OrderedMap<Kept>, history: ChangeHistory): Shelf {
  return { resource, objects, history, listeners: [], snapshot: undefined };
}

/** The keys of one namespace, or all. Names hold no slash, and `0` is the character after it. */
export function keyRange(namespace: string | undefined): KeyRange {
  return namespace === undefined || namespace === '' ? { from: '' } : { from: `${namespace}/`, to: `${namespace}0` };
}

function undo(objects: OrderedMap<Kept>, later: readonly Change[]): OrderedMap<Kept> {
  for (const { key, before } of later.toReversed()) restore(objects, key, before);
  return objects;
}

function restore(objects: OrderedMap<Kept>, key: ObjectKey, before: KubeObject | undefined): void {
  if (before === undefined) objects.delete(key);
  else objects.set(key, before);
}
