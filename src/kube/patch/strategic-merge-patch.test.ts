import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../deep-freeze.ts';
import type { JsonObject } from '../json.ts';
import { Pods } from '../resources/pod.ts';
import type { MessageSchema } from '../schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const SCHEMA: MessageSchema = Pods.schema ?? { name: '', fields: {} };
const patched = (object: object, patch: unknown): JsonObject =>
  applyStrategicMergePatch(deepFreeze(object) as JsonObject, deepFreeze(patch), SCHEMA);
const spec = (before: object, patch: object): unknown => patched({ spec: before }, { spec: patch })['spec'];
const names = (items: unknown): unknown => (items as readonly { name: unknown }[]).map(({ name }) => name);
const containers = (...given: readonly string[]) => ({
  containers: given.map((name) => ({ name, image: `${name}:1` })),
});

describe('P-KUBE-11 a strategic merge patch', () => {
  test.each<[string, object, object, object]>([
    [
      'null deletes a key',
      { securityContext: { runAsUser: 1, fsGroup: 2 } },
      { securityContext: { runAsUser: null, runAsGroup: null } },
      { securityContext: { fsGroup: 2 } },
    ],
    ['null deletes an object', { nodeSelector: { a: 'b' } }, { nodeSelector: null }, {}],
    [
      'maps merge',
      { nodeSelector: { a: '1', b: '2' } },
      { nodeSelector: { a: null, c: '3' } },
      { nodeSelector: { b: '2', c: '3' } },
    ],
    [
      'a list without key is replaced',
      { tolerations: [{ key: 'k1' }] },
      { tolerations: [{ key: 'k2' }] },
      { tolerations: [{ key: 'k2' }] },
    ],
    [
      'a list by its key merges members',
      {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', persistentVolumeClaim: { claimName: 'x' } },
        ],
      },
      { volumes: [{ name: 'w', persistentVolumeClaim: { claimName: 'y' } }] },
      {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'w', persistentVolumeClaim: { claimName: 'y' } },
        ],
      },
    ],
    [
      'a member is deleted by its key',
      { volumes: [{ name: 'v' }, { name: 'w' }] },
      { volumes: [{ $patch: 'delete', name: 'v' }] },
      { volumes: [{ name: 'w' }] },
    ],
    [
      'a list is replaced on demand',
      { volumes: [{ name: 'v' }] },
      { volumes: [{ name: 'x' }, { $patch: 'replace' }] },
      { volumes: [{ name: 'x' }] },
    ],
    [
      'an object is emptied on demand',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'delete' } },
      { securityContext: {} },
    ],
    [
      'an object is replaced on demand',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'replace', fsGroup: 2 } },
      { securityContext: { fsGroup: 2 } },
    ],
    [
      'keys that are not retained go',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' } }] },
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    ],
    [
      'a new value loses nulls and directives',
      {},
      {
        securityContext: { a: null, b: { $patch: 'delete' } },
        volumes: [
          { name: 'v', x: null },
          { $patch: 'delete', name: 'w' },
        ],
      },
      { securityContext: {}, volumes: [{ name: 'v' }] },
    ],
    ['a new value that is a directive is none', {}, { securityContext: { $patch: 'delete' } }, {}],
    ['another type replaces', { nodeSelector: { a: 'b' } }, { nodeSelector: ['x'] }, { nodeSelector: ['x'] }],
    ['another type that is a directive deletes', { nodeName: 'n' }, { nodeName: { $patch: 'delete' } }, {}],
    [
      'deleting from a list that is not there is nothing',
      { nodeName: 'n' },
      { '$deleteFromPrimitiveList/x': ['a'] },
      { nodeName: 'n' },
    ],
  ])('%s', (_situation, before, patch, after) => {
    expect(spec(before, patch)).toEqual(after);
  });

  test('nested lists -> merged by their own keys', () => {
    const before = {
      containers: [
        { name: 'c', image: 'a:1', env: [{ name: 'E', value: '1' }] },
        { name: 'd', image: 'b:1' },
      ],
    };
    const patch = {
      containers: [
        {
          name: 'c',
          env: [
            { name: 'E', value: '2' },
            { name: 'F', value: '3' },
          ],
        },
      ],
    };
    expect(spec(before, patch)).toEqual({
      containers: [
        {
          name: 'c',
          image: 'a:1',
          env: [
            { name: 'E', value: '2' },
            { name: 'F', value: '3' },
          ],
        },
        { name: 'd', image: 'b:1' },
      ],
    });
  });

  test.each<[string, readonly string[], object, readonly string[]]>([
    ['a new member before those it is not told from', ['c', 'd'], { containers: [{ name: 'e' }] }, ['e', 'c', 'd']],
    [
      'a new member behind one the patch names',
      ['c', 'd'],
      { containers: [{ name: 'd' }, { name: 'e' }] },
      ['c', 'd', 'e'],
    ],
    ['members in the order of the patch', ['c', 'd'], { containers: [{ name: 'd' }, { name: 'c' }] }, ['d', 'c']],
    [
      'an order given',
      ['c', 'd'],
      { '$setElementOrder/containers': [{ name: 'd' }, { name: 'e' }, { name: 'c' }], containers: [{ name: 'e' }] },
      ['d', 'e', 'c'],
    ],
    [
      'an order given without members',
      ['c', 'd', 'f'],
      { '$setElementOrder/containers': [{ name: 'd' }, { name: 'c' }] },
      ['d', 'c', 'f'],
    ],
    [
      'an order for a list that is new',
      [],
      { '$setElementOrder/containers': [{ name: 'd' }, { name: 'c' }], containers: [{ name: 'd' }, { name: 'c' }] },
      ['d', 'c'],
    ],
    [
      'a deletion and a new member under an order',
      ['c', 'side'],
      { '$setElementOrder/containers': [{ name: 'd' }], containers: [{ name: 'd' }, { $patch: 'delete', name: 'c' }] },
      ['side', 'd'],
    ],
  ])('%s -> %j', (_situation, before, patch, after) => {
    const result = spec(containers(...before), patch) as { containers: unknown };
    expect(names(result.containers)).toEqual(after);
  });

  test.each<[string, readonly string[], object, readonly string[]]>([
    ['sets unite, the patch first', ['x/a', 'x/p'], { finalizers: ['x/b', 'x/a'] }, ['x/b', 'x/a', 'x/p']],
    ['one is taken out', ['x/b', 'x/a', 'x/p'], { '$deleteFromPrimitiveList/finalizers': ['x/a'] }, ['x/b', 'x/p']],
    [
      'an order given',
      ['x/a', 'x/b'],
      { '$setElementOrder/finalizers': ['x/b', 'x/c', 'x/a'], finalizers: ['x/c'] },
      ['x/b', 'x/c', 'x/a'],
    ],
  ])('finalizers: %s -> %j', (_situation, before, patch, after) => {
    expect(patched({ metadata: { finalizers: before } }, { metadata: patch })).toEqual({
      metadata: { finalizers: after },
    });
  });

  test('owner references -> by uid', () => {
    const before = { metadata: { ownerReferences: [{ name: 'p', uid: 'u1' }] } };
    expect(
      patched(before, {
        metadata: {
          ownerReferences: [
            { name: 'q', uid: 'u2' },
            { uid: 'u1', name: 'renamed' },
          ],
        },
      }),
    ).toEqual({
      metadata: {
        ownerReferences: [
          { name: 'q', uid: 'u2' },
          { name: 'renamed', uid: 'u1' },
        ],
      },
    });
  });

  test('an unknown field -> carried along, for the decoder to name', () => {
    expect(patched({}, { bogus: { a: 1 } })).toEqual({ bogus: { a: 1 } });
  });

  test('what the patch does not touch -> shared; nothing changed -> the object itself', () => {
    const object = deepFreeze({ metadata: { name: 'a', labels: { x: 'y' } }, spec: { nodeName: 'n' } });
    expect(patched(object, { spec: { nodeName: 'm' } })['metadata']).toBe(object.metadata);
    expect(patched(object, {})).toBe(object);
    expect(patched(object, { metadata: { labels: { x: 'y', z: null } } })).toBe(object);
  });
});

