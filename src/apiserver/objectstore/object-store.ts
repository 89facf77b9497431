// All objects of the cluster, as one counter of revisions sees them. Each write takes the next revision, stamps it on the
// object, and is told to the listeners of its kind before `put` returns; objects are frozen, so whoever holds one may keep
// it. The store knows nothing of kinds, rules or time. Old states of a kind can be read as long as its history reaches.
import { assert } from '../../base/assert.ts';
import type { Disposable } from '../../kube/cluster.ts';
import { deepFreeze } from '../../kube/deep-freeze.ts';
import { type KubeObject, type ObjectKey, type Resource, keyOf } from '../../kube/object.ts';
import { type Change, ChangeHistory } from './change-history.ts';
import { type KeyRange, OrderedMap } from './ordered-map.ts';

/** How many changes of a kind stay known for watches from, and lists at, an old revision. */
const HISTORY_CAPACITY = 8192;

/** The objects of a kind at one revision. */
export type KindState = Pick<OrderedMap<KubeObject>, 'visit'>;

export interface ObjectStoreOptions {
  readonly historyCapacity?: number;
}

interface Shelf {
  readonly resource: Resource<KubeObject>;
  readonly objects: OrderedMap<KubeObject>;
  readonly history: ChangeHistory;
  /** Replaced, never changed: a listener may come or go while others are told. */
  listeners: readonly ((change: Change) => void)[];
  /** The last old state that was asked for; pages of one list ask for the same again. */
  snapshot: { readonly revision: number; readonly objects: OrderedMap<KubeObject> } | undefined;
}

export class ObjectStore {
  readonly #historyCapacity: number;
  readonly #shelves = new Map<string, Shelf>();
  /** The same shelves by identity of the Resource, to save building the name. */
  readonly #shelfOf = new Map<Resource<KubeObject>, Shelf>();
  #revision = 0;
  /** The revision this store began with: nothing before it is known of any kind. */
  #origin = 0;

  constructor(options: ObjectStoreOptions = {}) {
    this.#historyCapacity = options.historyCapacity ?? HISTORY_CAPACITY;
  }

  /** Of the newest write of any kind. */
  get revision(): number {
    return this.#revision;
  }

  get(resource: Resource<KubeObject>, key: ObjectKey): KubeObject | undefined {
    return this.#shelf(resource).objects.get(key);
  }

  /** Calls `visit` in key order until it answers false. */
  visit(resource: Resource<KubeObject>, range: KeyRange, visit: (object: KubeObject) => boolean): void {
    this.#shelf(resource).objects.visit(range, visit);
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
    if (revision >= shelf.history.last) return shelf.objects;
    if (shelf.snapshot?.revision === revision) return shelf.snapshot.objects;
    const later = shelf.history.since(revision);
    if (later === undefined) return undefined;
    const objects = undo(shelf.objects.fork(), later);
    shelf.snapshot = { revision, objects };
    return objects;
  }

  /** What happened to a kind after `revision`; undefined when that is no longer known. */
  changesSince(resource: Resource<KubeObject>, revision: number): readonly Change[] | undefined {
    return this.#shelf(resource).history.since(revision);
  }

  /** Creates or replaces. The stored object is the given one, frozen, with the new revision on it. */
  put(resource: Resource<KubeObject>, key: ObjectKey, object: KubeObject): Change & { readonly after: KubeObject } {
    assert(keyOf(object) === key, 'an object is stored under its own name');
    const shelf = this.#shelf(resource);
    const revision = this.#revision + 1;
    const after = stamped(object, revision);
    const before = shelf.objects.set(key, after);
    const change = { revision, resource: shelf.resource, key, before, after };
    this.#commit(shelf, change);
    return change;
  }

  remove(resource: Resource<KubeObject>, key: ObjectKey): Change & { readonly before: KubeObject } {
    const shelf = this.#shelf(resource);
    const before = shelf.objects.delete(key);
    assert(before !== undefined, 'only a stored object is removed');
    const change = { revision: this.#revision + 1, resource: shelf.resource, key, before, after: undefined };
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
      this.#shelf(resource).objects.set(keyOf(object), deepFreeze(object));
    }
  }

  /** An equal store without history or listeners. What happens to one is never seen by the other. */
  fork(): ObjectStore {
    const twin = new ObjectStore({ historyCapacity: this.#historyCapacity });
    twin.#revision = this.#revision;
    twin.#origin = this.#revision;
    for (const [name, shelf] of this.#shelves) {
      const history = new ChangeHistory(this.#historyCapacity, this.#revision);
      twin.#shelves.set(name, newShelf(shelf.resource, shelf.objects.fork(), history));
    }
    return twin;
  }

  #commit(shelf: Shelf, change: Change): void {
    this.#revision = change.revision;
    shelf.history.push(change);
    for (const listener of shelf.listeners) listener(change);
  }

  #shelf(resource: Resource<KubeObject>): Shelf {
    return this.#shelfOf.get(resource) ?? this.#findShelf(resource);
  }

  #findShelf(resource: Resource<KubeObject>): Shelf {
    const name = `${resource.plural}.${resource.group}`;
    let shelf = this.#shelves.get(name);
    if (shelf === undefined) {
      shelf = newShelf(resource, new OrderedMap(), new ChangeHistory(this.#historyCapacity, this.#origin));
      this.#shelves.set(name, shelf);
    }
    this.#shelfOf.set(resource, shelf);
    return shelf;
  }
}

/** The object with its revision on it, frozen. Where it came frozen, only the new spine has to be. */
function stamped(object: KubeObject, revision: number): KubeObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  if (!Object.isFrozen(object) || !Object.isFrozen(object.metadata)) return deepFreeze({ ...object, metadata });
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
}

function newShelf(resource: Resource<KubeObject>, objects: OrderedMap<KubeObject>, history: ChangeHistory): Shelf {
  return { resource, objects, history, listeners: [], snapshot: undefined };
}

/** The keys of one namespace, or all. Names hold no slash, and `0` is the character after it. */
export function keyRange(namespace: string | undefined): KeyRange {
  return namespace === undefined || namespace === '' ? { from: '' } : { from: `${namespace}/`, to: `${namespace}0` };
}

function undo(objects: OrderedMap<KubeObject>, later: readonly Change[]): OrderedMap<KubeObject> {
  for (const { key, before } of later.toReversed()) {
    if (before === undefined) objects.delete(key);
    else objects.set(key, before);
  }
  return objects;
}
