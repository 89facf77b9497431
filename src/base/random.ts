export interface Random {
  /** An independent stream: what one consumer draws never shifts another's numbers. */
  fork(name: string): Random;
  fraction(): number;
  int(fromInclusive: number, toExclusive: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  uid(): string;
}

/**
 * A small fast generator (sfc32) seeded from a text. Forks are seeded by the path of their names, not by the parent's
 * state: a fork gives the same numbers however much its parent was used before.
 */
export class SeededRandom implements Random {
  readonly #path: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number | string) {
    this.#path = String(seed);
    [this.#a, this.#b, this.#c] = [
      hash(this.#path, 0x9e3779b9),
      hash(this.#path, 0x243f6a88),
      hash(this.#path, 0xb7e15162),
    ];
    for (let round = 0; round < 12; round++) this.#next();
  }

  fork(name: string): Random {
    return new SeededRandom(`${this.#path}/${name}`);
  }

  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  int(fromInclusive: number, toExclusive: number): number {
    return fromInclusive + Math.floor(this.fraction() * (toExclusive - fromInclusive));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.int(0, choices.length)] ?? choices[0];
  }

  /** A version 4 UUID. */
  uid(): string {
    const words = [this.#next(), this.#next(), this.#next(), this.#next()];
    const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

/** FNV-1a, 32 bit. */
function hash(text: string, basis: number): number {
  let value = basis;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
