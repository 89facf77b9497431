import { describe, expect, it } from 'vitest';
import { claimKeysOf, isClaimMadeFor } from './claim-of-pod.ts';
import { aClaim, aPod } from './makers.ts';

describe('P-VOL-7 claims of a pod', () => {
  it('named claims and generic ephemeral volumes -> keys, each once', () => {
    const pod = aPod({ name: 'web', claims: ['data', 'data', 'logs'], ephemeral: ['scratch'] });
    expect(claimKeysOf(pod)).toEqual(['default/data', 'default/logs', 'default/web-scratch']);
  });
  it('no volumes -> none', () => expect(claimKeysOf(aPod())).toEqual([]));
  it('claim controlled by the pod -> made for it; by an earlier pod of that name -> not', () => {
    const owned = (uid: string) => {
      const claim = aClaim({ name: 'web-scratch' });
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid, controller: true }];
      return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
    };
    expect(isClaimMadeFor(owned('uid-of-web'), aPod({ name: 'web' }))).toBe(true);
    expect(isClaimMadeFor(owned('older'), aPod({ name: 'web' }))).toBe(false);
    expect(isClaimMadeFor(aClaim(), aPod({ name: 'web' }))).toBe(false);
  });
});
