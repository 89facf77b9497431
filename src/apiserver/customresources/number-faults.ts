// What is wrong with a number by its schema. kube-openapi:pkg/validation/validate/{validator,values}.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';

interface Place {
  readonly path: string;
  readonly root: string;
}

const INT32_MAX = 2 ** 31 - 1;
const FLOAT32_MAX = 3.4028234663852886e38;

export function numberFaults(schema: JsonSchema, value: unknown, place: Place): readonly FieldError[] {
  if (typeof value !== 'number') return [];
  const { path } = place;
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const faults: FieldError[] = [...rangeFaults(schema, value, place)];
  const isWhole = Number.isInteger(value);
  const bound = (limit: number): string => (isWhole ? String(Math.trunc(limit)) : goFloat(limit));
  const limitOf = (limit: number): number => (isWhole ? Math.trunc(limit) : limit);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    faults.push(invalid(path, value, `${path} in body should be a multiple of ${bound(multipleOf)}`));
  if (minimum !== undefined && (exclusiveMinimum ? value <= limitOf(minimum) : value < limitOf(minimum))) {
    const word = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    faults.push(invalid(path, value, `${path} in body should be ${word} ${bound(minimum)}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= limitOf(maximum) : value > limitOf(maximum))) {
    const word = exclusiveMaximum ? 'less than' : 'less than or equal to';
    faults.push(invalid(path, value, `${path} in body should be ${word} ${bound(maximum)}`));
  }
  return faults;
}

/** A format narrows a type only where the type is one, and the format is of that type. */
function rangeFaults({ type, format }: JsonSchema, value: number, { path, root }: Place): readonly FieldError[] {
  const isOutside =
    (type === 'integer' && format === 'int32' && (value > INT32_MAX || value < -INT32_MAX - 1)) ||
    (type === 'number' && format === 'float' && Math.abs(value) > FLOAT32_MAX);
  if (!isOutside) return [];
  return [invalid(root, '', `Checked value must be of type ${type} with format ${format ?? ''} in ${path}`)];
}

function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return false;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

/** As Go's `%v` prints a float: short, with an exponent from a million on. */
function goFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
