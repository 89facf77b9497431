import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeObject } from './go-shape.ts';
import type { KubeObject, Resource } from './object.ts';
import { SERVED_KINDS } from './resources/served-kinds.ts';
import type { FieldType, MessageSchema, ScalarType } from './schema.ts';

const SAMPLES: Readonly<Record<ScalarType, readonly unknown[]>> = {
  string: ['', 'a', 'x-y'],
  bytes: ['', 'YQ=='],
  bool: [true, false],
  int32: [0, 1, -5],
  int64: [0, 300],
  double: [0, 1.5],
  quantity: ['1Gi', '0', '1024Mi', '1.5', '+3Gi', 5],
  time: ['2021-01-01T00:00:00Z', '2021-03-04T05:06:07.89+02:00', '0001-01-01T00:00:00Z'],
  microTime: ['2021-01-01T00:00:00.123456Z', '2021-01-01T02:00:00.000001+02:00'],
  duration: ['1m', '90s'],
  intOrString: [0, 5, '25%'],
  raw: [{ a: [1, { b: null }] }, 'x'],
  fieldsV1: [{ 'f:a': {} }],
};

function anyOf(type: FieldType, depth: number): fc.Arbitrary<unknown> {
  if (type.type === 'message') return anyMessage(type.message, depth - 1);
  if (type.type === 'list') return fc.array(anyOf(type.of, depth), { maxLength: 2 });
  if (type.type === 'map') return fc.dictionary(fc.constantFrom('k', 'l'), anyOf(type.of, depth), { maxKeys: 2 });
  return fc.constantFrom(...SAMPLES[type.type], null);
}

/** Any subset of the fields to some depth, in any order, with a field that no kind has. */
function anyMessage(schema: MessageSchema, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.fields).filter(
    ([, field]) => depth > 0 || !['message', 'list', 'map'].includes(field.of.type),
  );
  const pairs = fields.map(([name, field]) =>
    fc.option(fc.constant(field).chain((each) => anyOf(each.of, depth).map((value) => [name, value] as const))),
  );
  const bogus = fc.option(fc.constant(['bogus', 1] as const), { freq: 5 });
  return fc
    .tuple(bogus, ...pairs)
    .map((found) => Object.fromEntries(found.filter((pair) => pair !== null).toReversed()));
}

const anyObject: fc.Arbitrary<readonly [Resource<KubeObject>, Record<string, unknown>]> = fc
  .constantFrom(...SERVED_KINDS.map(({ resource }) => resource))
  .chain((resource) => fc.tuple(fc.constant(resource), anyMessage(resource.schema ?? { name: '', fields: {} }, 3)));

test('P-KUBE-9 shaping what is shaped -> the same object, even through JSON an equal one', () => {
  fc.assert(
    fc.property(anyObject, ([resource, value]) => {
      const once = shapeObject(resource, value);
      expect(shapeObject(resource, { ...once })).toEqual(once);
      expect(shapeObject(resource, once)).toBe(once);
      expect(JSON.stringify(shapeObject(resource, JSON.parse(JSON.stringify(once))))).toBe(JSON.stringify(once));
    }),
    { numRuns: 60 },
  );
});

test('P-KUBE-8 only the field that no kind has -> named as unknown', () => {
  fc.assert(
    fc.property(anyObject, ([resource, value]) => {
      const unknownFields: string[] = [];
      shapeObject(resource, value, { unknownFields });
      expect(unknownFields.every((path) => path.endsWith('bogus'))).toBe(true);
      expect(unknownFields.includes('bogus')).toBe('bogus' in value);
    }),
    { numRuns: 60 },
  );
});
