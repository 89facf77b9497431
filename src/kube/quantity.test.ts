import { describe, expect, test } from 'vitest';
import {
  QuantityError,
  addQuantities,
  bytesOf,
  canonicalQuantity,
  compareQuantities,
  formatBytes,
  formatQuantity,
  isZeroQuantity,
  milliOf,
  seemsFractional,
  subtractQuantities,
} from './quantity.ts';

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe('P-KUBE-1 canonicalQuantity', () => {
  test.each([
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1000M', '1G'],
    ['5000000000', '5G'],
    ['10Gi', '10Gi'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['0.001Ki', '1024m'],
    ['0.0001Ki', '102400u'],
    ['2048', '2048'],
    ['2000', '2k'],
    ['8Ki', '8Ki'],
    ['1023Ki', '1023Ki'],
    ['0', '0'],
    ['0Gi', '0'],
    ['0.000', '0'],
    ['-1Gi', '-1Gi'],
    ['-1024Mi', '-1Gi'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['9223372036854775807', '9223372036854775807'],
    ['1000000Ei', '9223372036854775807'],
    ['100Ti', '100Ti'],
    ['1Pi', '1Pi'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.234e-12', '1e-9'],
  ])('%s -> %s', (typed, stored) => {
    expect(canonicalQuantity(typed)).toBe(stored);
  });

  test.each(['1e3', '+3Gi', '0100G', '1.500G', '12E6', '1.', '+5', '007Mi', '1e30'])(
    '%s -> stays as typed',
    (typed) => {
      expect(canonicalQuantity(typed)).toBe(typed);
    },
  );

  test.each([
    ['+8Gi', '8Gi'],
    ['0100Ti', '100Ti'],
    ['1000e3', '1e6'],
    ['+1Pi', '1Pi'],
    ['Gi', '0'],
    ['+', '0'],
    ['.', '0'],
  ])('%s -> %s, because the text is not kept', (typed, stored) => {
    expect(canonicalQuantity(typed)).toBe(stored);
  });

  test('1000E -> 1, because upstream has no suffix above E and prints none', () => {
    expect(canonicalQuantity('1000E')).toBe('1');
  });

  test.each([
    ['', FORMAT_WRONG],
    ['1Gx', FORMAT_WRONG],
    ['ten', FORMAT_WRONG],
    ['1 Gi', FORMAT_WRONG],
    ['1..5', FORMAT_WRONG],
    ['1Gi ', FORMAT_WRONG],
    ['--1', "unable to parse quantity's suffix"],
    ['1K', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1mi', "unable to parse quantity's suffix"],
    ['1Gi5', "unable to parse quantity's suffix"],
    ['1e99999999999999999999', "unable to parse quantity's suffix"],
    ['.Pi', 'unable to parse numeric part of quantity'],
  ])('%j -> %s', (typed, message) => {
    expect(() => canonicalQuantity(typed)).toThrow(new QuantityError(message));
  });
});

describe('compareQuantities', () => {
  test.each([
    ['1Gi', '1024Mi', 0],
    ['1Gi', '1G', 1],
    ['999m', '1', -1],
    ['-2', '-1', -1],
    ['-1', '0', -1],
    ['0', '0Gi', 0],
    ['1e3', '1k', 0],
    ['1.5Gi', '1536Mi', 0],
    ['1e2000000000', '1Ei', 1],
    ['-1e2000000000', '1Ei', -1],
    ['1e-2000000000', '1n', 0],
  ] as const)('%s against %s -> %i', (left, right, order) => {
    expect(compareQuantities(left, right)).toBe(order);
  });
});

describe('addQuantities and subtractQuantities', () => {
  test.each([
    ['1Gi', '1Gi', '2Gi', '0'],
    ['1Gi', '500M', '1573741824', '573741824'],
    ['1500m', '1', '2500m', '500m'],
    ['0', '1024Mi', '1Gi', '-1Gi'],
    ['1G', '1Gi', '2073741824', '-73741824'],
  ])('%s and %s -> sum %s, difference %s', (left, right, sum, difference) => {
    expect(formatQuantity(addQuantities(left, right))).toBe(sum);
    expect(formatQuantity(subtractQuantities(left, right))).toBe(difference);
  });

  test('a binary sum that passes below 1024 on its way -> still printed binary at the end', () => {
    const between = subtractQuantities('2Ki', '1500');
    expect(formatQuantity(between)).toBe('548');
    expect(formatQuantity(addQuantities(between, '476'))).toBe('1Ki');
  });
});

describe('units', () => {
  test.each([
    ['1Gi', 1073741824],
    ['1.5', 2],
    ['1n', 1],
    ['-1500m', -2],
    ['1e2000000000', 2 ** 63],
    ['0E', 0],
  ])('bytesOf %s -> %i, rounded up', (text, bytes) => {
    expect(bytesOf(text)).toBe(bytes);
  });

  test.each([
    ['100m', 100],
    ['1.0005', 1001],
    ['2', 2000],
  ])('milliOf %s -> %i', (text, milli) => {
    expect(milliOf(text)).toBe(milli);
  });

  test.each([
    [0, '0'],
    [1000, '1k'],
    [1024, '1Ki'],
    [1536, '1536'],
    [10737418240, '10Gi'],
    [5000000000, '5000000000'],
    [-1073741824n, '-1Gi'],
  ])('formatBytes %s -> %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test.each([
    ['0Gi', true],
    ['1n', false],
  ])('isZeroQuantity %s -> %s', (text, zero) => {
    expect(isZeroQuantity(text)).toBe(zero);
  });

  test.each([
    ['0', false],
    ['1500m', true],
    ['1u', true],
    ['10Gi', false],
    ['8Pi', false],
    ['9Pi', true],
    ['5Ei', true],
    ['16P', false],
    ['1234567890123456789e1000000', false],
  ])('seemsFractional %s -> %s', (text, fractional) => {
    expect(seemsFractional(text)).toBe(fractional);
  });
});
