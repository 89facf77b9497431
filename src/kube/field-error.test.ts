import { describe, expect, test } from 'vitest';
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
} from './field-error.ts';

describe('P-KUBE-2 faults of fields', () => {
  test.each<[FieldError, string, string]>([
    [required('f'), 'FieldValueRequired', 'Required value'],
    [
      required('f', 'at least 1 access mode is required'),
      'FieldValueRequired',
      'Required value: at least 1 access mode is required',
    ],
    [invalid('f', 'a"b', 'no'), 'FieldValueInvalid', 'Invalid value: "a\\"b": no'],
    [invalid('f', 0, 'must be greater than 0'), 'FieldValueInvalid', 'Invalid value: 0: must be greater than 0'],
    [invalid('f', { a: '<b>' }, 'no'), 'FieldValueInvalid', 'Invalid value: {"a":"\\u003cb\\u003e"}: no'],
    [invalid('f', undefined, 'field is immutable'), 'FieldValueInvalid', 'Invalid value: null: field is immutable'],
    [invalid('f', 'x', ''), 'FieldValueInvalid', 'Invalid value: "x"'],
    [forbidden('f', 'no'), 'FieldValueForbidden', 'Forbidden: no'],
    [forbidden('f', ''), 'FieldValueForbidden', 'Forbidden'],
    [
      notSupported('f', 'Burn', ['Delete', 'Retain']),
      'FieldValueNotSupported',
      'Unsupported value: "Burn": supported values: "Delete", "Retain"',
    ],
    [
      notSupported('f', ['Some'], ['All']),
      'FieldValueNotSupported',
      'Unsupported value: ["Some"]: supported values: "All"',
    ],
    [duplicate('f', 'x'), 'FieldValueDuplicate', 'Duplicate value: "x"'],
    [notFound('f', 'x'), 'FieldValueNotFound', 'Not found: "x"'],
    [tooLong('f', 63), 'FieldValueTooLong', 'Too long: may not be more than 63 bytes'],
    [tooLong('f', 1), 'FieldValueTooLong', 'Too long: may not be more than 1 byte'],
  ])('%j -> %s', (error, type, text) => {
    expect(error).toEqual({ type, field: 'f', text });
  });
});
