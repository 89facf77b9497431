import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeObject } from '../../kube/go-shape.ts';
import type { FieldType, MessageSchema } from '../../kube/schema.ts';
import { sameValue } from './semantic-equal.ts';
import { defaultStrategies } from './strategies.ts';

/** Any object that a schema admits, down to a few levels. */
function objectOf(schema: MessageSchema, depth: number): fc.Arbitrary<object> {
  const fields = Object.entries(schema.fields).filter(([name]) => name !== 'metadata');
  const parts = fields.map(([name, field]) => [name, valueOf(field.of, depth - 1)] as const);
  return fc.record(Object.fromEntries(parts), { requiredKeys: [] });
}

function valueOf(type: FieldType, depth: number): fc.Arbitrary<unknown> {
  if (type.type === 'message') return depth <= 0 ? fc.constant({}) : objectOf(type.message, depth);
  if (type.type === 'list') return fc.array(valueOf(type.of, depth), { maxLength: 2 });
  if (type.type === 'map')
    return fc.dictionary(fc.constantFrom('a', 'storage'), valueOf(type.of, depth), { maxKeys: 2 });
  switch (type.type) {
    case 'bool':
      return fc.boolean();
    case 'int32':
    case 'int64':
      return fc.integer({ min: -1, max: 100 });
    case 'double':
      return fc.constantFrom(0, 1.5);
    case 'quantity':
      return fc.constantFrom('0', '1', '1Gi', '500m');
    case 'time':
      return fc.constant('2021-01-01T00:00:00Z');
    case 'microTime':
      return fc.constant('2021-01-01T00:00:00.000000Z');
    case 'intOrString':
      return fc.constantFrom(0, 1, '25%');
    case 'bytes':
      return fc.constant('AA==');
    case 'duration':
      return fc.constant('1s');
    case 'raw':
    case 'fieldsV1':
      return fc.constant({});
    default:
      return fc.constantFrom('', 'a', 'A b', 'example.com/x', 'Always');
  }
}

const DEPTH = 6;
const metadata = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2021-01-01T00:00:00Z',
};

describe('laws of all strategies', () => {
  it.each(defaultStrategies().map((strategy) => [strategy.resource.kind, strategy] as const))(
    'P-REG-34 %s: any object -> defaults change nothing the second time, and judging it never fails',
    (_kind, strategy) => {
      const { resource } = strategy;
      const schema = resource.schema;
      if (schema === undefined) throw new Error(`${resource.kind} has no schema`);
      const check = (typed: object, other: object): void => {
        const [object, before] = [typed, other].map((each) =>
          strategy.applyDefaults(shapeObject(resource, { ...each, metadata })),
        );
        if (object === undefined || before === undefined) return;
        expect(sameValue(strategy.applyDefaults(object), object)).toBe(true);
        strategy.allocate?.(object, undefined, { now: 0 });
        strategy.allocate?.(object, before, { now: 0 });
        const created = shapeObject(resource, strategy.prepareForCreate?.(object, { now: 0 }) ?? object);
        const updated = shapeObject(resource, strategy.prepareForUpdate?.(object, before, { now: 0 }) ?? object);
        const reported = shapeObject(resource, strategy.prepareForStatusUpdate?.(object, before, { now: 0 }) ?? object);
        strategy.validate(created);
        strategy.validateUpdate?.(updated, before);
        strategy.validateStatusUpdate?.(reported, before);
        strategy.warnings?.(created, undefined);
        strategy.statusWarnings?.(reported);
      };
      fc.assert(fc.property(objectOf(schema, DEPTH), objectOf(schema, DEPTH), check), { numRuns: 25 });
    },
  );

  // A Node may be created with one address twice but not updated so, as upstream has it.
  const steady = defaultStrategies().filter(({ resource }) => resource.kind !== 'Node');
  it.each(steady.map((strategy) => [strategy.resource.kind, strategy] as const))(
    'P-REG-34 %s: an update to the same object -> no fault that the object has not itself',
    (_kind, strategy) => {
      const { resource } = strategy;
      const schema = resource.schema;
      if (schema === undefined) throw new Error(`${resource.kind} has no schema`);
      const check = (typed: object): void => {
        const object = strategy.applyDefaults(shapeObject(resource, { ...typed, metadata }));
        if (strategy.validate(object).length > 0) return;
        const updated = strategy.prepareForUpdate?.(object, object, { now: 0 }) ?? object;
        expect(strategy.validateUpdate?.(updated, object) ?? []).toEqual([]);
      };
      fc.assert(fc.property(objectOf(schema, 3), check), { numRuns: 25 });
    },
  );
});
