import { describe, expect, it } from 'vitest';
import { type StatusError, isApiError } from '../../kube/api-error.ts';
import type { ListOptions } from '../../kube/cluster.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { decodeContinue, encodeContinue } from './generic-continue.ts';
import { listObjects } from './generic-list.ts';
import { genericStrategy } from './generic-strategy.ts';

const strategy = genericStrategy(ConfigMaps);

function filled(names: readonly string[], historyCapacity = 100): ObjectStore {
  const store = new ObjectStore({ historyCapacity });
  for (const name of names) {
    const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' };
    store.put(ConfigMaps, `ns/${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  }
  return store;
}
const namesOf = (store: ObjectStore, options: ListOptions): readonly string[] =>
  listObjects(store, strategy, options).items.map(({ metadata }) => metadata.name);

function refusal(act: () => unknown): StatusError {
  try {
    act();
  } catch (error) {
    if (isApiError(error)) return error as StatusError;
    throw error;
  }
  return expect.fail('should be refused');
}

describe('listObjects', () => {
  it('P-API-9 list -> the stored objects themselves', () => {
    const store = filled(['a', 'b']);
    expect(listObjects(store, strategy, {}).items[1]).toBe(store.get(ConfigMaps, 'ns/b'));
  });

  it('page ends at the last object -> no token', () => {
    const list = listObjects(filled(['a', 'b']), strategy, { limit: 2 });
    expect([list.continue, list.remainingItemCount]).toEqual([undefined, undefined]);
  });

  it('P-API-7 token older than the history -> Expired with a fresh token that goes on in the newest state', () => {
    const store = filled(['a', 'b', 'c', 'd'], 2);
    const first = listObjects(store, strategy, { namespace: 'ns', limit: 2 });
    for (const name of ['e', 'f', 'g', 'h', 'i']) {
      const metadata = { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' };
      store.put(ConfigMaps, `ns/${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    }
    const error = refusal(() =>
      listObjects(store, strategy, { namespace: 'ns', limit: 9, continue: first.continue ?? '' }),
    );
    expect([error.code, error.reason]).toEqual([410, 'Expired']);
    expect(error.message).toMatch(/^The provided continue parameter is too old to display a consistent list result\./);
    expect(namesOf(store, { namespace: 'ns', limit: 9, continue: error.continue ?? '' })).toEqual([
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      'i',
    ]);
  });

  it('P-API-7 exact revision older than the history -> Expired', () => {
    const store = filled(['a', 'b', 'c', 'd', 'e', 'f'], 2);
    const error = refusal(() => listObjects(store, strategy, { resourceVersion: '1', resourceVersionMatch: 'Exact' }));
    expect(error.message).toBe('The resourceVersion for the provided list is too old.');
  });

  it('revision and limit without a match -> exactly that revision, as clients before the match meant it', () => {
    expect(namesOf(filled(['a', 'b', 'c']), { resourceVersion: '2', limit: 5 })).toEqual(['a', 'b']);
  });

  it.each([
    [{ resourceVersionMatch: 'Exact' }, 'resourceVersionMatch is forbidden unless resourceVersion is provided'],
    [{ resourceVersionMatch: 'Exact', resourceVersion: '0' }, 'is forbidden for resourceVersion "0"'],
    [
      { resourceVersionMatch: 'Foo', resourceVersion: '1' },
      'Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1', continue: 'x' },
      'is forbidden when continue is provided',
    ],
    [{ sendInitialEvents: true }, 'sendInitialEvents is forbidden for list'],
  ])('options %j -> Invalid: %s', (options, sentence) => {
    const error = refusal(() => listObjects(filled(['a']), strategy, options as ListOptions));
    expect([error.code, error.details?.kind, error.details?.group]).toEqual([422, 'ListOptions', 'meta.k8s.io']);
    expect(error.message).toContain(sentence);
  });

  it('revision that is no number -> BadRequest', () => {
    expect(refusal(() => listObjects(filled(['a']), strategy, { resourceVersion: 'x' })).reason).toBe('BadRequest');
  });
});

describe('continue tokens', () => {
  it('token -> what was put into it', () => {
    expect(encodeContinue({ revision: 12, start: 'ns/a\0' })).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeContinue(encodeContinue({ revision: 12, start: 'ns/a\0' }))).toEqual({
      revision: 12,
      start: 'ns/a\0',
    });
  });

  it.each([
    'garbage',
    '',
    'bnVsbA',
    encodeContinue({ revision: 0, start: 'a' }),
    encodeContinue({ revision: 1, start: '../x' }),
  ])('token %j -> BadRequest', (token) => {
    expect(refusal(() => decodeContinue(token)).message).toMatch(/^invalid continue token: continue key is not valid/);
  });
});
