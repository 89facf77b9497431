import { describe, expect, it } from 'vitest';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { VolumeSpec } from '../csiplugin/volume-spec.ts';
import { faultOfClaim, faultOfMode, faultOfVolume } from './resolve-volume.ts';

const METADATA = { uid: 'u1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const GOING = { deletionTimestamp: '2026-01-01T00:01:00Z' };

function claim(
  phase: string,
  volumeName: string | undefined,
  more: Partial<PersistentVolumeClaim['metadata']> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...METADATA, name: 'data', namespace: 'default', ...more },
    spec: { resources: {}, ...(volumeName === undefined ? {} : { volumeName }) },
    status: { phase },
  };
}

function volume(claimRef?: PersistentVolume['spec']['claimRef']): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { ...METADATA, name: 'pv1' },
    spec: claimRef === undefined ? {} : { claimRef },
    status: {},
  };
}

describe('why a claim cannot be mounted', () => {
  it.each([
    ['bound', claim('Bound', 'pv1'), undefined],
    ['pending', claim('Pending', undefined), 'PVC is not bound'],
    ['lost', claim('Lost', 'pv1'), 'PVC is not bound'],
    ['bound to nothing', claim('Bound', ''), 'PVC has empty pvc.Spec.VolumeName'],
    ['going, unprotected', claim('Bound', 'pv1', GOING), 'PVC is being deleted'],
    ['going, protected', claim('Bound', 'pv1', { ...GOING, finalizers: ['kubernetes.io/pvc-protection'] }), undefined],
  ])('P-KL-4 claim %s -> told so', (_situation, given, expected) => {
    expect(faultOfClaim(given)).toBe(expected);
  });

  it.each([
    ['for this claim', volume({ name: 'data', namespace: 'default', uid: 'u1' }), undefined],
    [
      'for nobody',
      volume(),
      'found PV object pv1 but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim',
    ],
    [
      'for an earlier claim of the name',
      volume({ name: 'data', namespace: 'default', uid: 'u0' }),
      'found PV object pv1 but its pv.Spec.ClaimRef.UID u0 does not point to claim.UID u1',
    ],
  ])('P-KL-4 volume %s -> told so', (_situation, given, expected) => {
    expect(faultOfVolume(given, claim('Bound', 'pv1'))).toBe(expected);
  });

  const spec = (volumeMode: 'Filesystem' | 'Block'): VolumeSpec => ({
    type: 'persistent',
    name: 'pv1',
    readOnly: false,
    spec: { volumeMode, csi: { driver: 'd', volumeHandle: 'h' } },
  });
  const mounts = { mounts: new Set(['v']), devices: new Set<string>() };
  const devices = { mounts: new Set<string>(), devices: new Set(['v']) };
  it.each([
    ['file system in volumeMounts', spec('Filesystem'), mounts, undefined],
    ['device in volumeDevices', spec('Block'), devices, undefined],
    [
      'device in volumeMounts',
      spec('Block'),
      mounts,
      'volume v has volumeMode Block, but is specified in volumeMounts',
    ],
    [
      'file system in volumeDevices',
      spec('Filesystem'),
      devices,
      'volume v has volumeMode Filesystem, but is specified in volumeDevices',
    ],
  ])('P-KL-4 %s -> told so', (_situation, given, used, expected) => {
    expect(faultOfMode('v', given, used)).toBe(expected);
  });
});
