import { describe, expect, expectTypeOf, test } from 'vitest';
import { Codec } from './codec.ts';
import { WireError } from './wire-error.ts';
import { WireWriter } from './wire-writer.ts';

const TABLE = {
  Tree: {
    name: '1 string',
    size: '2 int64',
    id: '3 biguint64',
    data: '4 bytes',
    left: '5 Tree',
    children: '6 repeated Tree',
    labels: '7 map string string',
    counts: '8 repeated int32',
    limit: '9 optional int64',
    ratio: '10 double',
    ready: '11 bool',
    named: '12 map string Tree',
    small: '13 float',
    delta: '14 bigint64',
    part: '15 uint32',
    total: '16 uint64',
  },
} as const;
const codec = new Codec(TABLE);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const from = (text: string): Uint8Array => Buffer.from(text, 'hex');

describe('codec', () => {
  test('P-GRPC-1 nothing sent -> plain fields are zero, lists and maps empty, messages and optional fields undefined', () => {
    expect(codec.decode('Tree', new Uint8Array())).toEqual({
      name: '',
      size: 0,
      id: 0n,
      data: new Uint8Array(),
      left: undefined,
      children: [],
      labels: {},
      counts: [],
      limit: undefined,
      ratio: 0,
      ready: false,
      named: {},
      small: 0,
      delta: 0n,
      part: 0,
      total: 0,
    });
  });

  test('P-GRPC-1 the table is the type -> the compiler knows what each field holds', () => {
    const tree = codec.decode('Tree', new Uint8Array());
    expectTypeOf(tree.id).toEqualTypeOf<bigint>();
    expectTypeOf(tree.limit).toEqualTypeOf<number | undefined>();
    expectTypeOf(tree.labels).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(tree.left?.children[0]?.name).toEqualTypeOf<string | undefined>();
  });

  test.each([
    ['name', { name: 'é' }, '0a02c3a9'],
    ['negative number, ten bytes', { size: -1 }, '10ffffffffffffffffff01'],
    ['all 64 bits', { id: 2n ** 64n - 1n }, '18ffffffffffffffffff01'],
    ['optional zero is sent', { limit: 0 }, '4800'],
    ['plain zero is not', { size: 0, name: '', ready: false, data: new Uint8Array() }, ''],
    ['empty message is sent', { left: {} }, '2a00'],
    ['map', { labels: { a: 'b' } }, '3a060a0161120162'],
    ['list of messages', { children: [{ name: 'x' }, {}] }, '32030a01783200'],
    ['double', { ratio: 1.5 }, '51000000000000f83f'],
    ['float', { small: 1.5 }, '6d0000c03f'],
  ])('P-GRPC-1 %s -> the bytes every protobuf library writes', (_what, given, bytes) => {
    expect(hex(codec.encode('Tree', given))).toBe(bytes);
    expect(codec.decode('Tree', from(bytes))).toMatchObject(given);
  });

  test('P-GRPC-1 numbers in a row, packed or not -> the same list', () => {
    expect(codec.decode('Tree', from('42030102034004')).counts).toEqual([1, 2, 3, 4]);
  });

  test('P-GRPC-1 fields the table does not know, of every wire type and groups -> passed over', () => {
    const unknown = 'f80101' + 'f9010102030405060708' + 'fa0102abcd' + 'fb01f80105fc01' + 'fd0101020304';
    expect(codec.decode('Tree', from(`${unknown}0a0161`)).name).toBe('a');
  });

  test('P-GRPC-1 message that comes twice -> merged; plain field that comes twice -> the last', () => {
    const { left, name } = codec.decode('Tree', from('0a01610a01622a030a01632a021005'));
    expect([name, left?.name, left?.size]).toEqual(['b', 'c', 5]);
  });

  test('P-GRPC-1 long message -> its length is written before it', () => {
    const name = 'x'.repeat(70_000);
    const tree = codec.decode('Tree', codec.encode('Tree', { left: { left: { name } }, ready: true }));
    expect([tree.left?.left?.name === name, tree.ready]).toEqual([true, true]);
  });

  test('P-GRPC-2 key named __proto__ -> an entry like any other', () => {
    const { labels } = codec.decode(
      'Tree',
      codec.encode('Tree', { labels: JSON.parse('{"__proto__":"x"}') as Record<string, string> }),
    );
    expect(Object.entries(labels)).toEqual([['__proto__', 'x']]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test.each([
    ['length beyond the end', '0aff01'],
    ['length of gigabytes', '0affffffff0f'],
    ['varint without end', '10ffffffffffffffffffff01'],
    ['key cut off', '80'],
    ['field number zero', '0001'],
    ['unknown wire type', '0f'],
    ['wrong wire type', '0801'],
    ['end of a group that never began', '0c'],
    ['group without end', '0b'],
    ['double cut off', '510000'],
  ])('P-GRPC-2 %s -> WireError', (_what, bytes) => {
    expect(() => codec.decode('Tree', from(bytes))).toThrow(WireError);
  });

  test('P-GRPC-2 messages nested a thousand deep -> WireError, not a broken stack', () => {
    let bytes = new Uint8Array();
    for (let depth = 0; depth < 1000; depth++) {
      const writer = new WireWriter();
      writer.bytes(5, bytes);
      bytes = Uint8Array.from(writer.finish());
    }
    expect(() => codec.decode('Tree', bytes)).toThrow(WireError);
  });
});
