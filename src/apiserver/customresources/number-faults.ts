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
  if (multipleOf !== undefined) faults.push(...multipleFaults(value, limitOf(multipleOf), path));
  if (minimum !== undefined && (exclusiveMinimum ? value <= limitOf(minimum) : value < limitOf(minimum))) {
    const word = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    faults.push(invalidNumber(path, value, `${path} in body should be ${word} ${bound(minimum)}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= limitOf(maximum) : value > limitOf(maximum))) {
    const word = exclusiveMaximum ? 'less than' : 'less than or equal to';
    faults.push(invalidNumber(path, value, `${path} in body should be ${word} ${bound(maximum)}`));
  }
  return faults;
}

/** A format narrows a type only where the type is one, and the format is of that type. */
function rangeFaults({ type, format }: JsonSchema, value: number, { path, root }: Place): readonly FieldError[] {
  if (type === 'integer' && !Number.isInteger(value)) {
    const shown = format === 'int32' || format === 'int64' ? `with format ${format}` : '(default format)';
    return [invalid(root, '', `Checked value must be of type integer ${shown} in ${path}`)];
  }
  const isOutside =
    (type === 'integer' && format === 'int32' && (value > INT32_MAX || value < -INT32_MAX - 1)) ||
    (type === 'number' && format === 'float' && Math.abs(value) > FLOAT32_MAX);
  if (!isOutside) return [];
  return [invalid(root, '', `Checked value must be of type ${type} with format ${format ?? ''} in ${path}`)];
}

/** A whole number is divided by whole numbers only: what is left of a fraction may be nothing. */
function multipleFaults(value: number, factor: number, path: string): readonly FieldError[] {
  if (factor <= 0)
    return [invalid(path, factor, `factor MultipleOf declared for ${path} must be positive: ${goFloat(factor)}`)];
  if (isMultiple(value, factor)) return [];
  return [invalidNumber(path, value, `${path} in body should be a multiple of ${goFloat(factor)}`)];
}

/** Upstream prints a fraction as Go does. */
function invalidNumber(path: string, value: number, detail: string): FieldError {
  const fault = invalid(path, value, detail);
  return Number.isInteger(value) ? fault : { ...fault, text: `Invalid value: ${goFloat(value)}: ${detail}` };
}

function isMultiple(value: number, factor: number): boolean {
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
