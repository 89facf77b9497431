// The paths that point into custom objects: `.spec.size`, `.status.conditions[?(@.type=="Ready")].status`,
// `.metadata.labels['example\.com/zone']`, `.spec.ports[0].name`, `.spec.items[*].name`. client-go:util/jsonpath
import { isJsonObject } from '../../kube/json.ts';

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'every' }
  | { readonly type: 'filter'; readonly path: JsonPath; readonly operator: string; readonly value: unknown };

/** Steps from the object on. */
export type JsonPath = readonly Step[];

const FIELD = /^\.?((?:\\.|[^.[\]\\\s])+)/;
const QUOTED = /^\[(['"])((?:\\.|(?!\1)[^\\])*)\1\]/;
const INDEX = /^\[(-?\d+)\]/;
const EVERY = /^(?:\[\*\]|\.\*)/;
const FILTER = /^\[\?\(\s*@((?:\.|\[)[^=!<>\s)]*)\s*(?:(==|!=|<=|>=|<|>)\s*([^)]+?)\s*)?\)\]/;

/** Undefined if it is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.trim();
  if (rest === '.' || rest === '') return steps;
  while (rest !== '') {
    const found = nextStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps;
}

function nextStep(rest: string): { readonly step: Step; readonly length: number } | undefined {
  const every = EVERY.exec(rest);
  if (every !== null) return { step: { type: 'every' }, length: every[0].length };
  const filter = FILTER.exec(rest);
  if (filter !== null) return filterStep(filter);
  const index = INDEX.exec(rest);
  if (index !== null) return { step: { type: 'index', index: Number(index[1]) }, length: index[0].length };
  const field = QUOTED.exec(rest);
  if (field !== null) return { step: { type: 'field', name: unescaped(field[2] ?? '') }, length: field[0].length };
  const plain = FIELD.exec(rest);
  if (plain === null) return undefined;
  return { step: { type: 'field', name: unescaped(plain[1] ?? '') }, length: plain[0].length };
}

const unescaped = (name: string): string => name.replace(/\\(.)/g, '$1');

function filterStep([whole, inner = '', operator, literal]: RegExpExecArray): ReturnType<typeof nextStep> {
  const path = parseJsonPath(inner);
  if (path === undefined) return undefined;
  const value = literal === undefined ? undefined : literalOf(literal);
  return { step: { type: 'filter', path, operator: operator ?? 'exists', value }, length: whole.length };
}

function literalOf(text: string): unknown {
  const quoted = /^(['"])(.*)\1$/.exec(text);
  if (quoted !== null) return quoted[2];
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Every value that the path points at, in order. */
export function valuesAt(path: JsonPath, object: unknown): readonly unknown[] {
  let values: readonly unknown[] = [object];
  for (const step of path) values = values.flatMap((value) => stepInto(step, value));
  return values;
}

function stepInto(step: Step, value: unknown): readonly unknown[] {
  switch (step.type) {
    case 'field':
      if (Array.isArray(value)) return value.flatMap((each) => stepInto(step, each));
      return isJsonObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case 'index': {
      const found: unknown = Array.isArray(value) ? value.at(step.index) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'every':
      return Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value) ? value.filter((each) => passes(step, each)) : [];
  }
}

function passes({ path, operator, value }: Extract<Step, { readonly type: 'filter' }>, member: unknown): boolean {
  const [found] = valuesAt(path, member);
  if (found === undefined) return false;
  switch (operator) {
    case 'exists':
      return true;
    case '==':
      return found === value;
    case '!=':
      return found !== value;
    default:
      return isOrdered(operator, found, value);
  }
}

function isOrdered(operator: string, left: unknown, right: unknown): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const order = left === right ? 0 : left < (right as typeof left) ? -1 : 1;
  if (order === 0) return operator.endsWith('=');
  return operator.startsWith(order < 0 ? '<' : '>');
}