describe('P-KUBE-11 a strategic merge patch that is malformed', () => {
  const two = containers('c', 'd');
  test.each<[string, object, object, number, string]>([
    [
      'a member without its key',
      two,
      { containers: [{ image: 'nameless' }] },
      500,
      'map: map[image:nameless] does not contain declared merge key: name',
    ],
    [
      'a deletion without its key',
      two,
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'an unknown directive of a member',
      two,
      { containers: [{ $patch: 'wipe', name: 'c' }] },
      500,
      'unknown patch type: wipe in map: map[$patch:wipe name:c]',
    ],
    [
      'an unknown directive of an object',
      { securityContext: {} },
      { securityContext: { $patch: 'merge' } },
      500,
      'unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'merge as directive of a member',
      two,
      { containers: [{ $patch: 'merge', name: 'c' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'scalars among objects',
      two,
      { containers: ['x'] },
      500,
      'list element types are not identical: [[map[image:c:1 name:c] map[image:d:1 name:d]] [x]]',
    ],
    [
      'null among objects',
      { containers: [] },
      { containers: [null] },
      500,
      'list element types are not identical: [[] [<nil>]]',
    ],
    [
      'lists among objects',
      { containers: [] },
      { containers: [[]] },
      422,
      'the server rejected our request due to an error in our request',
    ],
    [
      'kept keys that are no list',
      { volumes: [{ name: 'v' }] },
      { volumes: [{ $retainKeys: 'x', name: 'v' }] },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'kept keys that forget one',
      { volumes: [{ name: 'v' }] },
      { volumes: [{ $retainKeys: ['name'], name: 'v', emptyDir: {} }] },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'a deletion that names no list',
      {},
      { $deleteFromPrimitiveListX: [] },
      400,
      'invalid patch format of primitive list',
    ],
    ['an order that names no list', {}, { $setElementOrderX: [] }, 400, 'invalid patch format of setElementOrder list'],
    [
      'an order that is no list',
      {},
      { '$setElementOrder/containers': {} },
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'an order for what is no list',
      { containers: [] },
      { '$setElementOrder/nodeName': [] },
      500,
      'expected slice or array type, but got: struct',
    ],
    [
      'an ordered list that is none',
      {},
      { '$setElementOrder/containers': [], containers: 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'an order for a list of nothing',
      { containers: [] },
      { '$setElementOrder/containers': [{ name: 'c' }] },
      500,
      'no elements in any of the given slices',
    ],
    [
      'an order against the patch',
      two,
      { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'e' }] },
      500,
      "The order in patch list:\n[map[name:e]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
    ],
    [
      'an order without keys',
      two,
      { '$setElementOrder/containers': [{ x: 'c' }] },
      500,
      'map: map[x:c] does not contain declared merge key: name',
    ],
    [
      'an order of scalars',
      two,
      { '$setElementOrder/containers': ['c'] },
      500,
      'expected a map[string]interface {}, but received a string',
    ],
    [
      'a deletion from a list of objects without key',
      { tolerations: [{ key: 'a' }] },
      { '$deleteFromPrimitiveList/tolerations': [{ key: 'a' }] },
      500,
      'cannot merge lists without merge key for struct',
    ],
    [
      'objects where the schema has none',
      { nodeSelector: { a: {} } },
      { nodeSelector: { a: {} } },
      500,
      'merging an object in json but data type is not struct, instead is: map',
    ],
    [
      'objects where the schema knows none',
      { bogus: {} },
      { bogus: {} },
      500,
      'unable to find api field in struct PodSpec for the json field "bogus"',
    ],
  ])('%s -> its failure', (_situation, before, patch, code, message) => {
    expect(() => spec(before, patch)).toThrow(expect.objectContaining({ code, message }));
  });

  test('no object -> 400', () => {
    expect(() => patched({}, [])).toThrow(expect.objectContaining({ code: 400 }));
  });
});
