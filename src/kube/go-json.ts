// JSON as Go's encoding/json reads it, for texts inside of objects: what is wrong is told in Go's words, and numbers and
// repeated members stay as they were written. kubernetes is built with go:src/encoding/json/scanner.go
import { goQuote } from './go-text.ts';

export type GoJson =
  | { readonly type: 'null' }
  | { readonly type: 'bool' }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'array'; readonly items: readonly GoJson[] }
  | { readonly type: 'object'; readonly members: readonly GoMember[] };
export interface GoMember {
  readonly key: string;
  readonly value: GoJson;
}

/** The text is not JSON. */
export class GoJsonError extends Error {}

/** Throws a GoJsonError. */
export const readGoJson = (text: string): GoJson => new Reader(text).read();

type OpenValue =
  | { readonly type: 'array'; readonly items: GoJson[] }
  | { readonly type: 'object'; readonly members: GoMember[]; key: string };

const DEPTH_MAX = 10_000;
const LITERALS: Readonly<Record<string, readonly [string, GoJson]>> = {
  t: ['true', { type: 'bool' }],
  f: ['false', { type: 'bool' }],
  n: ['null', { type: 'null' }],
};

class Reader {
  readonly #text: string;
  #at = 0;
  /** Lists and objects that have not ended yet, the innermost last. */
  readonly #open: OpenValue[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): GoJson {
    let value = this.#begin();
    for (;;) {
      const holder = this.#open.at(-1);
      if (value === undefined) value = this.#begin();
      else if (holder !== undefined) value = this.#hold(holder, value);
      else if (this.#next() === '') return value;
      else throw this.#wrong('after top-level value');
    }
  }

  /** A whole value, or undefined after the beginning of one that holds others. */
  #begin(): GoJson | undefined {
    const first = this.#next();
    const literal = LITERALS[first];
    if (literal !== undefined) return this.#literal(...literal);
    if (first === '{' || first === '[') return this.#enter(first);
    if (first === '"') return { type: 'string', text: this.#string() };
    if (/^[-\d]/.test(first)) return this.#number();
    throw this.#wrongOrEnd('looking for beginning of value');
  }

  #enter(bracket: '{' | '['): GoJson | undefined {
    this.#at++;
    const holder: OpenValue = bracket === '{' ? { type: 'object', members: [], key: '' } : { type: 'array', items: [] };
    this.#open.push(holder);
    if (this.#open.length > DEPTH_MAX) throw new GoJsonError('exceeded max depth');
    if (this.#next() === closingOf(holder)) return this.#leave(holder);
    if (holder.type === 'object') holder.key = this.#key();
    return undefined;
  }

  #leave(holder: OpenValue): GoJson {
    this.#at++;
    this.#open.pop();
    return holder;
  }

  /** What holds the value, if it ends with it. */
  #hold(holder: OpenValue, value: GoJson): GoJson | undefined {
    if (holder.type === 'array') holder.items.push(value);
    else holder.members.push({ key: holder.key, value });
    const next = this.#next();
    if (next === closingOf(holder)) return this.#leave(holder);
    if (next !== ',') {
      throw this.#wrongOrEnd(holder.type === 'array' ? 'after array element' : 'after object key:value pair');
    }
    this.#at++;
    if (holder.type === 'object') holder.key = this.#key();
    return undefined;
  }

  #key(): string {
    if (this.#next() !== '"') throw this.#wrongOrEnd('looking for beginning of object key string');
    const key = this.#string();
    if (this.#next() !== ':') throw this.#wrongOrEnd('after object key');
    this.#at++;
    return key;
  }

  #literal(word: string, value: GoJson): GoJson {
    for (const expected of word) {
      if (this.#text[this.#at] !== expected) throw this.#wrong(`in literal ${word} (expecting '${expected}')`);
      this.#at++;
    }
    return value;
  }

  #number(): GoJson {
    const from = this.#at;
    this.#skip(/-?/y);
    if (!this.#skip(/0|[1-9]\d*/y)) throw this.#wrong('in numeric literal');
    if (this.#skip(/\./y) && !this.#skip(/\d+/y)) throw this.#wrong('after decimal point in numeric literal');
    if (this.#skip(/[eE][+-]?/y) && !this.#skip(/\d+/y)) throw this.#wrong('in exponent of numeric literal');
    return { type: 'number', text: this.#text.slice(from, this.#at) };
  }

  #string(): string {
    const from = this.#at++;
    for (;;) {
      this.#skip(/[ !#-[\]-\uffff]+/y);
      const character = this.#text[this.#at];
      if (character === undefined) throw ended();
      if (character !== '"' && character !== '\\') throw this.#wrong('in string literal');
      this.#at++;
      if (character === '"') return String(JSON.parse(this.#text.slice(from, this.#at)));
      this.#escape();
    }
  }

  #escape(): void {
    if (this.#skip(/[bfnrt\\/"]/y)) return;
    if (!this.#skip(/u/y)) throw this.#wrong('in string escape code');
    for (let digits = 0; digits < 4; digits++) {
      if (!this.#skip(/[\da-fA-F]/y)) throw this.#wrong('in \\u hexadecimal character escape');
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found !== '';
  }

  /** The character after spaces, empty at the end. */
  #next(): string {
    this.#skip(/[ \t\r\n]+/y);
    return this.#text[this.#at] ?? '';
  }

  /** Go closes every text with a space, which is the character that is wrong where one ends too soon. */
  #wrong(where: string): GoJsonError {
    return new GoJsonError(`invalid character ${quotedByte(this.#text.slice(this.#at, this.#at + 2))} ${where}`);
  }

  #wrongOrEnd(where: string): GoJsonError {
    return this.#at === this.#text.length ? ended() : this.#wrong(where);
  }
}

const closingOf = ({ type }: OpenValue): string => (type === 'array' ? ']' : '}');

const ended = (): GoJsonError => new GoJsonError('unexpected end of JSON input');

/** Go looks at bytes, and shows the first byte of a longer character as if it were one. */
function quotedByte(text: string): string {
  const [byte = 0x20] = new TextEncoder().encode(text);
  const character = String.fromCharCode(byte);
  if (character === "'") return "'\\''";
  return character === '"' ? `'"'` : `'${goQuote(character).slice(1, -1)}'`;
}
