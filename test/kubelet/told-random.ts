// Chance that is told what to say where a test depends on it: by the name of a fork, a row of fractions and then the last
// of them for ever. All else is drawn as usual.
import { type Random, SeededRandom } from '../../src/base/random.ts';

export type Told = Readonly<Record<string, readonly number[]>>;

export class ToldRandom implements Random {
  readonly #inner: Random;
  readonly #told: Told;
  readonly #rows: Map<string, number[]>;

  constructor(told: Told, inner: Random = new SeededRandom('told'), rows = new Map<string, number[]>()) {
    this.#inner = inner;
    this.#told = told;
    this.#rows = rows;
  }

  fork(name: string): Random {
    const row = this.#told[name];
    if (row === undefined) return new ToldRandom(this.#told, this.#inner.fork(name), this.#rows);
    // One row for all forks of a name: a process that starts again goes on where the last one was.
    const left = this.#rows.get(name) ?? [...row];
    this.#rows.set(name, left);
    return new RowRandom(left, this.#inner.fork(name));
  }

  fraction(): number {
    return this.#inner.fraction();
  }
  int(from: number, to: number): number {
    return this.#inner.int(from, to);
  }
  chance(probability: number): boolean {
    return this.#inner.chance(probability);
  }
  pick<T>(choices: readonly [T, ...T[]]): T {
    return this.#inner.pick(choices);
  }
  uid(): string {
    return this.#inner.uid();
  }
}

class RowRandom extends ToldRandom {
  readonly #left: number[];

  constructor(left: number[], inner: Random) {
    super({}, inner);
    this.#left = left;
  }

  override fraction(): number {
    const [next] = this.#left;
    if (this.#left.length > 1) this.#left.shift();
    return next ?? super.fraction();
  }
}
