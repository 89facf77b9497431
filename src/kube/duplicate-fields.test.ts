import { describe, expect, test } from 'vitest';
import { duplicateFields, fieldPlaces } from './duplicate-fields.ts';

describe('P-KUBE-8 keys that stand twice', () => {
  test.each<[string, readonly string[]]>([
    [
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"},"data":{"k":"1"},"data":{"k":"2"}}',
      ['metadata.name', 'data'],
    ],
    ['{"a":[{"b":1,"b":2,"b":3},{"b":1}]}', ['a[0].b']],
    ['{"a":{"b":1},"c":{"b":1}}', []],
    [' { "a" : 1 , "b" : [ ] , "\\u0061" : {} } ', ['a']],
    ['{"a\\"b":"}","x":"\\\\","a\\"b":",{"}', ['a"b']],
    ['[1, -2.5e3, true, null, "x"]', []],
    ['{"a":1}\n', []],
    ['{}', []],
  ])('%s -> %j', (text, paths) => {
    expect(duplicateFields(text, JSON.parse(text))).toEqual(paths);
  });
});

describe('P-KUBE-8 where fields stand', () => {
  test.each<[string, readonly (readonly [string, number])[]]>([
    [
      '{"a":1,"b":{"c":1},"a":2}',
      [
        ['b', 2],
        ['b.c', 3],
        ['a', 4],
      ],
    ],
    [
      '{"a":1,"a":2,"b":3,"a":4}',
      [
        ['a', 2],
        ['b', 3],
      ],
    ],
  ])('%s -> in this order', (text, places) => {
    expect([...fieldPlaces(text)].toSorted(([, left], [, right]) => left - right)).toEqual(places);
  });
});
