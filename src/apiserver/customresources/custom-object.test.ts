import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { shapedObject, withDefaults } from './custom-object.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';
import { schemaFaults } from './schema-faults.ts';
import { compareVersions } from './version-order.ts';

const SPEC: JsonSchema = {
  type: 'object',
  properties: {
    known: { type: 'string' },
    filled: { type: 'integer', default: 7 },
    maybe: { type: 'string', nullable: true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { in: { type: 'object' } } },
    map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
    list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
    inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const SCHEMA: JsonSchema = { type: 'object', properties: { spec: SPEC } };

const ROWS: readonly (readonly [title: string, spec: object, kept: object, unknown: readonly string[]])[] = [
  ['a field of no name in the schema -> goes', { known: 'a', other: 1 }, { known: 'a' }, ['spec.other']],
  ['fields below an open object -> stay', { open: { x: [{ y: 1 }] } }, { open: { x: [{ y: 1 }] } }, []],
  [
    'fields below a closed part of an open object -> go',
    { open: { in: { x: 1 } } },
    { open: { in: {} } },
    ['spec.open.in.x'],
  ],
  [
    'values of a map -> by their schema',
    { map: { k: { a: 'b', c: 1 } } },
    { map: { k: { a: 'b' } } },
    ['spec.map.k.c'],
  ],
  ['members of a list -> by their schema', { list: [{ a: 'b', c: 1 }] }, { list: [{ a: 'b' }] }, ['spec.list[0].c']],
  ['null where none is allowed -> goes', { known: null }, {}, []],
  ['null where it is allowed -> stays', { maybe: null }, { maybe: null }, []],
  [
    'metadata of an embedded object -> in shape',
    { inner: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', nope: 1 }, spec: { x: 1 } } },
    { inner: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { x: 1 } } },
    ['spec.inner.metadata.nope'],
  ],
];

describe('shapedObject', () => {
  it.each(ROWS)('P-CR-11 %s', (_title, spec, kept, unknown) => {
    const unknownFields: string[] = [];
    const object = shapedObject({ metadata: { name: 'a' }, spec }, SCHEMA, { unknownFields });
    expect([object['spec'], unknownFields]).toEqual([kept, unknown]);
    expect(Object.isFrozen(object['spec'])).toBe(true);
    expect(shapedObject(object, SCHEMA, {})).toEqual(object);
  });

  it('P-CR-11 a field called __proto__ -> a field like any other', () => {
    const value = JSON.parse('{"metadata":{"name":"a"},"spec":{"open":{"__proto__":{"x":1}}}}') as object;
    expect(JSON.stringify(shapedObject(value, SCHEMA, {}))).toContain('"__proto__":{"x":1}');
  });
});

describe('withDefaults', () => {
  it('P-CR-11 defaults -> filled in where nothing is, in members of lists too', () => {
    expect(withDefaults({ spec: { list: [{}, { a: 'b' }] } }, SCHEMA)).toEqual({
      spec: { filled: 7, list: [{ a: 'x' }, { a: 'b' }] },
    });
    const full = { spec: { filled: 1 } };
    expect(withDefaults(full, SCHEMA)).toBe(full);
  });
});

describe('schemaFaults', () => {
  it('P-CR-7 an unchanged part of a changed object -> not blamed; a keyed member is found by its keys', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        tags: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', minimum: 5 } } },
        },
      },
    };
    const old = {
      value: {
        tags: [
          { k: 'a', v: 1 },
          { k: 'b', v: 1 },
        ],
      },
    };
    const faults = schemaFaults(
      schema,
      {
        tags: [
          { k: 'b', v: 1 },
          { k: 'a', v: 2 },
        ],
      },
      { old },
    );
    expect(faults.map(({ field }) => field)).toEqual(['tags[1].v']);
  });
});

describe('parseJsonPath', () => {
  const object = {
    spec: { ports: [{ n: 1 }, { n: 2 }], 'a.b': 'dotted' },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'False' },
      ],
    },
  };
  it.each([
    ['.spec.ports[1].n', [2]],
    ['.spec.ports[*].n', [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["$.spec['a.b']".slice(1), ['dotted']],
    ['.spec.a\\.b', ['dotted']],
    ['.spec.nothing', []],
    ['.spec.ports[-1].n', [2]],
  ] as const)('%s -> what it points at', (path, values) => {
    expect(valuesAt(parseJsonPath(path) ?? [], object)).toEqual(values);
  });
});

describe('compareVersions', () => {
  it('versions -> stable ones first, newest first, strangers last', () => {
    const versions = ['foo', 'v1alpha1', 'v2beta1', 'v1', 'v10', 'v1beta2', 'bar'];
    expect(versions.toSorted(compareVersions)).toEqual(['v10', 'v1', 'v2beta1', 'v1beta2', 'v1alpha1', 'bar', 'foo']);
  });
});
