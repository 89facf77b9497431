// Tolerations were an annotation once, and what it says is judged still. kubernetes:pkg/apis/core/helper/helpers.go
// (GetTolerationsFromPodAnnotations), pkg/apis/core/validation/validation.go (ValidateTolerationsInPodAnnotations)
import { type FieldError, invalid } from '../../kube/field-error.ts';
import { type GoJson, GoJsonError, type GoMember, readGoJson } from '../../kube/go-json.ts';
import type { Toleration } from '../../kube/resources/node-selector.ts';
import { checkTolerations } from './affinity-checks.ts';

export const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';

const INT64_MAX = 2n ** 63n - 1n;

/** Types of Go by the lower case of the field's name: case does not matter in what is read. */
const FIELDS = new Map([
  ['key', { field: 'key', goName: 'Key', goType: 'string' }],
  ['operator', { field: 'operator', goName: 'Operator', goType: 'core.TolerationOperator' }],
  ['value', { field: 'value', goName: 'Value', goType: 'string' }],
  ['effect', { field: 'effect', goName: 'Effect', goType: 'core.TaintEffect' }],
  ['tolerationseconds', { field: 'tolerationSeconds', goName: 'TolerationSeconds', goType: 'int64' }],
]);

export function checkTolerationAnnotation(text: string | undefined, path: string): readonly FieldError[] {
  if (text === undefined || text === '') return [];
  try {
    return checkTolerations(tolerationsIn(readGoJson(text)), `${path}.${TOLERATIONS}`);
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    return [invalid(path, TOLERATIONS, error.message)];
  }
}

function tolerationsIn(value: GoJson): readonly Toleration[] {
  if (value.type === 'null') return [];
  if (value.type !== 'array') throw mismatch(value.type, 'value of type []core.Toleration');
  return value.items.map(tolerationIn);
}

function tolerationIn(value: GoJson): Toleration {
  if (value.type === 'null') return {};
  if (value.type !== 'object') throw mismatch(value.type, 'value of type core.Toleration');
  return Object.fromEntries(value.members.flatMap(fieldIn));
}

function fieldIn({ key, value }: GoMember): readonly (readonly [string, string | number])[] {
  const known = FIELDS.get(key.toLowerCase());
  if (known === undefined || value.type === 'null') return [];
  const { field, goName, goType } = known;
  const place = `struct field Toleration.${goName} of type ${goType}`;
  if (goType !== 'int64') {
    if (value.type !== 'string') throw mismatch(value.type, place);
    return [[field, value.text]];
  }
  if (value.type !== 'number') throw mismatch(value.type, place);
  if (!isInt64(value.text)) throw mismatch(`number ${value.text}`, place);
  return [[field, Number(value.text)]];
}

function isInt64(text: string): boolean {
  if (!/^-?\d+$/.test(text)) return false;
  const number = BigInt(text);
  return number <= INT64_MAX && number >= -INT64_MAX - 1n;
}

const mismatch = (found: string, place: string): GoJsonError =>
  new GoJsonError(`json: cannot unmarshal ${found} into Go ${place}`);
