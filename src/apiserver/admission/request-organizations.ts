// The organizations that a request for a certificate asks for, read from its DER: what a certificate's bearer will be a group of.
// The request is SEQUENCE { SEQUENCE { version, subject, … }, … }, a subject is a sequence of sets of (kind, text) pairs.

const SEQUENCE = 0x30;
const SET = 0x31;
/** 2.5.4.10, as it stands in DER. */
const ORGANIZATION = '\u0055\u0004\u000A';

interface Element {
  readonly tag: number;
  readonly content: string;
}

/** `der` has one letter a byte. undefined: it is no such request. */
export function organizationsIn(der: string): readonly string[] | undefined {
  const [request] = elementsIn(der) ?? [];
  const [info] = membersOf(request, SEQUENCE) ?? [];
  const [, subject] = membersOf(info, SEQUENCE) ?? [];
  const sets = membersOf(subject, SEQUENCE);
  if (sets === undefined) return undefined;
  const pairs = sets.flatMap((set) => membersOf(set, SET) ?? []).map((pair) => membersOf(pair, SEQUENCE) ?? []);
  return pairs.flatMap(([kind, text]) => (kind?.content === ORGANIZATION && text !== undefined ? [text.content] : []));
}

const membersOf = (element: Element | undefined, tag: number): readonly Element[] | undefined =>
  element?.tag === tag ? elementsIn(element.content) : undefined;

/** One after the other; undefined where the bytes end in the middle of one. */
function elementsIn(bytes: string): readonly Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const { from, to } = extentAt(bytes, at);
    if (to > bytes.length) return undefined;
    elements.push({ tag: bytes.charCodeAt(at), content: bytes.slice(from, to) });
    at = to;
  }
  return elements;
}

/** Where the content of the element at `at` lies. */
function extentAt(bytes: string, at: number): { readonly from: number; readonly to: number } {
  const first = bytes.charCodeAt(at + 1);
  if (first < 0x80) return { from: at + 2, to: at + 2 + first };
  const from = at + 2 + (first & 0x7f);
  let length = 0;
  for (let digit = at + 2; digit < from; digit++) length = length * 256 + bytes.charCodeAt(digit);
  return { from, to: Number.isNaN(length) || Number.isNaN(first) ? Number.POSITIVE_INFINITY : from + length };
}
