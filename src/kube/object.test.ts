import { describe, expect, test } from 'vitest';
import { annotationOf, withAnnotation, withoutAnnotation } from './annotations.ts';
import { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
import { type KubeObject, apiVersionOf, keyFrom, keyOf, qualifiedKind, qualifiedResource, splitKey } from './object.ts';
import { referenceTo } from './object-reference.ts';
import { controllerOf, isControlledBy, ownerReferenceTo } from './owner-reference.ts';

const object = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'db-0', uid: 'u1', resourceVersion: '7', creationTimestamp: '2021-01-01T00:00:00Z', ...metadata },
});

describe('keys', () => {
  test.each([
    ['ns', 'a', 'ns/a'],
    [undefined, 'a', 'a'],
    ['', 'a', 'a'],
  ])('namespace %s, name %s -> %s', (namespace, name, key) => {
    expect(keyFrom(namespace, name)).toBe(key);
    expect(splitKey(key)).toEqual({ namespace: namespace === '' ? undefined : namespace, name });
  });

  test('keyOf -> namespace and name of the object', () => {
    expect(keyOf(object({ namespace: 'ns' }))).toBe('ns/db-0');
    expect(keyOf(object())).toBe('db-0');
  });

  test.each([
    [{ group: '', plural: 'pods' }, 'pods'],
    [{ group: 'storage.k8s.io', plural: 'csinodes' }, 'csinodes.storage.k8s.io'],
    [{ group: 'apps', plural: 'deployments', subresource: 'scale' }, 'deployments/scale.apps'],
  ])('qualifiedResource %j -> %s', (resource, name) => {
    expect(qualifiedResource(resource)).toBe(name);
  });

  test('kind and version -> qualified by the group', () => {
    expect(qualifiedKind({ group: 'apps', kind: 'StatefulSet' })).toBe('StatefulSet.apps');
    expect(qualifiedKind({ group: '', kind: 'Pod' })).toBe('Pod');
    expect(apiVersionOf({ group: 'apps', version: 'v1' })).toBe('apps/v1');
    expect(apiVersionOf({ group: '', version: 'v1' })).toBe('v1');
  });
});

describe('P-KUBE-3 metadata edits', () => {
  test('a finalizer that is there -> the same object', () => {
    const held = object({ finalizers: ['a/b'] });
    expect(withFinalizer(held, 'a/b')).toBe(held);
    expect(withoutFinalizer(held, 'x/y')).toBe(held);
  });

  test('a new finalizer -> last, and the original untouched', () => {
    const before = object({ finalizers: ['a/b'] });
    expect(withFinalizer(before, 'c/d').metadata.finalizers).toEqual(['a/b', 'c/d']);
    expect(before.metadata.finalizers).toEqual(['a/b']);
    expect(withFinalizer(object(), 'c/d').metadata.finalizers).toEqual(['c/d']);
  });

  test('the last finalizer removed -> no list', () => {
    const after = withoutFinalizer(object({ finalizers: ['a/b'] }), 'a/b');
    expect('finalizers' in after.metadata).toBe(false);
    expect(hasFinalizer(after, 'a/b')).toBe(false);
    expect(withoutFinalizer(object({ finalizers: ['a/b', 'c/d'] }), 'a/b').metadata.finalizers).toEqual(['c/d']);
  });

  test('an annotation set, changed and removed', () => {
    const one = withAnnotation(object(), 'k', 'v');
    expect(one.metadata.annotations).toEqual({ k: 'v' });
    expect(withAnnotation(one, 'k', 'v')).toBe(one);
    expect(annotationOf(withAnnotation(one, 'k', 'w'), 'k')).toBe('w');
    expect('annotations' in withoutAnnotation(one, 'k').metadata).toBe(false);
    expect(withoutAnnotation(one, 'x')).toBe(one);
    expect(withoutAnnotation(withAnnotation(one, 'l', 'm'), 'k').metadata.annotations).toEqual({ l: 'm' });
    expect(annotationOf(one, 'toString')).toBeUndefined();
  });
});

describe('references', () => {
  test('to an owner -> with what was asked for only', () => {
    expect(ownerReferenceTo(object())).toEqual({ apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid: 'u1' });
    expect(ownerReferenceTo(object(), { controller: true, blockOwnerDeletion: true })).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'db-0',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test('the controller -> the owner that says so, known by uid', () => {
    const owner = object({ uid: 'o1' });
    const owned = object({
      ownerReferences: [ownerReferenceTo(object({ uid: 'x' })), ownerReferenceTo(owner, { controller: true })],
    });
    expect(controllerOf(owned)?.uid).toBe('o1');
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, object({ uid: 'o2' }))).toBe(false);
    expect(isControlledBy(object(), owner)).toBe(false);
  });

  test('to what an event is about -> namespace only where there is one', () => {
    expect(referenceTo(object({ namespace: 'ns' }))).toEqual({
      kind: 'Pod',
      namespace: 'ns',
      name: 'db-0',
      uid: 'u1',
      apiVersion: 'v1',
      resourceVersion: '7',
    });
    expect(referenceTo(object({ resourceVersion: '' }), 'spec.containers{db}')).toEqual({
      kind: 'Pod',
      name: 'db-0',
      uid: 'u1',
      apiVersion: 'v1',
      fieldPath: 'spec.containers{db}',
    });
  });
});
