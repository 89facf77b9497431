/** Items per chunk; a full chunk is split in two. */
const CHUNK_SIZE_MAX = 512;

/**
 * Items in a total order, found by halving. They lie in chunks, so that an insertion moves a few hundred neighbours and
 * not all that follow.
 */
export class OrderedList<T extends object | number> {
  readonly #compare: (a: T, b: T) => number;
  /** No chunk is empty; every item of a chunk comes before every item of the next. */
  readonly #chunks: T[][] = [];
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  /** The item must not be in the list yet. */
  add(item: T): void {
    this.#size++;
    const at = Math.min(this.#chunkOf(item), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(this.#positionIn(chunk, item), 0, item);
    if (chunk.length > CHUNK_SIZE_MAX) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK_SIZE_MAX / 2));
  }

  /** Removes the item that compares equal. */
  delete(item: T): boolean {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const position = this.#positionIn(chunk, item);
    const found = chunk[position];
    if (found === undefined || this.#compare(found, item) !== 0) return false;
    this.#size--;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    return true;
  }

  /** In order, from the first item not before `bound`. The list must not change meanwhile. */
  *from(bound: T): Generator<T, void> {
    const first = this.#chunkOf(bound);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? [];
      yield* at === first ? chunk.slice(this.#positionIn(chunk, bound)) : chunk;
    }
  }

  /** The first chunk whose last item is not before `item`. */
  #chunkOf(item: T): number {
    return lowerBound(this.#chunks.length, (at) => {
      const last = this.#chunks[at]?.at(-1);
      return last !== undefined && this.#compare(last, item) < 0;
    });
  }

  #positionIn(chunk: readonly T[], item: T): number {
    return lowerBound(chunk.length, (at) => {
      const each = chunk[at];
      return each !== undefined && this.#compare(each, item) < 0;
    });
  }
}

/** The first index below `length` for which `isBefore` is false; `isBefore` is true, then false. */
function lowerBound(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
