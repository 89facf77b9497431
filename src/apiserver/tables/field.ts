// Reads fields of kinds whose shape is not declared: what is missing, or of another type than expected, is the zero value.
import { isJsonObject } from '../../kube/json.ts';

/** `spec.template.spec`: names with dots between them. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.'))
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

export function textAt(value: unknown, path: string, otherwise = ''): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : otherwise;
}

export function numberAt(value: unknown, path: string): number {
  const found = at(value, path);
  return typeof found === 'number' ? found : 0;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

/** Entries of a map of texts. */
export function textsAt(value: unknown, path: string): Readonly<Record<string, string>> {
  const found = at(value, path);
  if (!isJsonObject(found)) return {};
  return Object.fromEntries(Object.entries(found).map(([key, each]) => [key, String(each)]));
}

/** The status of the first condition of a type, undefined where there is none. */
export function conditionAt(value: unknown, type: string): string | undefined {
  const found = listAt(value, 'status.conditions').find((each) => textAt(each, 'type') === type);
  return found === undefined ? undefined : textAt(found, 'status');
}
