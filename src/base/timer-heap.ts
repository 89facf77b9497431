import { assert } from './assert.ts';
import type { InstantMs } from './clock.ts';

export interface HeapEntry {
  readonly due: InstantMs;
  readonly sequence: number;
  /** Where the entry stands now, -1 once it left the heap. Written by the heap only. */
  position: number;
}

/** Timers by due time; equal times leave in the order they were set. A cancelled timer is taken out at once, so the size is the truth. */
export class TimerHeap<T extends HeapEntry> {
  /** A binary heap: no entry comes before its parent. */
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): T | undefined {
    return this.#entries[0];
  }

  push(entry: T): void {
    this.#place(entry, this.#entries.length);
    this.#rise(entry);
  }

  pop(): T | undefined {
    const first = this.#entries[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(entry: T): void {
    const hole = entry.position;
    assert(this.#entries[hole] === entry, 'a removed timer is in the heap');
    entry.position = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, hole);
    this.#rise(last);
    this.#sink(last);
  }

  #place(entry: T, position: number): void {
    this.#entries[position] = entry;
    entry.position = position;
  }

  #rise(entry: T): void {
    while (entry.position > 0) {
      const parentPosition = (entry.position - 1) >> 1;
      const parent = this.#entries[parentPosition];
      if (parent === undefined || !isBefore(entry, parent)) return;
      this.#place(parent, entry.position);
      this.#place(entry, parentPosition);
    }
  }

  #sink(entry: T): void {
    for (;;) {
      const child = this.#smallerChild(entry.position);
      if (child === undefined || !isBefore(child, entry)) return;
      const position = entry.position;
      this.#place(entry, child.position);
      this.#place(child, position);
    }
  }

  #smallerChild(position: number): T | undefined {
    const left = this.#entries[2 * position + 1];
    const right = this.#entries[2 * position + 2];
    if (left === undefined) return undefined;
    return right !== undefined && isBefore(right, left) ? right : left;
  }
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.due < b.due || (a.due === b.due && a.sequence < b.sequence);
}
