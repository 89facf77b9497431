// Why an object is not of its type, in the sentences of structured-merge-diff: its paths and Go's way to print values.
// structured-merge-diff:typed/validate.go
import { goJson, goPrint, goQuote } from '../../kube/go-text.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type ApplyType, type ListApply, type MapApply, type ScalarApply, deduced } from './apply-type.ts';
import { nameMember } from './list-member.ts';
import { compareTexts, printElement } from './path-element.ts';

export interface TypedFault {
  /** `.spec.containers[name="c"].image` */
  readonly path: string;
  readonly why: string;
}

/** With `allowsDuplicates` several members of a list may have the same name. */
export function typedFaults(type: MapApply, object: JsonObject, allowsDuplicates = false): readonly TypedFault[] {
  return faultsOfMap(type, object, { path: '', allowsDuplicates });
}

export function printFaults(faults: readonly TypedFault[]): string {
  const sentences = faults.map(({ path, why }) => (path === '' ? why : `${path}: ${why}`));
  return sentences.length === 1 ? sentences.join('') : ['errors:', ...sentences.map((each) => `  ${each}`)].join('\n');
}

interface Place {
  readonly path: string;
  readonly allowsDuplicates: boolean;
}

const below = (place: Place, step: string): Place => ({ ...place, path: place.path + step });

function faultsOf(type: ApplyType, value: unknown, place: Place): readonly TypedFault[] {
  const plain = deduced(type, value);
  if (value === null) return [];
  const fault = (why: string): readonly TypedFault[] => [{ path: place.path, why }];
  switch (plain.type) {
    case 'scalar': {
      const why = scalarFault(plain, value);
      return why === undefined ? [] : fault(why);
    }
    case 'list':
      return Array.isArray(value)
        ? faultsOfList(plain, value, place)
        : fault(`expected list, got &{${goPrint(value)}}`);
    case 'map':
      return isJsonObject(value) ? faultsOfMap(plain, value, place) : fault(`expected map, got &{${goPrint(value)}}`);
  }
}

function scalarFault({ holds }: ScalarApply, value: unknown): string | undefined {
  const isScalar = typeof value !== 'object';
  switch (holds) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`;
    case 'untyped':
      return isScalar ? undefined : `expected any scalar, got &{${goPrint(value)}}`;
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value;
}

/** Decoded JSON as `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return goJson(value);
  const entries = Object.entries(value).toSorted(([left], [right]) => compareTexts(left, right));
  return `map[string]interface {}{${entries.map(([key, each]) => `${goQuote(key)}:${goSyntax(each)}`).join(', ')}}`;
}

/** The first field that is not declared ends the look at this object, as upstream. */
function faultsOfMap(type: MapApply, map: JsonObject, place: Place): readonly TypedFault[] {
  const faults: TypedFault[] = [];
  for (const [key, value] of Object.entries(map)) {
    const of = type.fields.get(key)?.of ?? type.others;
    const at = below(place, `.${key}`);
    if (of === undefined) return [...faults, { path: at.path, why: 'field not declared in schema' }];
    faults.push(...faultsOf(of, value, at));
  }
  return faults;
}

/** A member without a name ends the look at its list. */
function faultsOfList(type: ListApply, list: readonly unknown[], place: Place): readonly TypedFault[] {
  const faults: TypedFault[] = [];
  const names = new Set<string>();
  for (const [index, member] of list.entries()) {
    const named = type.relation === 'atomic' ? { step: `i:${index}` } : nameMember(type, member);
    if ('fault' in named) return [...faults, { path: place.path, why: `element ${index}: ${named.fault}` }];
    const step = printElement(named.step);
    if (names.has(step) && !place.allowsDuplicates) {
      faults.push({ path: place.path, why: `duplicate entries for key ${step}` });
    }
    names.add(step);
    faults.push(...faultsOf(type.of, member, below(place, step)));
  }
  return faults;
}
