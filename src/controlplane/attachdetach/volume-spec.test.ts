import { describe, expect, it } from 'vitest';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { aClaim, aPod, aVolume } from '../../volume/makers.ts';
import { type Catalogue, isMultiAttachAllowed, pluginOf, resolveVolume } from './volume-spec.ts';

const CSI = { csi: { driver: 'disk.test', volumeHandle: 'h' } };

interface Given {
  readonly claim?: PersistentVolumeClaim;
  readonly volume?: PersistentVolume;
  readonly attachRequired?: boolean;
}

function catalogueOf({ claim, volume, attachRequired }: Given): Catalogue {
  const driver: CSIDriver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'disk.test', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec: attachRequired === undefined ? {} : { attachRequired },
  };
  return {
    claim: (key) => (key === 'default/c' ? claim : undefined),
    persistentVolume: (name) => (name === 'v' ? volume : undefined),
    csiDriver: () => (attachRequired === undefined ? undefined : driver),
  };
}

const bound = aClaim({ volumeName: 'v', phase: 'Bound' });
const volume = aVolume({ claim: 'c/u', spec: CSI });

function resolved(given: Given, pod = aPod({ claims: ['c'], nodeName: 'a' })): string {
  const [first] = pod.spec.volumes ?? [];
  if (first === undefined) throw new Error('the pod has a volume');
  const answer = resolveVolume(pod, first, catalogueOf(given));
  return answer.type === 'attachable' ? answer.spec.volume : answer.type;
}

describe('resolveVolume', () => {
  it.each<[string, Given, string]>([
    ['bound CSI volume -> by its unique name', { claim: bound, volume }, 'kubernetes.io/csi/disk.test^h'],
    [
      'driver without CSIDriver or opinion -> attached',
      { claim: bound, volume, attachRequired: true },
      'kubernetes.io/csi/disk.test^h',
    ],
    ['attachRequired false -> not attached', { claim: bound, volume, attachRequired: false }, 'not-attachable'],
    ['NFS volume -> not attached', { claim: bound, volume: aVolume({ claim: 'c/u' }) }, 'not-attachable'],
    ['no claim yet -> later', { volume }, 'unresolved'],
    ['claim not bound -> later', { claim: aClaim({ volumeName: 'v' }), volume }, 'unresolved'],
    ['claim bound to nothing -> later', { claim: aClaim({ phase: 'Bound' }), volume }, 'unresolved'],
    ['no volume yet -> later', { claim: bound }, 'unresolved'],
    [
      'volume of another claim -> later',
      { claim: bound, volume: aVolume({ claim: 'c/other', spec: CSI }) },
      'unresolved',
    ],
    ['volume not bound back -> later', { claim: bound, volume: aVolume({ spec: CSI }) }, 'unresolved'],
  ])('%s', (_name, given, expected) => expect(resolved(given)).toBe(expected));

  it.each([
    [
      'iSCSI',
      { iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn.test', lun: 2 } },
      'kubernetes.io/iscsi/10.0.0.1:3260:iqn.test:2',
    ],
    ['FC by target', { fc: { targetWWNs: ['a', 'b'], lun: 0 } }, 'kubernetes.io/fc/[a b]:0'],
    ['FC by id', { fc: { wwids: ['x'] } }, 'kubernetes.io/fc/[x]'],
  ])('%s volume, inline or persistent -> counted as attached, under its name', (_name, source, name) => {
    const inline = resolveVolume(aPod(), { name: 'disk', ...source }, catalogueOf({}));
    expect(inline).toEqual({
      type: 'attachable',
      spec: { volume: name, name: 'disk', isExclusive: false, csi: undefined },
    });
    const persistent = aVolume({ claim: 'c/u', modes: ['ReadWriteOnce'], spec: source });
    expect([resolved({ claim: bound, volume: persistent }), pluginOf(name)]).toEqual([name, 'built-in']);
  });

  it('inline volume -> not attached', () => {
    expect(resolveVolume(aPod(), { name: 'tmp', emptyDir: {} }, catalogueOf({}))).toEqual({ type: 'not-attachable' });
  });

  it('ephemeral volume whose claim belongs to somebody else -> later', () => {
    const claim = aClaim({ name: 'p-scratch', volumeName: 'v', phase: 'Bound' });
    const catalogue = { ...catalogueOf({ volume }), claim: () => claim };
    expect(resolveVolume(aPod(), { name: 'scratch', ephemeral: {} }, catalogue)).toEqual({ type: 'unresolved' });
  });
});

describe('isMultiAttachAllowed', () => {
  it.each([
    [['ReadWriteOnce'], false],
    [['ReadWriteOncePod'], false],
    [['ReadWriteOnce', 'ReadOnlyMany'], true],
    [['ReadWriteMany'], true],
    [[], true],
  ])('AD-24 modes %j -> %s', (modes, allowed) => {
    expect(isMultiAttachAllowed(modes)).toBe(allowed);
  });
});
