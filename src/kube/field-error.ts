// Validation faults as upstream reports them: a path, a reason and a sentence. `api-error.ts` turns a list of them into
// the 422 answer with its causes.

import { goQuote, goValue } from './go-text.ts';

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueForbidden'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound'
  | 'InternalError';

export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.accessModes`, `spec.resources[storage]`, `spec.containers[0].name` */
  readonly field: string;
  /** All that follows `field: ` in the message: `Required value: at least 1 access mode is required`. */
  readonly text: string;
}

const withDetail = (fault: string, detail: string): string => (detail === '' ? fault : `${fault}: ${detail}`);

export const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  text: withDetail('Required value', detail),
});
/** `value` is printed as JSON: texts in quotes, objects whole, nothing as null. */
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  text: withDetail(`Invalid value: ${goValue(value)}`, detail),
});
/** Of a value that is too large to be shown. */
export const invalidWithoutValue = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  text: withDetail('Invalid value', detail),
});
export const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  text: withDetail('Forbidden', detail),
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  text: `Unsupported value: ${goValue(value)}: supported values: ${supported.map(goQuote).join(', ')}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  text: `Duplicate value: ${goValue(value)}`,
});
export const notFound = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  text: `Not found: ${goValue(value)}`,
});

export const internalError = (field: string, detail: string): FieldError => ({
  type: 'InternalError',
  field,
  text: withDetail('Internal error', detail),
});

/** The value itself is never shown. */
export const tooLong = (field: string, lengthMax: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  text: `Too long: may not be more than ${lengthMax} ${lengthMax === 1 ? 'byte' : 'bytes'}`,
});

export const tooMany = (field: string, count: number, countMax: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  text: `Too many: ${count}: must have at most ${countMax} ${countMax === 1 ? 'item' : 'items'}`,
});
/** The value is not of the type that the field has. */
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  text: withDetail(`Invalid value: ${goValue(value)}`, detail),
});
