import { describe, expect, test } from 'vitest';
import { isApiError } from '../api-error.ts';
import type { JsonPatchOp } from '../cluster.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { applyJsonPatch } from './json-patch.ts';

const DOCUMENT = deepFreeze({ data: { k: '1', m: '2' }, list: ['a', 'b'], 'a/b': { 'c~d': 1 }, none: null });
const op = (value: object): JsonPatchOp => value as JsonPatchOp;

describe('P-KUBE-10 a JSON patch that fits', () => {
  test.each<[string, object, object]>([
    ['add a key', { op: 'add', path: '/data/n', value: 3 }, { data: { k: '1', m: '2', n: 3 } }],
    ['add over a key', { op: 'add', path: '/data/k', value: 3 }, { data: { k: 3, m: '2' } }],
    ['add without a value', { op: 'add', path: '/data/n' }, { data: { k: '1', m: '2', n: null } }],
    ['add to the end of a list', { op: 'add', path: '/list/-', value: 'c' }, { list: ['a', 'b', 'c'] }],
    ['add before a member', { op: 'add', path: '/list/0', value: 'c' }, { list: ['c', 'a', 'b'] }],
    ['add behind the last', { op: 'add', path: '/list/2', value: 'c' }, { list: ['a', 'b', 'c'] }],
    ['add at -1, which is the end', { op: 'add', path: '/list/-1', value: 'c' }, { list: ['a', 'b', 'c'] }],
    [
      'add a key that a prototype has',
      { op: 'add', path: '/data/__proto__', value: 1 },
      { data: JSON.parse('{"k":"1","m":"2","__proto__":1}') },
    ],
    ['replace', { op: 'replace', path: '/data/k', value: '9' }, { data: { k: '9', m: '2' } }],
    [
      'replace a key that is not there',
      { op: 'replace', path: '/data/z', value: '9' },
      { data: { k: '1', m: '2', z: '9' } },
    ],
    ['replace the last member', { op: 'replace', path: '/list/-1', value: 'z' }, { list: ['a', 'z'] }],
    ['remove a key', { op: 'remove', path: '/data/k' }, { data: { m: '2' } }],
    ['remove a member', { op: 'remove', path: '/list/0' }, { list: ['b'] }],
    ['remove by an escaped pointer', { op: 'remove', path: '/a~1b/c~0d' }, { 'a/b': {} }],
    ['move', { op: 'move', from: '/data/m', path: '/data/o' }, { data: { k: '1', o: '2' } }],
    ['move within a list', { op: 'move', from: '/list/1', path: '/list/0' }, { list: ['b', 'a'] }],
    ['copy', { op: 'copy', from: '/data/k', path: '/data/n' }, { data: { k: '1', m: '2', n: '1' } }],
    [
      'copy a key that is not there',
      { op: 'copy', from: '/data/z', path: '/data/n' },
      { data: { k: '1', m: '2', n: null } },
    ],
    ['test a scalar', { op: 'test', path: '/data/k', value: '1' }, {}],
    ['test an object in any order', { op: 'test', path: '/data', value: { m: '2', k: '1' } }, {}],
    ['test a list', { op: 'test', path: '/list', value: ['a', 'b'] }, {}],
    ['test null where nothing is', { op: 'test', path: '/data/z', value: null }, {}],
    ['a pointer whose first part is ignored', { op: 'replace', path: 'data/none', value: 1 }, { none: 1 }],
  ])('%s -> the rest shared', (_situation, operation, change) => {
    const patched = applyJsonPatch(DOCUMENT, [op(operation)]);
    expect(patched).toEqual({ ...DOCUMENT, ...change });
    if (!('a/b' in change)) expect(patched).toHaveProperty('a/b', DOCUMENT['a/b']);
  });

  test('replace with the empty pointer -> the whole document', () => {
    expect(applyJsonPatch(DOCUMENT, [op({ op: 'replace', path: '', value: [] })])).toEqual([]);
  });

  test('several operations -> one after the other', () => {
    const ops = [
      { op: 'test', path: '/data/k', value: '1' },
      { op: 'replace', path: '/data/k', value: '9' },
      { op: 'copy', from: '/data/k', path: '/data/n' },
      { op: 'move', from: '/data/m', path: '/data/o' },
    ].map(op);
    expect(applyJsonPatch(DOCUMENT, ops)).toHaveProperty('data', { k: '9', n: '9', o: '2' });
  });
});

describe('P-KUBE-10 a JSON patch that does not fit', () => {
  test.each<[string, object | null]>([
    ['a test that fails', { op: 'test', path: '/data/k', value: '2' }],
    ['a test of a list against an object', { op: 'test', path: '/list', value: { 0: 'a', 1: 'b' } }],
    ['a test of the whole document', { op: 'test', path: '', value: {} }],
    ['remove what is not there', { op: 'remove', path: '/data/none' }],
    ['replace under what is not there', { op: 'replace', path: '/nowhere/x', value: 1 }],
    ['replace behind the last', { op: 'replace', path: '/list/2', value: 1 }],
    ['add behind the end', { op: 'add', path: '/list/3', value: 1 }],
    ['add far before the start', { op: 'add', path: '/list/-4', value: 1 }],
    ['an index that is no number', { op: 'add', path: '/list/x', value: 1 }],
    ['a way through a scalar', { op: 'add', path: '/data/k/x', value: 1 }],
    ['a way through null', { op: 'add', path: '/none/x', value: 1 }],
    ['add to no place', { op: 'add', path: '', value: 1 }],
    ['replace all with a scalar', { op: 'replace', path: '', value: 1 }],
    ['copy the whole document', { op: 'copy', from: '', path: '/x' }],
    ['move into itself', { op: 'move', from: '/data', path: '/data/x' }],
    ['no path', { op: 'remove' }],
    ['no source', { op: 'move', path: '/x' }],
    ['an operation that is none', { op: 'explode', path: '/data/k' }],
    ['null', null],
  ])('%s -> 422 and the document as it was', (_situation, operation) => {
    const before = JSON.stringify(DOCUMENT);
    expect(() => applyJsonPatch(DOCUMENT, [operation as JsonPatchOp])).toThrow(
      expect.objectContaining({
        code: 422,
        message: 'the server rejected our request due to an error in our request',
        details: {},
      }),
    );
    expect(JSON.stringify(DOCUMENT)).toBe(before);
  });

  test.each<[unknown, string]>([
    [{ op: 'add' }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 'add', path: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('%j -> 400', (patch, message) => {
    expect(() => applyJsonPatch(DOCUMENT, patch as JsonPatchOp[])).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });

  test('more than 10000 operations -> 413', () => {
    const ops = Array.from({ length: 10_001 }, () => op({ op: 'test', path: '/data/k', value: '1' }));
    expect(() => applyJsonPatch(DOCUMENT, ops)).toThrow(
      expect.objectContaining({
        code: 413,
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      }),
    );
  });

  test('copies that grow without bound -> stopped', () => {
    const doubling = Array.from({ length: 40 }, (_, index) =>
      op({ op: 'copy', from: '/data', path: `/data/x${index}` }),
    );
    let error: unknown;
    try {
      applyJsonPatch(DOCUMENT, doubling);
    } catch (caught) {
      error = caught;
    }
    expect(isApiError(error, 'Invalid')).toBe(true);
  });
});
