import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../deep-freeze.ts';
import { applyMergePatch, mergePatchBetween } from './merge-patch.ts';

const POD = deepFreeze({
  metadata: { labels: { a: '1', b: '2' }, finalizers: ['x/a'] },
  spec: { volumes: [{ name: 'v' }] },
});

describe('P-KUBE-10 a merge patch', () => {
  test.each<[string, object, object]>([
    [
      'null deletes, objects merge',
      { metadata: { labels: { a: null, c: '3' } } },
      { ...POD, metadata: { ...POD.metadata, labels: { b: '2', c: '3' } } },
    ],
    [
      'lists are replaced',
      { metadata: { finalizers: ['x/b'] } },
      { ...POD, metadata: { ...POD.metadata, finalizers: ['x/b'] } },
    ],
    [
      'a new object loses its nulls',
      { status: { a: null, b: { c: null, d: [{ e: null, f: 1 }, null] } } },
      { ...POD, status: { b: { d: [{ f: 1 }, null] } } },
    ],
    ['an object in place of a list', { spec: { volumes: { a: null } } }, { ...POD, spec: { volumes: {} } }],
    ['a scalar in place of an object', { spec: 1 }, { ...POD, spec: 1 }],
    ['a list in place of an object', { spec: [{ a: null }] }, { ...POD, spec: [{ a: null }] }],
    ['null for what is not there', { status: null }, POD],
  ])('%s', (_situation, patch, result) => {
    expect(applyMergePatch(POD, deepFreeze(patch))).toEqual(result);
  });

  test('a key that a prototype has -> an ordinary key', () => {
    const patch = JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2}}') as object;
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe('{"__proto__":{"x":1},"constructor":{"y":2}}');
  });

  test('what the patch does not touch -> shared; nothing changed -> the object itself', () => {
    expect(applyMergePatch(POD, { metadata: { labels: { a: '9' } } })['spec']).toBe(POD.spec);
    expect(applyMergePatch(POD, { metadata: { labels: { a: '1', z: null } } })).toBe(POD);
  });

  test.each([
    [[1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
  ])('%j -> 400', (patch, message) => {
    expect(() => applyMergePatch(POD, patch)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  test('between two objects -> only what differs', () => {
    const after = { metadata: { labels: { a: '1' }, finalizers: ['x/a'] }, spec: { volumes: [], x: 1 } };
    expect(mergePatchBetween(POD, after)).toEqual({ metadata: { labels: { b: null } }, spec: { volumes: [], x: 1 } });
    expect(mergePatchBetween(POD, POD)).toEqual({});
  });
});
