import { describe, expect, it } from 'vitest';
import {
  claimBoundTo,
  claimWithVolume,
  claimWithoutVolume,
  unboundVolume,
  volumeBoundTo,
  volumeInPhase,
} from './binding.ts';
import { aClaim, aVolume } from './makers.ts';

const REFERENCE = {
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  namespace: 'default',
  name: 'c',
  uid: 'u',
  resourceVersion: '1',
};

describe('P-VOL-8 volumeBoundTo', () => {
  it('free volume -> claimRef and the mark of the controller', () => {
    const bound = volumeBoundTo(aVolume(), aClaim());
    expect(bound.spec.claimRef).toEqual(REFERENCE);
    expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
  });
  it('pre-bound by name -> uid filled in, no mark', () => {
    const bound = volumeBoundTo(aVolume({ claim: 'c' }), aClaim());
    expect(bound.spec.claimRef).toEqual(REFERENCE);
    expect(bound.metadata.annotations).toBeUndefined();
  });
  it('bound already -> the same object', () => {
    const volume = aVolume({ claim: 'c/u' });
    expect(volumeBoundTo(volume, aClaim())).toBe(volume);
  });
  it('another value of the mark -> kept', () => {
    const volume = aVolume({ annotations: { 'pv.kubernetes.io/bound-by-controller': 'true' } });
    expect(volumeBoundTo(volume, aClaim()).metadata.annotations).toEqual(volume.metadata.annotations);
  });
});

describe('P-VOL-8 claimBoundTo', () => {
  it('no volume yet -> name and both marks', () => {
    const bound = claimBoundTo(aClaim(), aVolume());
    expect(bound.spec.volumeName).toBe('v');
    expect(bound.metadata.annotations).toEqual({
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'pv.kubernetes.io/bind-completed': 'yes',
    });
  });
  it('the user named the volume -> only completed', () => {
    const bound = claimBoundTo(aClaim({ volumeName: 'v' }), aVolume());
    expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' });
  });
  it('complete -> the same object', () => {
    const claim = aClaim({ volumeName: 'v', bc: true });
    expect(claimBoundTo(claim, aVolume())).toBe(claim);
  });
});

describe('P-VOL-8 unboundVolume', () => {
  it('by the controller -> no claimRef, no annotations at all', () => {
    const free = unboundVolume(aVolume({ claim: 'c/u', bbc: true }));
    expect(free.spec).not.toHaveProperty('claimRef');
    expect(free.metadata).not.toHaveProperty('annotations');
  });
  it('by a user -> only the uid goes', () => {
    expect(unboundVolume(aVolume({ claim: 'c/u' })).spec.claimRef).toEqual(aVolume({ claim: 'c' }).spec.claimRef);
  });
});

describe('volumeInPhase', () => {
  it('same phase -> the same object, whatever the message', () => {
    const volume = aVolume({ phase: 'Failed', message: 'old' });
    expect(volumeInPhase(volume, 'Failed', 'new')).toBe(volume);
  });
  it('new phase -> message replaced', () => {
    expect(volumeInPhase(aVolume({ phase: 'Failed', message: 'old' }), 'Available').status).toEqual({
      phase: 'Available',
    });
    expect(volumeInPhase(aVolume(), 'Failed', 'boom').status).toEqual({ phase: 'Failed', message: 'boom' });
  });
});

describe('P-VOL-9 status of a claim', () => {
  const modes = ['ReadWriteOnce', 'ReadOnlyMany'];
  const entered = { phase: 'Bound', accessModes: modes, capacity: { storage: '1Gi' } };
  it('Pending -> Bound with size, modes and attributes class of the volume', () => {
    const volume = aVolume({ attributesClass: 'silver' });
    expect(claimWithVolume(aClaim(), volume).status).toEqual({
      ...entered,
      currentVolumeAttributesClassName: 'silver',
    });
    expect(claimWithVolume(aClaim(), volume, { volumeAttributesClass: false }).status).toEqual(entered);
  });
  it('Lost -> Bound keeps what it knows of the attributes class', () => {
    const claim = aClaim({ phase: 'Lost', status: { currentVolumeAttributesClassName: 'tin' } });
    const status = claimWithVolume(claim, aVolume({ attributesClass: 'silver' })).status;
    expect(status.currentVolumeAttributesClassName).toBe('tin');
  });
  it('Bound with a smaller size than the volume -> untouched', () => {
    const claim = aClaim({ status: entered });
    expect(claimWithVolume(claim, aVolume({ size: '5Gi' }))).toBe(claim);
  });
  it('Bound, modes changed -> only the modes', () => {
    const claim = aClaim({ status: entered });
    expect(claimWithVolume(claim, aVolume({ size: '5Gi', modes: ['ReadWriteMany'] })).status).toEqual({
      ...entered,
      accessModes: ['ReadWriteMany'],
    });
  });
  it('T59 expansion waits for the node -> the size before', () => {
    const volume = aVolume({ size: '2Gi', annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' } });
    expect(claimWithVolume(aClaim({ size: '2Gi' }), volume).status.capacity).toEqual({ storage: '1Gi' });
  });
  it('size before that is no quantity -> the size of the volume', () => {
    const volume = aVolume({ size: '2Gi', annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': 'big' } });
    expect(claimWithVolume(aClaim(), volume).status.capacity).toEqual({ storage: '2Gi' });
  });
  it('volume without size -> error', () => {
    const volume = aVolume({ spec: { capacity: {} } });
    expect(() => claimWithVolume(aClaim(), volume)).toThrow('PersistentVolume "v" is without a storage capacity');
  });
  it('without volume -> size, modes and attributes class go; nothing to do -> the same object', () => {
    const bound = aClaim({ status: { ...entered, currentVolumeAttributesClassName: 'x', conditions: [] } });
    const lost = claimWithoutVolume(bound, 'Lost');
    expect(lost.status).toEqual({ phase: 'Lost', conditions: [] });
    expect(claimWithoutVolume(lost, 'Lost')).toBe(lost);
  });
});
