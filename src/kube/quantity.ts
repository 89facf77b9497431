// Exact quantities: `10Gi`, `500m`, `1e3`. A quantity is an integer times a power of ten, so nothing is ever rounded but
// what is finer than a nano, and that away from zero. Grammar, faults and the form that is stored are upstream's
// (kubernetes:staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go), its oddities included: a text that the
// short way of parsing takes whole is stored as typed (`+3Gi`, `0100G`, `1.500G`), any other is stored canonical.

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** The value is `unscaled * 10 ** exponent`. */
  readonly unscaled: bigint;
  readonly exponent: number;
  /** The suffixes it is printed with. */
  readonly format: QuantityFormat;
  /** As typed, where that is kept. */
  readonly text?: string;
}

/** A quantity or the text of one. A text that is none throws a QuantityError. */
export type QuantityInput = Quantity | string;

export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC_WRONG = 'unable to parse numeric part of quantity';
const SUFFIX_WRONG = "unable to parse quantity's suffix";

const NANO = -9;
const MILLI = -3;
const INT64_MAX = 2n ** 63n - 1n;
/** Digits that surely fit 64 bits. kubernetes:staging/src/k8s.io/apimachinery/pkg/api/resource/math.go */
const DIGITS_MAX = 18;
/** Numbers beyond this are not written out. */
const WRAPPED_DIGITS_MAX = 64;

/** Sign, digits, fraction, suffix. All parts may be empty: upstream reads `Gi` and `.` as zero. */
const PARTS = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_SUFFIXES = new Map(Object.entries(DECIMAL_EXPONENTS).map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

interface Suffix {
  readonly format: QuantityFormat;
  /** Of ten, or of two when the format is BinarySI. */
  readonly exponent: number;
}

function suffixOf(text: string): Suffix | undefined {
  if (Object.hasOwn(DECIMAL_EXPONENTS, text)) return { format: 'DecimalSI', exponent: DECIMAL_EXPONENTS[text] ?? 0 };
  if (Object.hasOwn(BINARY_EXPONENTS, text)) return { format: 'BinarySI', exponent: BINARY_EXPONENTS[text] ?? 0 };
  if (!/^[eE][-+]?[0-9]+$/.test(text)) return undefined;
  const exponent = BigInt(text.slice(text.charAt(1) === '+' ? 2 : 1));
  if (exponent > INT64_MAX || exponent < -INT64_MAX - 1n) return undefined;
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) };
}

interface Parts {
  readonly text: string;
  readonly negative: boolean;
  /** Without leading zeros, and never empty. */
  readonly digits: string;
  readonly fraction: string;
  readonly hasDigits: boolean;
  readonly suffix: Suffix;
}

function partsOf(text: string): Parts {
  if (text === '') throw new QuantityError(FORMAT_WRONG);
  const match = PARTS.exec(text);
  if (match === null) throw new QuantityError(FORMAT_WRONG);
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = suffixOf(suffixText);
  if (suffix === undefined) throw new QuantityError(SUFFIX_WRONG);
  const digits = whole.replace(/^0+/, '');
  const hasDigits = whole !== '' || fraction !== '';
  return { text, negative: sign === '-', digits: digits === '' ? '0' : digits, fraction, hasDigits, suffix };
}

/** Whether upstream computes it in 64 bits; only then the text may be kept. */
function isShort({ digits, fraction, suffix }: Parts): boolean {
  if (suffix.format !== 'BinarySI') {
    return digits.length + fraction.length <= DIGITS_MAX && suffix.exponent - fraction.length >= NANO;
  }
  return fraction === '' && 15 - digits.length - Math.trunc((suffix.exponent * 3) / 10) - 1 >= 0;
}

function parseShort({ text, negative, digits, fraction, suffix }: Parts): Quantity {
  const shifted = digits + fraction;
  const value = BigInt(negative ? `-${shifted}` : shifted);
  if (suffix.format === 'BinarySI') {
    const unscaled = value << BigInt(suffix.exponent);
    return { unscaled, exponent: 0, format: 'BinarySI', ...((value & 7n) === 0n ? {} : { text }) };
  }
  const exponent = suffix.exponent - fraction.length;
  const isKept = exponent % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  return { unscaled: value, exponent, format: suffix.format, ...(isKept ? { text } : {}) };
}

