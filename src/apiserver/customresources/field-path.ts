// Paths in a definition that point at fields of its schema: `.spec.size`, `.spec['a.b']`.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go (ValidFieldPath)
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { additionalOf, propertyOf } from './json-schema.ts';

const STEP = /^(?:\.([^.[\]']+)|\['((?:\\.|[^'\\])*)'\])/;

export type FieldPath =
  | { readonly type: 'found'; readonly names: readonly string[]; readonly schema: JsonSchema }
  | { readonly type: 'fault'; readonly says: string };

/** The field that a path points at. */
export function fieldPath(path: string, schema: JsonSchema, options: { readonly allowsBrackets: boolean }): FieldPath {
  const names: string[] = [];
  let current = schema;
  let rest = path;
  while (rest !== '') {
    if (rest.startsWith('[') && !options.allowsBrackets)
      return { type: 'fault', says: 'array notation is not allowed' };
    const step = STEP.exec(rest);
    if (step === null) return { type: 'fault', says: `expected [ or . but got: ${rest}` };
    const name = step[1] ?? (step[2] ?? '').replace(/\\(.)/g, '$1');
    const below = current.properties === undefined ? additionalOf(current) : propertyOf(current, name);
    if (below === undefined) return { type: 'fault', says: 'does not refer to a valid field' };
    names.push(name);
    current = below;
    rest = rest.slice(step[0].length);
  }
  return { type: 'found', names, schema: current };
}

export const isFieldPath = (path: string, schema: JsonSchema): boolean =>
  fieldPath(path, schema, { allowsBrackets: true }).type === 'found';
