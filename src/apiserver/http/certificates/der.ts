// Writes the few ASN.1 structures that certificates are made of, in DER: each value is its tag, its length and its content.

type Bytes = Uint8Array;

/** Tags of X.690 that certificates use. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;
/** RFC 5280, 4.1.2.5: years from here on are written with four digits. */
const FIRST_GENERALIZED_YEAR = 2050;

function tagged(tag: number, ...content: readonly Bytes[]): Bytes {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content]);
}

/** Below 128 the length is one byte; above, a count of bytes and then the length itself. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 0x100)) bytes.unshift(rest % 0x100);
  return [0x80 + bytes.length, ...bytes];
}

export const sequence = (...members: readonly Bytes[]): Bytes => tagged(TAG.sequence, ...members);
export const set = (...members: readonly Bytes[]): Bytes => tagged(TAG.set, ...members);
export const boolean = (value: boolean): Bytes => tagged(TAG.boolean, Buffer.from([value ? 0xff : 0]));
export const utf8String = (text: string): Bytes => tagged(TAG.utf8String, Buffer.from(text, 'utf8'));
export const octetString = (content: Bytes): Bytes => tagged(TAG.octetString, content);

/** A number that is not negative: a leading zero keeps its first bit from being a sign. */
export function integer(bytes: Bytes): Bytes {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  const isNegative = (digits[0] ?? 0) >= 0x80;
  return tagged(TAG.integer, isNegative ? Buffer.from([0]) : Buffer.alloc(0), digits);
}

/** `unusedBits` is how many of the last byte's low bits do not count. */
export const bitString = (content: Bytes, unusedBits = 0): Bytes =>
  tagged(TAG.bitString, Buffer.from([unusedBits]), content);

/** `2.5.29.19`: the first two numbers share a byte, the others are written in base 128. */
export function objectIdentifier(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const digits = [value % 0x80];
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80))
    digits.unshift(0x80 + (rest % 0x80));
  return digits;
}

/** In whole seconds, in the form that RFC 5280 asks for the year. */
export function time(atMs: number): Bytes {
  const at = new Date(atMs);
  const text = `${at.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  if (at.getUTCFullYear() >= FIRST_GENERALIZED_YEAR) return tagged(TAG.generalizedTime, Buffer.from(text, 'latin1'));
  return tagged(TAG.utcTime, Buffer.from(text.slice(2), 'latin1'));
}

/** A member that is told from its siblings by number. */
export const context = (
  number: number,
  content: Bytes,
  { constructed }: { readonly constructed: boolean } = { constructed: true },
): Bytes => tagged(CONTEXT + (constructed ? CONSTRUCTED : 0) + number, content);
