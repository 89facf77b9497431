import { describe, expect, test } from 'vitest';
import { openApiProtobuf } from './openapi-protobuf.ts';

/** A message as its fields in order; what is no message shows as text. */
function fieldsOf(bytes: Buffer): readonly (readonly [number, Buffer])[] {
  const fields: (readonly [number, Buffer])[] = [];
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const size = key % 8 === 2 ? varint() : 1;
    fields.push([Math.floor(key / 8), bytes.subarray(at, at + size)]);
    at += size;
  }
  return fields;
}

function below(bytes: Buffer, ...numbers: readonly number[]): readonly Buffer[] {
  return numbers.reduce<readonly Buffer[]>(
    (found, number) => found.flatMap((each) => fieldsOf(each).flatMap(([at, value]) => (at === number ? [value] : []))),
    [bytes],
  );
}

const texts = (found: readonly Buffer[]): readonly string[] => found.map((each) => each.toString('utf8'));

describe('the older OpenAPI document as protobuf', () => {
  const long = 'a long text '.repeat(50);
  const kind = { group: '', kind: 'Pod', version: 'v1' };
  const schema = {
    description: long,
    type: 'object',
    required: ['a', 'b'],
    properties: {
      a: { $ref: '#/definitions/other' },
      b: { type: 'array', items: { type: 'string', format: 'byte' } },
      c: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    'x-kubernetes-group-version-kind': [kind],
  };
  const bytes = openApiProtobuf(
    JSON.stringify({ swagger: '2.0', info: { title: 'K', version: 'v1' }, definitions: { 'io.Pod': schema } }),
  );
  const POD = [9, 1, 2] as const;

  test.each([
    ['its version', [1], ['2.0']],
    ['its title', [2, 1], ['K']],
    ['the name of a definition', [9, 1, 1], ['io.Pod']],
    ['a text of more than 127 bytes', [...POD, 4], [long]],
    ['what is required', [...POD, 19], ['a', 'b']],
    ['the type', [...POD, 22, 1], ['object']],
    ['the names of properties', [...POD, 25, 1, 1], ['a', 'b', 'c']],
    ['a reference', [...POD, 25, 1, 2, 1], ['#/definitions/other']],
    ['the type of items', [...POD, 25, 1, 2, 23, 1, 22, 1], ['string']],
    ['the type of values', [...POD, 25, 1, 2, 21, 1, 22, 1], ['integer']],
    ['the name of an extension', [...POD, 31, 1], ['x-kubernetes-group-version-kind']],
    ['the value of an extension', [...POD, 31, 2, 2], [JSON.stringify([kind])]],
  ])('P-HTTP-23 %s -> where clients look for it', (_what, numbers, said) => {
    expect(texts(below(bytes, ...numbers))).toEqual(said);
  });
});
