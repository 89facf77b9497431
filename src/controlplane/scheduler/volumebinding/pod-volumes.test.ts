import { describe, expect, it } from 'vitest';
import { aClaim, aClass, aVolume } from '../../../volume/makers.ts';
import { type SnapshotParts, aCsiDriver, aNode, aSnapshot, aWorkload } from '../../../../test/scheduler/makers.ts';
import { NOT_ENOUGH_STORAGE, NO_VOLUME_TO_BIND, findPodVolumes, prepareClaims } from './pod-volumes.ts';

const R1 = "node(s) didn't match PersistentVolume's node affinity";
const onHost = (name: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  },
  local: { path: '/x' },
});
const byHand = aClass({ name: 'wait', wait: true, provisioner: 'kubernetes.io/no-provisioner' });
const dynamic = aClass({ name: 'dynamic', wait: true, provisioner: 'driver.test' });

function find(claims: readonly string[], parts: SnapshotParts) {
  const { storage } = aSnapshot(parts);
  const found = findPodVolumes({
    claims: prepareClaims(aWorkload({ claims }), storage),
    node: aNode({ name: 'n1' }),
    storage,
    affinityConflict: R1,
  });
  if (found.type !== 'found') return found;
  return {
    bindings: found.volumes.bindings.map(({ claim, volume }) => `${claim.metadata.name}=${volume.metadata.name}`),
    provisions: found.volumes.provisions.map(({ metadata }) => metadata.name),
  };
}

describe('findPodVolumes', () => {
  it('T65 bound volume elsewhere and no volume to bind -> R1 before R2', () => {
    const result = find(['c', 'd'], {
      claims: [aClaim({ phase: 'Bound', bc: true, volumeName: 'far' }), aClaim({ name: 'd', className: 'wait' })],
      volumes: [aVolume({ name: 'far', spec: onHost('n2') })],
      classes: [byHand],
    });
    expect(result).toEqual({ type: 'unresolvable', reasons: [R1, NO_VOLUME_TO_BIND] });
  });

  it('T67 driver publishes no capacity -> one claim to provision', () => {
    const result = find(['c'], {
      claims: [aClaim({ className: 'dynamic' })],
      classes: [dynamic],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: false })],
    });
    expect(result).toEqual({ bindings: [], provisions: ['c'] });
  });

  it('T67 one claim has no capacity -> nothing is reserved for the others either', () => {
    const result = find(['c', 'd'], {
      claims: [aClaim({ className: 'dynamic' }), aClaim({ name: 'd', uid: 'u2', className: 'wait' })],
      volumes: [aVolume({ className: 'wait' })],
      classes: [dynamic, byHand],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: true })],
    });
    expect(result).toEqual({ type: 'unresolvable', reasons: [NOT_ENOUGH_STORAGE] });
  });

  it('claim without volume whose class can make one -> provisioned although none matched', () => {
    const result = find(['c'], {
      claims: [aClaim({ className: 'dynamic', size: '2Gi' })],
      volumes: [aVolume({ className: 'dynamic', size: '1Gi' })],
      classes: [dynamic],
    });
    expect(result).toEqual({ bindings: [], provisions: ['c'] });
  });

  it('two claims, the larger first in the pod -> the smaller takes the smaller volume', () => {
    const result = find(['big', 'small'], {
      claims: [
        aClaim({ name: 'big', uid: 'u1', className: 'wait', size: '5Gi' }),
        aClaim({ name: 'small', uid: 'u2', className: 'wait', size: '1Gi' }),
      ],
      volumes: [
        aVolume({ name: 'v5', className: 'wait', size: '5Gi' }),
        aVolume({ name: 'v10', className: 'wait', size: '10Gi' }),
      ],
      classes: [byHand],
    });
    expect(result).toEqual({ bindings: ['small=v5', 'big=v10'], provisions: [] });
  });

  it('local volumes of many nodes -> only those of this node are candidates', () => {
    const result = find(['c'], {
      claims: [aClaim({ className: 'wait' })],
      volumes: [
        aVolume({ name: 'tiny-elsewhere', className: 'wait', size: '1Gi', spec: onHost('n2') }),
        aVolume({ name: 'here', className: 'wait', size: '3Gi', spec: onHost('n1') }),
        aVolume({ name: 'anywhere', className: 'wait', size: '4Gi' }),
      ],
      classes: [byHand],
    });
    expect(result).toEqual({ bindings: ['c=here'], provisions: [] });
  });

  it('class vanished between two looks -> the attempt breaks with its name', () => {
    const { storage } = aSnapshot({ claims: [aClaim({ className: 'dynamic' })], classes: [dynamic] });
    const claims = prepareClaims(aWorkload({ claims: ['c'] }), storage);
    const found = findPodVolumes({ claims, node: aNode(), storage: aSnapshot().storage, affinityConflict: R1 });
    expect(found).toEqual({ type: 'error', message: 'failed to find storage class "dynamic"' });
  });
});