function parseLong({ hasDigits, negative, digits, fraction, suffix }: Parts): Quantity {
  if (!hasDigits) throw new QuantityError(NUMERIC_WRONG);
  const unscaled = BigInt(digits + fraction);
  const isBinary = suffix.format === 'BinarySI';
  const exact: Quantity = {
    unscaled: isBinary ? unscaled << BigInt(suffix.exponent) : unscaled,
    exponent: (isBinary ? 0 : suffix.exponent) - fraction.length,
    format: suffix.format,
  };
  let amount = roundedUp(exact, NANO);
  if (isBinary && compareQuantities(amount, { ...amount, unscaled: INT64_MAX, exponent: 0 }) > 0) {
    amount = { unscaled: INT64_MAX, exponent: 0, format: 'BinarySI' };
  }
  if (isBinary && amount.unscaled > 0n && compareQuantities(amount, { ...amount, unscaled: 1n, exponent: 0 }) < 0) {
    amount = { ...amount, format: 'DecimalSI' };
  }
  return negative ? { ...amount, unscaled: -amount.unscaled } : amount;
}

export function parseQuantity(text: string): Quantity {
  if (text === '0') return { unscaled: 0n, exponent: 0, format: 'DecimalSI', text };
  const parts = partsOf(text);
  return isShort(parts) ? parseShort(parts) : parseLong(parts);
}

/** What most objects hold: up to five digits that the short way keeps. Skips the arithmetic. */
const KEPT_BINARY = /^[0-9]{1,5}(?:Ki|Mi|Gi)$/;
const KEPT_DECIMAL = /^[1-9][0-9]{0,2}[mkMGT]?$/;

/** The form that is stored. */
export function canonicalQuantity(text: string): string {
  if (KEPT_DECIMAL.test(text)) return text;
  if (KEPT_BINARY.test(text) && (Number.parseInt(text, 10) & 7) !== 0) return text;
  return formatQuantity(parseQuantity(text));
}

export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format === 'BinarySI') {
    const bytes = integerOf(quantity);
    const isWhole = bytes !== undefined && (bytes >= 1024n || bytes <= -1024n);
    if (isWhole) return formatBinary(bytes);
  }
  return formatDecimal(quantity);
}

function formatBinary(bytes: bigint): string {
  let amount = bytes;
  let times = 0;
  while (amount % 1024n === 0n) {
    amount /= 1024n;
    times++;
  }
  return `${amount}${BINARY_SUFFIXES[times] ?? ''}`;
}

function formatDecimal(quantity: Quantity): string {
  let { unscaled, exponent } = quantity;
  while (unscaled % 10n === 0n) {
    unscaled /= 10n;
    exponent++;
  }
  while (exponent % 3 !== 0) {
    unscaled *= 10n;
    exponent--;
  }
  if (quantity.format === 'DecimalExponent') return exponent === 0 ? `${unscaled}` : `${unscaled}e${exponent}`;
  // From 1000E on there is no suffix left, and upstream prints none: `1000E` is stored as `1`.
  return `${unscaled}${DECIMAL_SUFFIXES.get(exponent) ?? ''}`;
}

