/** The least element first. Elements that compare equal leave in no promised order: give the order a total tie-break. */
export class PriorityHeap<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  /** No element comes before its parent. */
  readonly #elements: T[] = [];

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  peek(): T | undefined {
    return this.#elements[0];
  }

  push(element: T): void {
    let at = this.#elements.length;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#elements[parentAt];
      if (parent === undefined || !this.#isBefore(element, parent)) break;
      this.#elements[at] = parent;
      at = parentAt;
    }
    this.#elements[at] = element;
  }

  pop(): T | undefined {
    const first = this.#elements[0];
    const last = this.#elements.pop();
    if (last !== undefined && this.#elements.length > 0) this.#sink(last);
    return first;
  }

  #sink(element: T): void {
    let at = 0;
    for (;;) {
      const left = this.#elements[2 * at + 1];
      const right = this.#elements[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && this.#isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !this.#isBefore(child, element)) break;
      this.#elements[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    this.#elements[at] = element;
  }
}
