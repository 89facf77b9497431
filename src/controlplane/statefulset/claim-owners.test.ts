import { describe, expect, it } from 'vitest';
import { aClaimOwnedBy, aClaimTemplate, aStatefulSet } from '../../../test/workloads/makers.ts';
import type { OwnerReference } from '../../kube/object.ts';
import { decideOwners, isStaleClaim } from './claim-owners.ts';

const bySet: OwnerReference = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'web',
  uid: 'uid-of-web',
  controller: true,
  blockOwnerDeletion: true,
};
const byPod: OwnerReference = { ...bySet, apiVersion: 'v1', kind: 'Pod', name: 'web-1', uid: 'uid-of-web-1' };
const byOther: OwnerReference = { ...bySet, kind: 'Other', name: 'other', uid: 'uid-of-other' };
const member = { name: 'web-1', uid: 'uid-of-web-1', ordinal: 1 };

type Policy = 'RR' | 'RD' | 'DR' | 'DD';
/** By whenScaled and whenDeleted; `inRange` says whether web-1 is wanted. */
function aSet(policy: Policy, inRange: boolean) {
  const word = (letter: string | undefined): string => (letter === 'D' ? 'Delete' : 'Retain');
  return aStatefulSet({
    replicas: inRange ? 2 : 1,
    volumeClaimTemplates: [aClaimTemplate('data')],
    persistentVolumeClaimRetentionPolicy: { whenScaled: word(policy[0]), whenDeleted: word(policy[1]) },
  });
}
/** The owners that the claim has afterwards; undefined if it is not touched. */
function decide(policy: Policy, inRange: boolean, ...owners: readonly OwnerReference[]) {
  const { add, remove, isConflicting } = decideOwners(
    aSet(policy, inRange),
    member,
    aClaimOwnedBy('data-web-1', ...owners),
  );
  const gone = new Set([...remove, ...add.map(({ uid }) => uid)]);
  const isTouched = gone.size > 0;
  const ownerReferences = isTouched ? [...owners.filter(({ uid }) => !gone.has(uid)), ...add] : undefined;
  return { ownerReferences, isConflicting };
}

describe('P-STS-5 decideOwners', () => {
  it.each([
    ['Retain, Retain, in range             -> nobody', 'RR', true, []],
    ['Retain, Retain, scaled away          -> nobody', 'RR', false, []],
    ['Retain, Delete, in range             -> the set', 'RD', true, [bySet]],
    ['Retain, Delete, scaled away          -> the set', 'RD', false, [bySet]],
    ['Delete, Retain, in range             -> nobody', 'DR', true, []],
    ['Delete, Retain, scaled away          -> the pod', 'DR', false, [byPod]],
    ['Delete, Delete, in range             -> the set', 'DD', true, [bySet]],
    ['Delete, Delete, scaled away          -> the pod', 'DD', false, [byPod]],
  ] as const)('%s', (_situation, policy, inRange, wanted) => {
    const both = [bySet, byPod];
    for (const owners of [[], [bySet], [byPod], both]) {
      const isRight =
        owners.length === wanted.length && owners.every((owner) => wanted.some(({ uid }) => uid === owner.uid));
      const expected = { ownerReferences: isRight ? undefined : wanted, isConflicting: false };
      expect(decide(policy, inRange, ...owners)).toEqual(expected);
    }
  });

  it('owners besides -> kept', () => {
    const loose = { ...byOther, controller: false };
    expect(decide('RD', true, loose).ownerReferences).toEqual([loose, bySet]);
    expect(decide('RR', true, loose, bySet).ownerReferences).toEqual([loose]);
  });

  it('the set owns but does not control -> it controls', () => {
    const { controller: _controller, ...loose } = bySet;
    expect(decide('RD', true, loose).ownerReferences).toEqual([bySet]);
  });

  it('another controller -> its claim is not taken, and what is ours on it goes', () => {
    expect(decide('RD', true, byOther)).toEqual({ ownerReferences: undefined, isConflicting: true });
    expect(decide('RD', true, byOther, bySet)).toEqual({ ownerReferences: [byOther], isConflicting: true });
    expect(decide('RR', true, byOther)).toEqual({ ownerReferences: undefined, isConflicting: false });
  });

  it.each([
    ['an earlier set', { ...bySet, uid: 'former' }],
    ['an earlier pod', { ...byPod, uid: 'former' }],
  ])('owned by %s of the name -> left as it is', (_situation, owner) => {
    expect(decide('DD', true, owner)).toEqual({ ownerReferences: undefined, isConflicting: true });
    expect(decide('RR', true, owner)).toEqual({ ownerReferences: undefined, isConflicting: false });
  });
});

describe('P-STS-6 isStaleClaim', () => {
  const toBeMade = { ...member, uid: '' };

  it('claims go with their pods, one still belongs to an earlier pod -> not to be used', () => {
    expect(isStaleClaim(aSet('DR', true), toBeMade, aClaimOwnedBy('data-web-1', byPod))).toBe(true);
  });

  it('claims are retained, or the claim is free -> to be used', () => {
    expect(isStaleClaim(aSet('RD', true), toBeMade, aClaimOwnedBy('data-web-1', byPod))).toBe(false);
    expect(isStaleClaim(aSet('DR', true), toBeMade, aClaimOwnedBy('data-web-1'))).toBe(false);
  });
});
