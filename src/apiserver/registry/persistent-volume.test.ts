import { describe, expect, it } from 'vitest';
import { SECOND_MS, timestamp } from '../../base/clock.ts';
import { decoded, toldOfChange, toldOfNew } from './makers.ts';
import { persistentVolumeStrategy as strategy } from './persistent-volume.ts';

const CSI = { csi: { driver: 'disk.example.com', volumeHandle: 'vol-1' } };
const volume = (spec: object = CSI, rest: object = {}) => ({
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
  ...rest,
});
const reachable = (zone: string, key = 'topology.kubernetes.io/zone') => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [zone] }] }] } },
});

describe('a new volume', () => {
  it.each<[string, object, readonly string[]]>([
    ['no source -> required', volume({}), ['spec: Required value: must specify a volume type']],
    [
      'two sources -> the later one by upstream order is refused',
      volume({ ...CSI, nfs: { server: 's', path: '/x' } }),
      ['spec.csi: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'two sources, both before csi -> the later one is refused',
      volume({ nfs: { server: 's', path: '/x' }, hostPath: { path: '/x' } }),
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'no capacity -> required and unsupported',
      volume({ ...CSI, capacity: {} }),
      ['spec.capacity: Required value', 'spec.capacity: Unsupported value: {}: supported values: "storage"'],
    ],
    [
      'other resources beside storage -> unsupported, told in the order of their names',
      volume({ ...CSI, capacity: { storage: '1Gi', cpu: '1' } }),
      ['spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"'],
    ],
    [
      'capacity zero -> invalid',
      volume({ ...CSI, capacity: { storage: '0' } }),
      ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    ],
    ['no access modes -> required', volume({ ...CSI, accessModes: [] }), ['spec.accessModes: Required value']],
    ['no handle -> required', volume({ csi: { driver: 'd' } }), ['spec.csi.volumeHandle: Required value']],
    [
      'hostPath with a step back -> invalid',
      volume({ hostPath: { path: '/tmp/../a' } }),
      ['spec.hostPath.path: Invalid value: "/tmp/../a": must not contain \'..\''],
    ],
    [
      'Recycle on the root -> forbidden',
      volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      'unknown reclaim policy -> unsupported',
      volume({ ...CSI, persistentVolumeReclaimPolicy: 'Burn' }),
      [
        'spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"',
      ],
    ],
    [
      'local without affinity -> required',
      volume({ local: { path: '/x' } }),
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    ['local with affinity -> fine', volume({ local: { path: '/x' }, ...reachable('a') }), []],
    [
      'affinity without terms -> required',
      volume({ ...CSI, nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
      ['spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term'],
    ],
    [
      'attributes class on another source than CSI -> csi required',
      volume({ hostPath: { path: '/x' }, volumeAttributesClassName: 'fast' }),
      ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
    ],
    [
      'a disk of Google -> fine, with faults told under its old name',
      volume({ gcePersistentDisk: { pdName: '' } }),
      ['spec.persistentDisk.pdName: Required value'],
    ],
    [
      'secret reference without namespace -> required',
      volume({ csi: { ...CSI.csi, controllerExpandSecretRef: { name: 's' } } }),
      ['spec.csi.controllerExpandSecretRef.namespace: Required value'],
    ],
    [
      'mount options in the annotation of a CSI volume -> forbidden',
      volume(CSI, { metadata: { name: 'a', annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } } }),
      [
        'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
      ],
    ],
  ])('P-REG-2 %s', (_situation, typed, expected) => {
    expect(toldOfNew(strategy, typed)).toEqual(expected);
  });

  it('P-REG-4 defaults -> Retain, Filesystem, Pending since now; status that was sent is dropped', () => {
    const sent = volume({ hostPath: { path: '/x' } }, { status: { phase: 'Bound', message: 'm' } });
    const made = strategy.prepareForCreate?.(decoded(strategy, sent), { now: 5 * SECOND_MS });
    expect(made?.spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
      hostPath: { path: '/x', type: '' },
    });
    expect(made?.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: timestamp(5 * SECOND_MS) });
  });

  it('P-REG-5 Recycle, a dead source and an old label -> a warning each', () => {
    const spec = {
      rbd: { monitors: ['m'], image: 'i' },
      persistentVolumeReclaimPolicy: 'Recycle',
      ...reachable('a', 'failure-domain.beta.kubernetes.io/zone'),
    };
    expect(strategy.warnings?.(decoded(strategy, volume(spec)), undefined)).toEqual([
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
      'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
    ]);
  });
});

describe('a change of a volume', () => {
  it.each<[string, object, object, readonly string[]]>([
    [
      'source -> immutable',
      volume(),
      volume({ csi: { ...CSI.csi, volumeHandle: 'vol-2' } }),
      ['spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'],
    ],
    [
      'expansion secret where there was none -> fine',
      volume(),
      volume({ csi: { ...CSI.csi, controllerExpandSecretRef: { name: 's', namespace: 'n' } } }),
      [],
    ],
    ['claimRef set and cleared -> fine', volume({ ...CSI, claimRef: { name: 'c', namespace: 'n' } }), volume(), []],
    [
      'capacity, policy, modes, class -> fine',
      volume(),
      volume({
        ...CSI,
        capacity: { storage: '2Gi' },
        accessModes: ['ReadWriteMany'],
        storageClassName: 'x',
        persistentVolumeReclaimPolicy: 'Delete',
      }),
      [],
    ],
    [
      'volume mode -> immutable',
      volume(),
      volume({ ...CSI, volumeMode: 'Block' }),
      ['volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ['affinity where there was none -> fine', volume(), volume({ ...CSI, ...reachable('a') }), []],
    [
      'another affinity -> immutable',
      volume({ ...CSI, ...reachable('a') }),
      volume({ ...CSI, ...reachable('b') }),
      [
        'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"topology.kubernetes.io/zone","Operator":"In","Values":["b"]}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
      ],
    ],
    [
      'affinity taken away -> immutable',
      volume({ ...CSI, ...reachable('a') }),
      volume(),
      ['nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA'],
    ],
    [
      'affinity by the newer name of the label -> fine',
      volume({ ...CSI, ...reachable('a', 'failure-domain.beta.kubernetes.io/zone') }),
      volume({ ...CSI, ...reachable('a') }),
      [],
    ],
    [
      'attributes class taken away -> refused',
      volume({ ...CSI, volumeAttributesClassName: 'fast' }),
      volume(),
      ['spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden'],
    ],
  ])('P-REG-8 %s', (_situation, before, after, expected) => {
    expect(toldOfChange(strategy, before, after)).toEqual(expected);
  });
});

describe("a change of a volume's status", () => {
  const old = decoded(
    strategy,
    volume(CSI, { status: { phase: 'Available', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' } }),
  );
  const after = (status: object) =>
    strategy.prepareForStatusUpdate?.(decoded(strategy, volume(CSI, { status })), old, { now: 60 * SECOND_MS }).status;
  const now = timestamp(60 * SECOND_MS);

  it.each<[string, object, object]>([
    ['phase changes, no time -> now', { phase: 'Bound' }, { phase: 'Bound', lastPhaseTransitionTime: now }],
    [
      'phase changes, the old time came along -> now',
      { phase: 'Bound', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' },
      { phase: 'Bound', lastPhaseTransitionTime: now },
    ],
    [
      'phase changes, the writer brings a time -> kept',
      { phase: 'Bound', lastPhaseTransitionTime: '2022-01-01T00:00:00Z' },
      { phase: 'Bound', lastPhaseTransitionTime: '2022-01-01T00:00:00Z' },
    ],
    [
      'phase stays, no time -> the old one',
      { phase: 'Available', message: 'm' },
      { phase: 'Available', message: 'm', lastPhaseTransitionTime: '2021-01-01T00:00:00Z' },
    ],
  ])('P-REG-9 %s', (_situation, status, expected) => {
    expect(after(status)).toEqual(expected);
  });
});
