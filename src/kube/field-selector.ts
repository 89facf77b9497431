// Selection by fields: `spec.nodeName=n1,status.phase!=Failed`. Values escape `\`, `,` and `=` by a backslash.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/fields/selector.go
import { SelectorError } from './label-requirement.ts';

export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** How an object answers for each field it can be selected by. */
export type FieldGetters<T> = Readonly<Record<string, (object: T) => string>>;

/** All terms must hold; without any, everything matches. */
export class FieldMatcher {
  readonly terms: readonly FieldTerm[];

  constructor(terms: readonly FieldTerm[]) {
    this.terms = terms;
  }

  /** A field without getter is the empty text, like one that is unset. */
  matches<T>(object: T, getters: FieldGetters<T>): boolean {
    return this.terms.every(({ field, operator, value }) => {
      const actual = Object.hasOwn(getters, field) ? (getters[field]?.(object) ?? '') : '';
      return (actual === value) === (operator === '=');
    });
  }

  get isEmpty(): boolean {
    return this.terms.length === 0;
  }

  /** The one value that the field must have, if a term says so: the way to a single object without a scan. */
  exactValueOf(field: string): string | undefined {
    return this.terms.find((term) => term.field === field && term.operator === '=')?.value;
  }

  toString(): string {
    return this.terms.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',');
  }
}

export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

/** Throws a SelectorError with upstream's sentence. */
export function parseFieldSelector(text: string): FieldMatcher {
  const parts = splitTerms(text).filter((part) => part !== '');
  const terms = parts.toSorted().map((part) => parseTerm(part, text));
  // A bare `=` says nothing and is dropped.
  return new FieldMatcher(terms.filter(({ field, value }) => field !== '' || value !== ''));
}

/** At the commas that no backslash precedes. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\') index++;
    if (character !== ',') continue;
    terms.push(text.slice(start, index));
    start = index + 1;
  }
  return [...terms, text.slice(start)];
}

function parseTerm(term: string, selector: string): FieldTerm {
  const [, field, operator, value] = /^([^]*?)(!=|==|=)([^]*)$/.exec(term) ?? [];
  if (field === undefined || value === undefined) {
    throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeFieldValue(value) };
}

function unescapeFieldValue(escaped: string): string {
  let value = '';
  let isEscaped = false;
  for (const character of escaped) {
    if (isEscaped) {
      if (!'\\,='.includes(character)) throw wrongEscape(`\\${character}`);
      value += character;
      isEscaped = false;
    } else if (character === '\\') {
      isEscaped = true;
    } else if (character === ',' || character === '=') {
      // Upstream prints the character's number here, 61 for an equals sign.
      const code = character.charCodeAt(0);
      throw new SelectorError(`invalid field selector: unescaped character in value: ${code}`);
    } else {
      value += character;
    }
  }
  if (isEscaped) throw wrongEscape('\\');
  return value;
}

const wrongEscape = (sequence: string): SelectorError =>
  new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
