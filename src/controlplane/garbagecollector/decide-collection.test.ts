import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../../kube/object.ts';
import { type Collection, type OwnerFact, decideDeleting, decideOwned, hasSameFate } from './decide-collection.ts';

const reference = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });
const owner = (uid: string, state: OwnerFact['state']): OwnerFact => ({ reference: reference(uid), state });
function object(parts: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'o', uid: 'o', resourceVersion: '1', creationTimestamp: '', ...parts },
  };
}
const blocker = object({ uid: 'd', ownerReferences: [{ ...reference('o'), blockOwnerDeletion: true }] });
const bystander = object({ uid: 'd', ownerReferences: [reference('o')] });

describe('decideOwned', () => {
  const rows: readonly [string, readonly OwnerFact[], readonly KubeObject[], Collection][] = [
    ['no owner -> keep', [], [], { type: 'keep' }],
    ['solid owner -> keep', [owner('a', 'solid')], [], { type: 'keep' }],
    ['absent owner -> delete', [owner('a', 'absent')], [], { type: 'delete', propagationPolicy: 'Background' }],
    [
      'solid and absent -> drop the absent',
      [owner('a', 'solid'), owner('b', 'absent')],
      [],
      { type: 'drop-references', uids: ['b'] },
    ],
    [
      'solid and waiting -> drop the waiting',
      [owner('a', 'solid'), owner('b', 'waiting')],
      [],
      { type: 'drop-references', uids: ['b'] },
    ],
    [
      'an owner that cannot be judged, another absent -> keep all',
      [owner('a', 'absent'), owner('b', 'unjudged')],
      [],
      { type: 'keep' },
    ],
    [
      'waiting owner, own dependents -> delete in the foreground',
      [owner('a', 'waiting')],
      [bystander],
      { type: 'delete', propagationPolicy: 'Foreground' },
    ],
    [
      'waiting owner, a dependent that waits itself -> a circle is opened',
      [owner('a', 'waiting')],
      [object({ uid: 'd', deletionTimestamp: 't', finalizers: ['foregroundDeletion'] })],
      { type: 'unblock-owners-and-delete' },
    ],
    [
      'waiting owner, no dependents -> delete',
      [owner('a', 'waiting')],
      [],
      { type: 'delete', propagationPolicy: 'Background' },
    ],
  ];
  test.each(rows)('%s', (_, owners, dependents, expected) => {
    expect(decideOwned(object(), owners, dependents)).toEqual(expected);
  });

  test('a policy in the finalizers -> is kept', () => {
    expect(decideOwned(object({ finalizers: ['orphan'] }), [owner('a', 'absent')], [])).toEqual({
      type: 'delete',
      propagationPolicy: 'Orphan',
    });
  });
});

describe('decideDeleting', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const rows: readonly [string, KubeObject, readonly KubeObject[], Collection | undefined][] = [
    ['not being deleted -> nothing to say', object(), [], undefined],
    ['no finalizer of ours -> keep', object({ deletionTimestamp, finalizers: ['x/y'] }), [], { type: 'keep' }],
    ['orphan -> orphan', object({ deletionTimestamp, finalizers: ['orphan'] }), [blocker], { type: 'orphan' }],
    [
      'foreground, blocked -> wait',
      object({ deletionTimestamp, finalizers: ['foregroundDeletion'] }),
      [blocker],
      { type: 'wait-for-dependents' },
    ],
    [
      'foreground, only bystanders -> go',
      object({ deletionTimestamp, finalizers: ['foregroundDeletion'] }),
      [bystander],
      { type: 'remove-foreground-finalizer' },
    ],
  ];
  test.each(rows)('%s', (_, given, dependents, expected) => {
    expect(decideDeleting(given, dependents)).toEqual(expected);
  });
});

describe('hasSameFate', () => {
  const known = object({ ownerReferences: [reference('a')], finalizers: ['f'] });
  const rows: readonly [string, Partial<KubeObject['metadata']>, boolean][] = [
    ['nothing but its version -> yes', { resourceVersion: '2' }, true],
    ['equal lists -> yes', { ownerReferences: [reference('a')], finalizers: ['f'] }, true],
    ['a finalizer goes -> no', { finalizers: [] }, false],
    ['an owner more -> no', { ownerReferences: [reference('a'), reference('b')] }, false],
    ['another owner -> no', { ownerReferences: [reference('b')] }, false],
    ['it blocks its owner -> no', { ownerReferences: [{ ...reference('a'), blockOwnerDeletion: true }] }, false],
    ['its deletion began -> no', { deletionTimestamp: '2026-01-01T00:00:00Z' }, false],
    ['another object of the name -> no', { uid: 'p' }, false],
  ];
  for (const [name, change, expected] of rows) {
    test(`P-GC-7 ${name}`, () => {
      expect(hasSameFate(known, { ...known, metadata: { ...known.metadata, ...change } })).toBe(expected);
    });
  }
});
