import { describe, expect, it } from 'vitest';
import type { Pod } from '../../kube/resources/pod.ts';
import { aClaim, aPod } from '../../volume/makers.ts';
import { decideVolume, ephemeralVolumesOf } from './decide-volume.ts';

const template = {
  metadata: { labels: { made: 'here' }, annotations: { note: 'kept' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
};
const base = aPod({ name: 'user' });
const pod: Pod = {
  ...base,
  spec: {
    ...base.spec,
    volumes: [
      { name: 'scratch', ephemeral: { volumeClaimTemplate: template } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'tmp', emptyDir: {} },
    ],
  },
};

function decide(claim: ReturnType<typeof aClaim> | undefined) {
  const [volume] = ephemeralVolumesOf(pod);
  if (volume === undefined) throw new Error('the pod has an ephemeral volume');
  return decideVolume(pod, volume, claim);
}

describe('decideVolume', () => {
  it('other kinds of volumes -> none of our business', () => {
    expect(ephemeralVolumesOf(pod).map(({ name, claim }) => [name, claim])).toEqual([
      ['scratch', 'default/user-scratch'],
    ]);
  });

  it('P-EPH-1 no claim yet -> made from the template, owned by the pod alone', () => {
    expect(decide(undefined)).toEqual({
      type: 'create',
      draft: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'user-scratch',
          namespace: 'default',
          labels: { made: 'here' },
          annotations: { note: 'kept' },
          ownerReferences: [
            {
              apiVersion: 'v1',
              kind: 'Pod',
              name: 'user',
              uid: 'uid-of-user',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        spec: template.spec,
      },
    });
  });

  it('P-EPH-2 claim of that name is someone else’s -> refused with the recorded words', () => {
    expect(decide(aClaim({ name: 'user-scratch' }))).toEqual({
      type: 'refuse',
      message: 'PVC default/user-scratch was not created for pod default/user (pod is not owner)',
    });
  });

  it('claim of a former pod of the same name -> refused, because its owner has another uid', () => {
    const claim = aClaim({ name: 'user-scratch' });
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: 'former', controller: true };
    const former = { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } };
    expect(decide(former).type).toBe('refuse');
  });

  it('claim made for this pod -> nothing to do', () => {
    const claim = aClaim({ name: 'user-scratch' });
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: 'uid-of-user', controller: true };
    expect(decide({ ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } })).toEqual({ type: 'made' });
  });
});