/** The exact integer it stands for, undefined if it has a fraction. */
function integerOf({ unscaled, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return unscaled * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return unscaled % unit === 0n ? unscaled / unit : undefined;
}

/** The least precision kept, away from zero. An exponent far below costs nothing: what remains is one unit. */
function roundedUp(quantity: Quantity, exponent: number): Quantity {
  const dropped = exponent - quantity.exponent;
  if (dropped <= 0) return quantity;
  const sign = BigInt(signOf(quantity.unscaled));
  if (dropped > digitCount(quantity.unscaled)) return { unscaled: sign, exponent, format: quantity.format };
  const unit = 10n ** BigInt(dropped);
  const cut = quantity.unscaled / unit;
  const unscaled = quantity.unscaled % unit === 0n ? cut : cut + sign;
  return { unscaled, exponent, format: quantity.format };
}

const digitCount = (value: bigint): number => (value < 0n ? -value : value).toString().length;
const toQuantity = (input: QuantityInput): Quantity => (typeof input === 'string' ? parseQuantity(input) : input);
const signOf = (value: bigint): -1 | 0 | 1 => (value > 0n ? 1 : value < 0n ? -1 : 0);

/** By value: `1Gi` equals `1024Mi`. Exponents far apart are told by magnitude, never written out. */
export function compareQuantities(left: QuantityInput, right: QuantityInput): -1 | 0 | 1 {
  const a = toQuantity(left);
  const b = toQuantity(right);
  const sign = signOf(a.unscaled);
  if (sign !== signOf(b.unscaled)) return signOf(BigInt(sign - signOf(b.unscaled)));
  if (sign === 0) return 0;
  const magnitude = digitCount(a.unscaled) + a.exponent - (digitCount(b.unscaled) + b.exponent);
  if (magnitude !== 0) return magnitude > 0 ? sign : sign === 1 ? -1 : 1;
  const exponent = Math.min(a.exponent, b.exponent);
  return signOf(unscaledAt(a, exponent) - unscaledAt(b, exponent));
}

const unscaledAt = (quantity: Quantity, exponent: number): bigint =>
  quantity.unscaled * 10n ** BigInt(quantity.exponent - exponent);

/** The sum in the format of the left side; zero has none and takes the right side's. */
export function addQuantities(left: QuantityInput, right: QuantityInput): Quantity {
  const a = toQuantity(left);
  const b = toQuantity(right);
  const exponent = Math.min(a.exponent, b.exponent);
  return {
    unscaled: unscaledAt(a, exponent) + unscaledAt(b, exponent),
    exponent,
    format: a.unscaled === 0n ? b.format : a.format,
  };
}

export function subtractQuantities(left: QuantityInput, right: QuantityInput): Quantity {
  const { unscaled, exponent, format } = toQuantity(right);
  return addQuantities(left, { unscaled: -unscaled, exponent, format });
}

export const isZeroQuantity = (quantity: QuantityInput): boolean => toQuantity(quantity).unscaled === 0n;

/** No part of a unit is left over, however large it is. */
export function isWholeQuantity(quantity: QuantityInput): boolean {
  const { unscaled, exponent } = toQuantity(quantity);
  return exponent >= 0 || unscaled % 10n ** BigInt(-exponent) === 0n;
}

/**
 * Whether upstream counts thousandths that make no whole unit. It counts in 64 bits: a short text that does not fit is taken as
 * none, a long one wraps around, so that `9Pi` seems to have a fraction.
 */
export function seemsFractional(text: string): boolean {
  if (KEPT_BINARY.test(text)) return false;
  const rounded = roundedUp(parseQuantity(text), MILLI);
  if (digitCount(rounded.unscaled) + rounded.exponent - MILLI > WRAPPED_DIGITS_MAX) return false;
  const milli = unscaledAt(rounded, MILLI);
  const counted = BigInt.asIntN(64, milli);
  return counted % 1000n !== 0n && (counted === milli || !isShort(partsOf(text)));
}

/** Whether two lists of amounts have the same names and values, however these are written. */
export function sameAmounts(
  left: Readonly<Record<string, string>> = {},
  right: Readonly<Record<string, string>> = {},
): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => right[name] !== undefined && compareQuantities(left[name] ?? '', right[name]) === 0)
  );
}

/** Whole units, rounded away from zero and held within 64 bits; above 2 ** 53 the nearest number. */
function unitsOf(quantity: QuantityInput, exponent: number): number {
  const rounded = roundedUp(toQuantity(quantity), exponent);
  if (rounded.unscaled === 0n) return 0;
  if (digitCount(rounded.unscaled) + rounded.exponent - exponent > DIGITS_MAX + 1) {
    return Number(rounded.unscaled < 0n ? -INT64_MAX : INT64_MAX);
  }
  const units = unscaledAt(rounded, exponent);
  return Number(units > INT64_MAX ? INT64_MAX : units < -INT64_MAX ? -INT64_MAX : units);
}

export const bytesOf = (quantity: QuantityInput): number => unitsOf(quantity, 0);

export const milliOf = (quantity: QuantityInput): number => unitsOf(quantity, MILLI);

/** A number of bytes with the largest binary suffix that keeps it whole: 1073741824 is `1Gi`, 1000 is `1k`. */
export const formatBytes = (bytes: number | bigint): string =>
  formatQuantity({ unscaled: BigInt(bytes), exponent: 0, format: 'BinarySI' });
