// What a story may say of an object: `Bound`, `gone`, `status.capacity.storage = 1Gi`, `spec.nodeName exists`,
// `event FailedBinding ~ no persistent volumes`. Parsed once when the file is read, so that a misspelt one is a fault of
// the file and not a promise that silently never holds.
import { unreachable } from '../base/assert.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Event } from '../kube/resources/event.ts';

export type Condition =
  | { readonly type: 'gone' }
  | { readonly type: 'present' }
  | { readonly type: 'field'; readonly path: readonly string[]; readonly test: FieldTest }
  | { readonly type: 'event'; readonly reason: string; readonly message: RegExp | undefined };

export type FieldTest =
  | { readonly type: 'equals' | 'differs'; readonly value: string }
  | { readonly type: 'matches'; readonly pattern: RegExp }
  | { readonly type: 'set' | 'unset' };

/** What a condition is judged by: the object as it is now, and the Events about it so far. */
export interface Seen {
  readonly object: KubeObject | undefined;
  readonly events: readonly Event[];
}

/** The condition, or a sentence that says what is wrong with the text. */
export function parseCondition(text: string): Condition | string {
  const words = text.trim();
  if (words === '') return 'a condition is missing';
  if (words === 'gone') return { type: 'gone' };
  if (words === 'exists') return { type: 'present' };
  const event = /^event\s+([A-Za-z]+)(?:\s*~\s*(.+))?$/.exec(words);
  if (event !== null) return parseEvent(event[1] ?? '', event[2]);
  const field = /^([A-Za-z][^\s=!~]*)\s*(?:(=|!=|~)\s*(.*)|\s(exists|missing))$/.exec(words);
  if (field !== null) return parseField(field);
  if (/^[A-Z][A-Za-z]*$/.test(words)) {
    return { type: 'field', path: ['status', 'phase'], test: { type: 'equals', value: words } };
  }
  return `cannot read the condition "${words}": write a phase (Bound), gone, exists, PATH = VALUE, PATH != VALUE, PATH ~ PATTERN, PATH exists, PATH missing, or event REASON [~ PATTERN]`;
}

function parseEvent(reason: string, pattern: string | undefined): Condition | string {
  const message = pattern === undefined ? undefined : parsePattern(pattern);
  return typeof message === 'string' ? message : { type: 'event', reason, message };
}

function parseField([, path = '', operator, value = '', word]: RegExpExecArray): Condition | string {
  const test = parseTest(operator ?? word ?? '', value.trim());
  return typeof test === 'string' ? test : { type: 'field', path: splitPath(path), test };
}

function parseTest(operator: string, value: string): FieldTest | string {
  switch (operator) {
    case '=':
      return { type: 'equals', value: unquote(value) };
    case '!=':
      return { type: 'differs', value: unquote(value) };
    case '~': {
      const pattern = parsePattern(value);
      return typeof pattern === 'string' ? pattern : { type: 'matches', pattern };
    }
    case 'exists':
      return { type: 'set' };
    default:
      return { type: 'unset' };
  }
}

function parsePattern(text: string): RegExp | string {
  try {
    return new RegExp(unquote(text));
  } catch {
    return `"${text}" is not a pattern`;
  }
}

const unquote = (text: string): string => (/^(["']).*\1$/.test(text) ? text.slice(1, -1) : text);

/** `status.conditions[Ready].status` -> status, conditions, Ready, status. Keys with dots stand in brackets. */
function splitPath(text: string): readonly string[] {
  return [...text.matchAll(/[^.[\]]+|\[([^\]]*)\]/g)].map(([whole, inner]) => inner ?? whole);
}

export function holds(condition: Condition, seen: Seen): boolean {
  switch (condition.type) {
    case 'gone':
      return seen.object === undefined;
    case 'present':
      return seen.object !== undefined;
    case 'field':
      return seen.object !== undefined && passes(condition.test, readPath(seen.object, condition.path));
    case 'event':
      return seen.events.some(
        ({ reason, message }) => reason === condition.reason && (condition.message?.test(message ?? '') ?? true),
      );
    default:
      return unreachable(condition);
  }
}

function passes(test: FieldTest, value: unknown): boolean {
  switch (test.type) {
    case 'equals':
      return asText(value) === test.value;
    case 'differs':
      return asText(value) !== test.value;
    case 'matches':
      return test.pattern.test(asText(value));
    case 'set':
      return value !== undefined && value !== null;
    case 'unset':
      return value === undefined || value === null;
    default:
      return unreachable(test);
  }
}

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** A step into a list is an index, or the `type` or `name` of the member that is meant. */
function readPath(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Array.isArray(value) ? memberOf(value, step) : (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

function memberOf(list: readonly unknown[], step: string): unknown {
  if (/^\d+$/.test(step)) return list[Number(step)];
  return list.find((item) => {
    const named = item as { readonly type?: unknown; readonly name?: unknown } | null;
    return item === step || named?.type === step || named?.name === step;
  });
}
