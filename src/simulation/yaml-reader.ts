// Reads a YAML document as typed values that know where they stand, so that every complaint has a line and a column.
// YAML is read by the rules that Kubernetes tools use (1.1: `yes` is true), except that dates stay text.
import {
  type Document,
  type Node,
  type Pair,
  LineCounter,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
} from 'yaml';
import { parseDuration } from '../kube/go-duration.ts';
import type { Place } from './story.ts';

/** Something is wrong with a file that a user wrote. The message is one line. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly file: string;
  readonly place: Place;

  constructor(file: string, place: Place, message: string) {
    super(message);
    this.file = file;
    this.place = place;
  }

  /** `stories/a.yaml:3:5: unknown key "aply"` */
  get line(): string {
    return `${this.file}:${this.place.line}:${this.place.column}: ${this.message}`;
  }
}

/** What a value needs to know of the file it stands in. */
interface Source {
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document;
}

/** One value of the document. Every accessor returns the value or throws a FileFault at its place. */
export class YamlValue {
  readonly #source: Source;
  readonly #node: Node | null;
  /** Where the value begins, and where its key begins if it has one. */
  readonly #at: { readonly value: number; readonly key: number };

  constructor(source: Source, node: Node | null, at: { readonly value: number; readonly key: number }) {
    this.#source = source;
    this.#node = isAlias(node) ? (node.resolve(source.document) ?? null) : node;
    this.#at = at;
  }

  get place(): Place {
    return placeOf(this.#source, this.#at.value);
  }

  fail(message: string): never {
    throw new FileFault(this.#source.file, this.place, message);
  }

  /** A complaint about the key under which this value stands. */
  failAtKey(message: string): never {
    throw new FileFault(this.#source.file, placeOf(this.#source, this.#at.key), message);
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  /** The fields of a mapping; a key outside `allowed` is a fault at that key. */
  fields(allowed: readonly string[], what: string): ReadonlyMap<string, YamlValue> {
    const fields = this.entries(what);
    for (const [key, value] of fields) {
      if (!allowed.includes(key)) value.failAtKey(`unknown key "${key}" in ${what}${nearest(key, allowed)}`);
    }
    return fields;
  }

  /** The fields of a mapping whose keys are the user's own. */
  entries(what: string): ReadonlyMap<string, YamlValue> {
    if (!isMap(this.#node)) return this.fail(`${what} must be a mapping`);
    return new Map(this.#node.items.filter(isPair).map((pair) => this.#entry(pair as Pair<Node, Node | null>)));
  }

  list(what: string): readonly YamlValue[] {
    if (!isSeq(this.#node)) return this.fail(`${what} must be a list`);
    return this.#node.items.map((item) => this.#child(item as Node | null));
  }

  text(what: string): string {
    const value = this.#scalar();
    return typeof value === 'string' ? value : this.fail(`${what} must be a text`);
  }

  /** A text, or a number or boolean that stands for one. */
  word(what: string): string {
    const value = this.#scalar();
    if (value === undefined || value === null) return this.fail(`${what} must be a text`);
    return typeof value === 'string' ? value : JSON.stringify(value);
  }

  whole(what: string): number {
    const value = this.#scalar();
    return typeof value === 'number' && Number.isInteger(value) ? value : this.fail(`${what} must be a whole number`);
  }

  number(what: string): number {
    const value = this.#scalar();
    return typeof value === 'number' ? value : this.fail(`${what} must be a number`);
  }

  bool(what: string): boolean {
    const value = this.#scalar();
    return typeof value === 'boolean' ? value : this.fail(`${what} must be true or false`);
  }

  /** A duration that may be negative only where a sign makes sense. */
  durationMs(what: string, options: { readonly signed?: boolean } = {}): number {
    const value = this.#scalar();
    const parsed = typeof value === 'string' || value === 0 ? parseDuration(String(value)) : undefined;
    if (parsed === undefined) {
      return this.fail(`${what} must be a duration such as 90s or 1m30s, not ${JSON.stringify(value ?? this.json())}`);
    }
    return parsed < 0 && options.signed !== true ? this.fail(`${what} must not be negative`) : parsed;
  }

  /** The value as plain JSON. */
  json(): unknown {
    return this.#node === null ? null : (this.#node.toJS(this.#source.document) as unknown);
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : undefined;
  }

  #entry({ key, value }: Pair<Node, Node | null>): [string, YamlValue] {
    const name = isScalar(key) ? String(key.value) : this.fail('a key must be a text');
    const at = { key: startOf(key), value: startOf(value ?? key) };
    return [name, new YamlValue(this.#source, value ?? null, at)];
  }

  #child(node: Node | null): YamlValue {
    const start = node === null ? this.#at.value : startOf(node);
    return new YamlValue(this.#source, node, { key: start, value: start });
  }
}

/** The root of a file that holds one document. */
export function readYaml(file: string, text: string): YamlValue {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.1',
    customTags: (tags) => tags.filter((tag) => tag !== 'timestamp'),
  });
  const source: Source = { file, lines, document };
  const [error] = document.errors;
  if (error !== undefined) throw new FileFault(file, placeOf(source, error.pos[0]), firstLine(error.message));
  if (document.contents === null) throw new FileFault(file, { line: 1, column: 1 }, 'the file is empty');
  return new YamlValue(source, document.contents, { key: 0, value: startOf(document.contents) });
}

const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
const startOf = (node: Node): number => node.range?.[0] ?? 0;
const placeOf = ({ lines }: Source, offset: number): Place => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
};

/** `, did you mean "apply"?` where one of the allowed words is near. */
export function nearest(word: string, allowed: readonly string[]): string {
  const ranked = allowed
    .map((each) => ({ each, distance: editDistance(word, each) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= 2 ? `, did you mean "${best.each}"?` : `; known: ${allowed.join(', ')}`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
