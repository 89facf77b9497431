/** A map that forgets what was used longest ago: once it is full, and where that says nothing any more. */
export class RecentMap<K, V> {
  readonly #sizeMax: number;
  readonly #isSpent: (value: V) => boolean;
  /** From longest unused to last used. */
  readonly #entries = new Map<K, V>();

  /** `isSpent`: to have forgotten the value would be the same. */
  constructor(sizeMax: number, isSpent: (value: V) => boolean = () => false) {
    this.#sizeMax = sizeMax;
    this.#isSpent = isSpent;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const [oldest, spent] of this.#entries) {
      if (oldest === key || (this.#entries.size <= this.#sizeMax && !this.#isSpent(spent))) return;
      this.#entries.delete(oldest);
    }
  }
}
