// One step of a field path in the text in which managed fields store it: `f:name` a field of a message or a key of a map,
// `k:{"name":"c"}` the member of a list with these keys, `v:"x"` a member of a set, `i:0` a place in a list.
// A step has exactly one text, so equal steps are equal texts.
// structured-merge-diff:fieldpath/{element,serialize-pe}.go, value/value.go
import { goJson, goQuote } from '../../kube/go-text.ts';
import { isJsonObject } from '../../kube/json.ts';

/** A key field and its value. */
export type KeyField = readonly [name: string, value: unknown];

/** A step of the path: what is named, and by what. */
export type PathElement =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'key'; readonly fields: readonly KeyField[] }
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'index'; readonly index: number };

export const fieldElement = (name: string): string => `f:${name}`;
export const valueElement = (value: unknown): string => `v:${goJson(value)}`;

/** `fields` may come in any order. */
export function keyElement(fields: readonly KeyField[]): string {
  const sorted = fields.length < 2 ? fields : fields.toSorted(([left], [right]) => compareTexts(left, right));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${goJson(value)}`).join(',')}}`;
}

/** Undefined for a step of a sort that is not known, which may come with a later version; throws for one that is broken. */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:');
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { type: 'field', name: rest };
    case 'k': {
      const fields: unknown = JSON.parse(rest);
      if (!isJsonObject(fields)) throw new SyntaxError(`expected an object: ${text}`);
      return {
        type: 'key',
        fields: Object.entries(fields).toSorted(([left], [right]) => compareTexts(left, right)),
      };
    }
    case 'v':
      return { type: 'value', value: JSON.parse(rest) as unknown };
    case 'i':
      return { type: 'index', index: indexOf(rest) };
    default:
      return undefined;
  }
}

function indexOf(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new SyntaxError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  return Number(text);
}

export function formatElement(element: PathElement): string {
  switch (element.type) {
    case 'field':
      return fieldElement(element.name);
    case 'key':
      return keyElement(element.fields);
    case 'value':
      return valueElement(element.value);
    case 'index':
      return `i:${element.index}`;
  }
}

/** As messages show it: `.spec`, `[name="c"]`, `[="x"]`. */
export function printElement(text: string): string {
  const element = parseElement(text);
  switch (element?.type) {
    case undefined:
      return '{{invalid path element}}';
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.fields.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`;
    case 'value':
      return `[=${printValue(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

/** Maps and lists name nothing in a sound object; they are shown as upstream shows them all the same. */
function printValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}=${printValue(each)}`)
    .join('');
}

const RANKS = '.fkvi';

/** The order in which stored sets list their steps; the set's own mark comes first. */
export function compareElements(left: string, right: string): number {
  const sort = left[0];
  if (sort !== right[0]) return RANKS.indexOf(sort ?? '') - RANKS.indexOf(right[0] ?? '');
  if (sort === 'f' || left === right) return compareTexts(left, right);
  const [first, second] = [parseElement(left), parseElement(right)];
  if (first?.type === 'key' && second?.type === 'key') return compareKeys(first.fields, second.fields);
  if (first?.type === 'value' && second?.type === 'value') return compareValues(first.value, second.value);
  if (first?.type === 'index' && second?.type === 'index') return first.index - second.index;
  return 0;
}

function compareKeys(left: readonly KeyField[], right: readonly KeyField[]): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareTexts(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers before texts before truths before lists before maps before null. */
function rankOf(value: unknown): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  return ['number', 'string', 'boolean', '', 'object'].indexOf(typeof value);
}

function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return compareTexts(
    typeof left === 'string' ? left : goJson(left),
    typeof right === 'string' ? right : goJson(right),
  );
}

/** By bytes of UTF-8, as Go compares, which is not the order of UTF-16 where a character needs two units. */
export function compareTexts(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const [first, second] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (first !== second) return utf8Rank(first) - utf8Rank(second);
  }
  return left.length - right.length;
}

/** Halves of a pair stand for characters beyond all that need one unit. */
const utf8Rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
