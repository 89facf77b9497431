// Validation faults as upstream reports them: a path, a reason and a sentence. `api-error.ts` turns a list of them into
// the 422 answer with its causes.

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

export const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  text: detail === '' ? 'Required value' : `Required value: ${detail}`,
});
/** `value` is printed as JSON: texts in quotes, objects whole. */
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  text: `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${detail}`,
});
export const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  text: `Forbidden: ${detail}`,
});
export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  text: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  text: `Duplicate value: ${JSON.stringify(value)}`,
});
export const notFound = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  text: `Not found: ${JSON.stringify(value)}`,
});
