import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Codec } from './codec.ts';
import { WireError } from './wire-error.ts';

const codec = new Codec({
  Node: {
    text: '1 string',
    count: '2 int64',
    id: '3 bigint64',
    data: '4 bytes',
    next: '5 Node',
    all: '6 repeated Node',
    words: '7 map string string',
    flags: '8 repeated bool',
    maybe: '9 optional double',
    far: '536870911 uint32',
  },
} as const);

const flat = {
  text: fc.string({ unit: 'grapheme' }),
  count: fc.maxSafeInteger(),
  id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  data: fc.uint8Array({ maxLength: 300 }),
  words: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true, maxKeys: 3 }),
  flags: fc.array(fc.boolean(), { maxLength: 5 }),
  maybe: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
  far: fc.nat(),
};
const leaf = fc.record({ ...flat, next: fc.constant(undefined), all: fc.constant([]) });
const branch = fc.record({
  ...flat,
  next: fc.option(leaf, { nil: undefined }),
  all: fc.array(leaf, { maxLength: 2 }),
});
const node = fc.record({
  ...flat,
  next: fc.option(branch, { nil: undefined }),
  all: fc.array(branch, { maxLength: 2 }),
});

describe('codec', () => {
  test('P-GRPC-3 whatever is encoded -> decoded as it was', () => {
    fc.assert(
      fc.property(node, (given) => {
        const decoded = codec.decode('Node', codec.encode('Node', given));
        expect(plain(decoded)).toEqual(plain(given));
      }),
    );
  });

  test('P-GRPC-2 any bytes -> a message or a WireError, nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => decodedOrRefused(bytes)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });

  test('P-GRPC-2 good bytes with one byte spoiled or cut -> a message or a WireError', () => {
    fc.assert(
      fc.property(node, fc.nat(), fc.nat(255), (given, at, byte) => {
        const bytes = Uint8Array.from(codec.encode('Node', given));
        decodedOrRefused(bytes.subarray(0, at % (bytes.length + 1)));
        bytes[at % (bytes.length || 1)] = byte;
        decodedOrRefused(bytes);
      }),
    );
  });
});

/** Without what does not matter: whether bytes are a Buffer, unset fields, the sign of zero. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, held]) => (held === undefined ? [] : [[key, plain(held)]])),
    );
  return value === 0 ? 0 : value;
}

function decodedOrRefused(bytes: Uint8Array): void {
  try {
    codec.decode('Node', bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
}
