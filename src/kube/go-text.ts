// Texts as Go prints them in messages: `%q` for strings and encoding/json for everything else.

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
const NEEDS_ESCAPE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function escaped(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

export const goQuote = (text: string): string => `"${text.replace(NEEDS_ESCAPE, escaped)}"`;

/** JSON with the characters escaped that Go's encoder escapes for the sake of HTML. Undefined prints as null. */
export const goJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** As a validation message shows a value: texts quoted, all else as JSON. */
export const goValue = (value: unknown): string => (typeof value === 'string' ? goQuote(value) : goJson(value));

/** Decoded JSON as `%v` prints it: `map[a:1 b:[x y]]`, keys in order. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `map[${entries.map(([key, child]) => `${key}:${goPrint(child)}`).join(' ')}]`;
}
