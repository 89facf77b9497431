import { describe, expect, test } from 'vitest';
import type { FieldError } from './field-error.ts';
import type { OwnerReference } from './object.ts';
import {
  type RequestMeta,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta-validation.ts';

const told = (errors: readonly FieldError[]) => errors.map(({ field, text }) => `${field}: ${text}`);
const good: RequestMeta = { name: 'a', namespace: 'ns' };
const owner = (part: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: 'p',
  uid: 'u',
  ...part,
});
const rules = { namespaced: true, nameRule: 'subdomain' } as const;

describe('P-KUBE-7 metadata at creation', () => {
  test.each<[string, RequestMeta, readonly string[]]>([
    [
      'good',
      {
        ...good,
        labels: { 'x.y/Z': 'v' },
        annotations: { UPPER: 'any text!' },
        finalizers: ['orphan', 'a.b/c'],
        ownerReferences: [owner({ controller: true }), owner()],
      },
      [],
    ],
    ['no name', { namespace: 'ns' }, ['metadata.name: Required value: name or generateName is required']],
    [
      'bad base of a generated name',
      { ...good, generateName: '_' },
      [
        "metadata.generateName: Invalid value: \"_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    [
      'bad namespace',
      { name: 'a', namespace: 'a.b' },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'negative generation',
      { ...good, generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'bad annotation key',
      { ...good, annotations: { '/x': 'v' } },
      ['metadata.annotations: Invalid value: "/x": prefix part must be non-empty'],
    ],
    [
      'annotations too large',
      { ...good, annotations: { x: 'v'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['annotations just small enough', { ...good, annotations: { x: 'v'.repeat(256 * 1024 - 1) } }, []],
    [
      'plain finalizer',
      { ...good, finalizers: ['plain'] },
      [
        'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'malformed finalizer',
      { ...good, finalizers: ['x/'] },
      [
        expect.stringContaining('metadata.finalizers: Invalid value: "x/": name part must be non-empty'),
        expect.stringContaining('metadata.finalizers: Invalid value: "x/": name part must consist of'),
      ],
    ],
    [
      'contrary finalizers',
      { ...good, finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'owner without name and uid',
      { ...good, ownerReferences: [owner({ name: '', uid: '' })] },
      [
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'owner without kind and version',
      { ...good, ownerReferences: [owner({ apiVersion: '', kind: '' })] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      ],
    ],
    [
      'owned by an event',
      { ...good, ownerReferences: [owner({ kind: 'Event' })] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'two controllers',
      { ...good, ownerReferences: [owner({ controller: true }), owner({ name: 'q', controller: true })] },
      [
        expect.stringContaining(
          'Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/q',
        ),
      ],
    ],
    [
      'managed by nothing known',
      {
        ...good,
        managedFields: [
          {
            manager: 'm\u0001',
            operation: 'Other' as 'Apply',
            apiVersion: 'v1',
            fieldsType: 'X' as 'FieldsV1',
            fieldsV1: {},
          },
        ],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "Other": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "X": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "m\\x01": invalid character U+0001 (at position 1)',
      ],
    ],
  ])('%s -> its faults', (_situation, meta, errors) => {
    expect(told(validateObjectMeta(meta, rules))).toEqual(errors);
  });

  test('a namespace on a cluster-scoped kind -> forbidden', () => {
    expect(told(validateObjectMeta(good, { namespaced: false, nameRule: 'subdomain' }))).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  test('metadata of a template -> faults under its path', () => {
    expect(told(validateObjectMeta({ namespace: 'ns' }, rules, 'spec.template.metadata'))).toEqual([
      'spec.template.metadata.name: Required value: name or generateName is required',
    ]);
  });
});

describe('P-KUBE-7 metadata at update', () => {
  const before: RequestMeta = {
    name: 'a',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2021-01-01T00:00:00Z',
    finalizers: ['a/b'],
  };
  test.each<[string, RequestMeta, RequestMeta, readonly string[]]>([
    ['nothing changes', before, before, []],
    [
      'no resourceVersion',
      { ...before, resourceVersion: '' },
      before,
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'generation back',
      { ...before, generation: 1 },
      before,
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
    ['other name', { ...before, name: 'b' }, before, ['metadata.name: Invalid value: "b": field is immutable']],
    [
      'other uid',
      { ...before, uid: '11111111-2222-3333-4444-555555555555' },
      before,
      ['metadata.uid: Invalid value: "11111111-2222-3333-4444-555555555555": field is immutable'],
    ],
    [
      'other times',
      { ...before, creationTimestamp: '2022-01-01T00:00:00Z' },
      { ...before, deletionTimestamp: '2023-01-01T00:00:00Z' },
      [
        'metadata.creationTimestamp: Invalid value: "2022-01-01T00:00:00Z": field is immutable',
        'metadata.deletionTimestamp: Invalid value: null: field is immutable',
      ],
    ],
    ['finalizer added', { ...before, finalizers: ['a/b', 'c/d'] }, before, []],
    [
      'finalizers added while deleting',
      { ...before, deletionTimestamp: 't', finalizers: ['x/z', 'a/b', 'x/y'] },
      { ...before, deletionTimestamp: 't' },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/y", "x/z"}',
      ],
    ],
    [
      'finalizer removed while deleting',
      { ...before, deletionTimestamp: 't', finalizers: [] },
      { ...before, deletionTimestamp: 't' },
      [],
    ],
    [
      'plain finalizer',
      { ...before, finalizers: ['plain'] },
      before,
      [
        'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
  ])('%s -> its faults', (_situation, meta, old, errors) => {
    expect(told(validateObjectMetaUpdate(meta, old))).toEqual(errors);
  });
});

describe('field managers', () => {
  test.each<[string, readonly string[]]>([
    ['kubectl-client-side-apply', []],
    ['m'.repeat(129), ['fieldManager: Too long: may not be more than 128 bytes']],
    ['é\n', ['fieldManager: Invalid value: "é\\n": invalid character U+000A (at position 2)']],
  ])('%j -> %j', (manager, errors) => {
    expect(told(validateFieldManager(manager, 'fieldManager'))).toEqual(errors);
  });
});
