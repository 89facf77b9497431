// What follows the first line of an "is immutable" sentence: the fields that differ, one line a side. Upstream prints a
// difference of Go values there, which nobody parses; the lines here name the fields as they are typed in a manifest.
import { sameValue } from './semantic-equal.ts';

export function difference(before: unknown, after: unknown): string {
  return linesOf('', before, after).join('\n');
}

function linesOf(path: string, before: unknown, after: unknown): readonly string[] {
  if (sameValue(before, after)) return [];
  if (isFields(before) && isFields(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return keys.flatMap((key) => linesOf(path === '' ? key : `${path}.${key}`, before[key], after[key]));
  }
  return [
    ...(before === undefined ? [] : [`- ${path}: ${JSON.stringify(before)}`]),
    ...(after === undefined ? [] : [`+ ${path}: ${JSON.stringify(after)}`]),
  ];
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
