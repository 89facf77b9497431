import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { olderSchema } from './older-schema.ts';

describe('P-OA-6 a schema of a client in the older form', () => {
  test.each<readonly [string, JsonSchema, JsonSchema]>([
    [
      'alternatives -> left out',
      { type: 'string', allOf: [{}], anyOf: [{}], oneOf: [{}], not: {}, maxLength: 3 },
      { type: 'string', maxLength: 3 },
    ],
    [
      'what may be null -> of no type, with no parts, and not asked for',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string', nullable: true }, b: { type: 'object' } },
      },
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'object' } } },
    ],
    [
      'unknown fields kept -> of no type, with no parts',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
    ['list of nothing known -> of no type', { type: 'array' }, {}],
    [
      'list and map -> their members too',
      { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
      { type: 'array', items: { type: 'object', additionalProperties: {} } },
    ],
    [
      'map of what may be null -> nothing is asked for',
      { type: 'object', required: ['a'], additionalProperties: { nullable: true, type: 'string' } },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'any members -> still any',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: true },
    ],
  ])('%s', (_what, schema, older) => {
    expect(olderSchema(schema)).toEqual(older);
  });
});
