/** Several values a key, in the order they came; a key without values is absent. */
export class Multimap {
  readonly #sets = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const values = this.#sets.get(key);
    if (values === undefined) this.#sets.set(key, new Set([value]));
    else values.add(value);
  }

  delete(key: string, value: string): void {
    const values = this.#sets.get(key);
    values?.delete(value);
    if (values?.size === 0) this.#sets.delete(key);
  }

  /** Takes all values of a key away. */
  take(key: string): readonly string[] {
    const values = this.get(key);
    this.#sets.delete(key);
    return values;
  }

  get(key: string): readonly string[] {
    return [...(this.#sets.get(key) ?? [])];
  }

  keys(): IterableIterator<string> {
    return this.#sets.keys();
  }
}
