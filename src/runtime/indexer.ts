import { assert } from '../base/assert.ts';
import { type KubeObject, type ObjectKey, keyOf } from '../kube/object.ts';

/** The values under which one object is found; none keeps it out of the index. Pure: the same object, the same values. */
export type IndexFunction<T> = (object: T) => Iterable<string>;
export type Indexes<T> = Readonly<Record<string, IndexFunction<T>>>;

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  /** No bucket is empty, and an object is in the bucket of each of its values. */
  readonly buckets: Map<string, Map<ObjectKey, T>>;
}

/** Objects by key, with indexes that every change keeps up to date. Iteration is in the order of first insertion. */
export class Indexer<T extends KubeObject> {
  readonly #objects = new Map<ObjectKey, T>();
  readonly #indexes = new Map<string, Index<T>>();

  constructor(indexes: Indexes<T>) {
    this.addIndexes(indexes);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** An index that is there already stays as it is: one name has one meaning. */
  addIndexes(indexes: Indexes<T>): void {
    for (const [name, valuesOf] of Object.entries(indexes)) {
      if (this.#indexes.has(name)) continue;
      const index: Index<T> = { valuesOf, buckets: new Map() };
      this.#indexes.set(name, index);
      for (const [key, object] of this.#objects) insert(index, key, object);
    }
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  all(): IterableIterator<T> {
    return this.#objects.values();
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#objects.keys();
  }

  by(name: string, value: string): IterableIterator<T> {
    const index = this.#indexes.get(name);
    assert(index !== undefined, `index ${name} is declared`);
    return (index.buckets.get(value) ?? new Map<ObjectKey, T>()).values();
  }

  /** Returns what was there before. */
  set(object: T): T | undefined {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) replace(index, key, { before, object });
    return before;
  }

  /** Returns what was there before. */
  delete(key: ObjectKey): T | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) {
      for (const value of index.valuesOf(before)) remove(index, key, value);
    }
    return before;
  }
}

function insert<T>(index: Index<T>, key: ObjectKey, object: T): void {
  for (const value of index.valuesOf(object)) {
    const bucket = index.buckets.get(value);
    if (bucket === undefined) index.buckets.set(value, new Map([[key, object]]));
    else bucket.set(key, object);
  }
}

function replace<T>(
  index: Index<T>,
  key: ObjectKey,
  change: { readonly before: T | undefined; readonly object: T },
): void {
  if (change.before !== undefined) {
    const kept = new Set(index.valuesOf(change.object));
    for (const value of index.valuesOf(change.before)) {
      if (!kept.has(value)) remove(index, key, value);
    }
  }
  insert(index, key, change.object);
}

function remove<T>(index: Index<T>, key: ObjectKey, value: string): void {
  const bucket = index.buckets.get(value);
  bucket?.delete(key);
  if (bucket?.size === 0) index.buckets.delete(value);
}
