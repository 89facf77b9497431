import { describe, expect, it, test } from 'vitest';
import { madeAnswer } from './made-answer.ts';
import type { ResourceRoute } from './resource-route.ts';
import type { MadeObject } from './served-apis.ts';

const made = (namespace: string, name: string, labels: Readonly<Record<string, string>> = {}): MadeObject => ({
  kind: 'Figure',
  apiVersion: 'figures/v1',
  metadata: { name, namespace, labels, creationTimestamp: '' },
});
const OBJECTS = [made('a', 'x', { app: 'db' }), made('a', 'y'), made('b', 'x', { app: 'db' })];

const routeOf = (verb: 'get' | 'list', namespace: string | undefined, name = ''): ResourceRoute => ({
  api: {
    group: 'figures',
    version: 'v1',
    plural: 'figures',
    singular: '',
    kind: 'Figure',
    namespaced: true,
    verbs: ['get', 'list'],
    shortNames: [],
    categories: [],
    subresources: [],
    resource: undefined,
    isCustom: false,
  },
  verb,
  namespace,
  name,
  subresource: undefined,
  below: [],
});

const rows: readonly (readonly [string, string | undefined, string, readonly string[]])[] = [
  ['all namespaces', undefined, '', ['a/x', 'a/y', 'b/x']],
  ['one namespace', 'a', '', ['a/x', 'a/y']],
  ['labels', undefined, 'labelSelector=app%3Ddb', ['a/x', 'b/x']],
  ['labels in a namespace', 'b', 'labelSelector=!app', []],
  ['a name', 'a', 'fieldSelector=metadata.name%3Dy', ['a/y']],
];

describe('kinds that are not stored', () => {
  test.each(rows)('P-HTTP-24 a list by %s -> those', (_by, namespace, query, names) => {
    const answer = madeAnswer(routeOf('list', namespace), OBJECTS, new URLSearchParams(query));
    const items = answer.type === 'list' ? answer.list.items : [];
    expect(items.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)).toEqual(names);
  });

  it('P-HTTP-24 one by its name -> it, or NotFound', () => {
    const query = new URLSearchParams();
    expect(madeAnswer(routeOf('get', 'b', 'x'), OBJECTS, query)).toMatchObject({ object: OBJECTS[2] });
    expect(() => madeAnswer(routeOf('get', 'b', 'y'), OBJECTS, query)).toThrow('figures.figures "y" not found');
  });

  it('P-HTTP-24 a selector that makes no sense -> BadRequest', () => {
    const ask = (query: string) => () => madeAnswer(routeOf('list', 'a'), OBJECTS, new URLSearchParams(query));
    expect(ask('labelSelector=)(')).toThrow();
    expect(ask('fieldSelector=spec.x%3Dy')).toThrow('is not a known field selector');
  });
});
