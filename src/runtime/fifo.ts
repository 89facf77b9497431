/** First in, first out, in an array used as a ring: both ends cost O(1), however long the line. */
export class Fifo<T> {
  /** Its length is a power of two. */
  #slots: (T | undefined)[] = Array.from({ length: 16 });
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item;
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length--;
    return item;
  }

  #grow(): void {
    const unrolled = [...this.#slots.slice(this.#head), ...this.#slots.slice(0, this.#head)];
    this.#slots = [...unrolled, ...Array.from<undefined>({ length: unrolled.length })];
    this.#head = 0;
  }
}
