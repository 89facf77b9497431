import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addQuantities,
  bytesOf,
  canonicalQuantity,
  compareQuantities,
  formatBytes,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
} from './quantity.ts';

const SUFFIXES = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'e3', 'E6', 'e-3', 'e+9'];
/** Below 1000E, where every value has a suffix to be printed with. */
const quantityText = fc
  .tuple(
    fc.constantFrom('', '+', '-'),
    fc.integer({ min: 0, max: 999_999 }),
    fc.constantFrom('', '.', '.0', '.5', '.125', '.000', '.000000001'),
    fc.constantFrom(...SUFFIXES),
  )
  .map(([sign, digits, fraction, suffix]) => `${sign}${digits}${fraction}${suffix}`);

test('P-KUBE-1 canonical form -> the same value, and canonical again', () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const stored = canonicalQuantity(text);
      expect(compareQuantities(stored, text)).toBe(0);
      expect(canonicalQuantity(stored)).toBe(stored);
    }),
  );
});

test('P-KUBE-1 the quick way to the canonical form -> what parsing and printing gives', () => {
  fc.assert(fc.property(quantityText, (text) => canonicalQuantity(text) === formatQuantity(parseQuantity(text))));
});

test('comparison -> a total order', () => {
  fc.assert(
    fc.property(quantityText, quantityText, quantityText, (a, b, c) => {
      expect(compareQuantities(a, a)).toBe(0);
      expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
      if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0) {
        expect(compareQuantities(a, c)).toBeLessThanOrEqual(0);
      }
    }),
  );
});

test('adding and taking away again -> the same value', () => {
  fc.assert(
    fc.property(quantityText, quantityText, (a, b) => {
      expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
    }),
  );
});

test('whole bytes through text and back -> the same number', () => {
  fc.assert(fc.property(fc.integer({ min: 0 }), (bytes) => bytesOf(formatBytes(bytes)) === bytes));
});
