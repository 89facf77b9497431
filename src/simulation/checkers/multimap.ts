/** Keys under a value, in the order in which they came. */
export class Multimap {
  readonly #keys = new Map<string, Set<string>>();

  get(value: string): readonly string[] {
    return [...(this.#keys.get(value) ?? [])];
  }

  add(value: string, key: string): void {
    const known = this.#keys.get(value);
    if (known === undefined) this.#keys.set(value, new Set([key]));
    else known.add(key);
  }

  drop(value: string, key: string): void {
    const known = this.#keys.get(value);
    known?.delete(key);
    if (known?.size === 0) this.#keys.delete(value);
  }
}
