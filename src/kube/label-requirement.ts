// One condition on labels, and the faults of a condition that can never be meant.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/labels/selector.go
import { unreachable } from '../base/assert.ts';
import { type FieldError, invalid } from './field-error.ts';
import { faultsOfLabelValue, faultsOfQualifiedName } from './names.ts';

export type Labels = Readonly<Record<string, string>>;
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The text or object is no selector. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

const INT64 = /^[+-]?[0-9]+$/;
const INT64_MAX = 2n ** 63n - 1n;

function parseInt64(text: string): bigint | undefined {
  if (!INT64.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
}

function valueCountErrors(operator: LabelOperator, values: readonly string[]): readonly FieldError[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0
        ? [invalid('values', values, "for 'in', 'notin' operators, values set can't be empty")]
        : [];
    case '=':
    case '==':
    case '!=':
      return values.length === 1
        ? []
        : [invalid('values', values, 'exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [invalid('values', values, 'values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1
          ? []
          : [invalid('values', values, "for 'Gt', 'Lt' operators, exactly one value is required")]),
        ...values.flatMap((value, index) =>
          parseInt64(value) === undefined
            ? [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
            : [],
        ),
      ];
    default:
      return unreachable(operator);
  }
}

/** The requirement itself, if it is one. */
export function checkedRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const keyFaults = faultsOfQualifiedName(key);
  const errors = [
    ...(keyFaults.length === 0 ? [] : [invalid('key', key, keyFaults.join('; '))]),
    ...valueCountErrors(operator, values),
    ...values.flatMap((value, index) => {
      const faults = faultsOfLabelValue(value);
      return faults.length === 0 ? [] : [invalid(`values[${index}][${key}]`, value, faults.join('; '))];
    }),
  ];
  if (errors.length > 0) throw new SelectorError(aggregated(errors));
  return requirement;
}

/** Several faults in one sentence, identical ones once. */
function aggregated(errors: readonly FieldError[]): string {
  const sentences = [...new Set(errors.map((error) => `${error.field}: ${error.text}`))];
  return sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
}

export function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && matchesOrder(operator, value, values[0] ?? '');
    default:
      return unreachable(operator);
  }
}

/** Values that are no integers are in no order. */
function matchesOrder(operator: 'gt' | 'lt', value: string, bound: string): boolean {
  const [left, right] = [parseInt64(value), parseInt64(bound)];
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.toSorted().join(',');
  switch (operator) {
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    default:
      return unreachable(operator);
  }
}
