import { describe, expect, it } from 'vitest';
import { type FitRow, outcomeOf, refused, threeNodes, zoned } from '../../../test/scheduler/attempt.ts';
import { aCapacity, aCsiDriver, aCsiNode, aWorkload, anAttachment } from '../../../test/scheduler/makers.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { SELECTED_NODE } from '../../volume/annotations.ts';
import { aClaim, aClass, aVolume } from '../../volume/makers.ts';

const inZone = (zone: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
      ],
    },
  },
  csi: { driver: 'driver.test', volumeHandle: `in-${zone}` },
});
const bound = { phase: 'Bound', bc: true, bbc: true } as const;

const R1 = "node(s) didn't match PersistentVolume's node affinity";
const R2 = "node(s) didn't find available persistent volumes to bind";
const R3 = 'node(s) did not have enough free storage';
const R4 = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

const wait = aClass({ name: 'wait', wait: true, provisioner: 'driver.test' });
const byHand = aClass({ name: 'wait', wait: true, provisioner: 'kubernetes.io/no-provisioner' });
const withoutMode = ({ volumeBindingMode: _mode, ...rest }: StorageClass): StorageClass => rest;
const delayed = aClaim({ className: 'wait' });
const limited = [{ name: 'driver.test', nodeID: 'n', topologyKeys: null, allocatable: { count: 2 } }];
const csiVolume = (name: string) => aVolume({ name, spec: { csi: { driver: 'driver.test', volumeHandle: name } } });

const vectors: readonly FitRow[] = [
  {
    name: 'T63 unbound Immediate claim, three nodes -> refused before any node, without a count',
    given: { nodes: threeNodes, claims: [aClaim({ className: 'fast' })], classes: [aClass({ name: 'fast' })] },
    expect: '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  },
  {
    name: 'T63 class that does not exist -> counts as Immediate',
    given: { nodes: threeNodes, claims: [aClaim({ className: 'ghost' })] },
    expect: '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  },
  {
    name: 'T63 delayed claim that names a volume and is not bound -> counts as Immediate',
    given: { nodes: threeNodes, claims: [aClaim({ className: 'wait', volumeName: 'v' })], classes: [wait] },
    expect: '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
  },
  {
    name: 'T64 bound volume in zone a, node in zone b -> R1',
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ spec: inZone('a') })],
    },
    expect: refused(1, R1),
  },
  {
    name: 'T64 up to 1.32 -> R1 in its old words',
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ spec: inZone('a') })],
    },
    version: '1.32',
    expect: refused(1, 'node(s) had volume node affinity conflict'),
  },
  {
    name: 'T64 bound volume in zone a, nodes in both -> the node in zone a',
    given: {
      nodes: [zoned('n1', 'b'), zoned('n2', 'a')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ spec: inZone('a') })],
    },
    expect: ['n2'],
  },
  {
    name: 'T65 bound volume elsewhere and no volume for a delayed claim -> R1 and R2, each counted',
    pod: aWorkload({ claims: ['c', 'd'] }),
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' }), aClaim({ name: 'd', className: 'wait' })],
      volumes: [aVolume({ spec: inZone('a') })],
      classes: [byHand],
    },
    expect: `0/1 nodes are available: 1 ${R2}, 1 ${R1}.`,
  },
  {
    name: 'T66 allowedTopologies of the class in zone a, node in zone b -> R2',
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [delayed],
      classes: [
        {
          ...wait,
          allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['a'] }] }],
        },
      ],
    },
    expect: refused(1, R2),
  },
  {
    name: 'T67 driver publishes capacity and has none published -> R3',
    given: {
      claims: [delayed],
      classes: [wait],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: true })],
    },
    expect: refused(1, R3),
  },
  {
    name: 'T67 driver does not publish capacity -> fits',
    given: {
      claims: [delayed],
      classes: [wait],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: false })],
    },
    expect: ['n1'],
  },
  ...['5Gi', '1Gi'].map((size) => ({
    name: `T68 largest possible volume 1Mi, claim of ${size} -> R3 although the pool has 1Gi`,
    given: {
      claims: [aClaim({ className: 'wait', size })],
      classes: [wait],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: true })],
      capacities: [aCapacity({ storageClassName: 'wait', capacity: '1Gi', maximumVolumeSize: '1Mi' })],
    },
    expect: refused(1, R3),
  })),
  {
    name: 'T68 capacity without topology -> reachable from nowhere',
    given: {
      claims: [delayed],
      classes: [wait],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: true })],
      capacities: [
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'CSIStorageCapacity',
          metadata: { name: 'x', namespace: 'd', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
          storageClassName: 'wait',
          capacity: '1Ti',
        },
      ],
    },
    expect: refused(1, R3),
  },
  {
    name: 'T68 capacity of exactly the request -> enough',
    given: {
      claims: [delayed],
      classes: [wait],
      csiDrivers: [aCsiDriver('driver.test', { storageCapacity: true })],
      capacities: [aCapacity({ storageClassName: 'wait', capacity: '1Gi' })],
    },
    expect: ['n1'],
  },
  {
    name: 'T69 claim Lost -> names claim and volume',
    pod: aWorkload({ claims: ['pvc-a'] }),
    given: { claims: [aClaim({ name: 'pvc-a', phase: 'Lost', volumeName: 'pv-a', bc: true })] },
    expect: '0/1 nodes are available: persistentvolumeclaim "pvc-a" bound to non-existent persistentvolume "pv-a".',
  },
  {
    name: 'T72 ReadWriteOncePod claim used by a pod on another node -> every node refused',
    given: {
      nodes: threeNodes,
      pods: [aWorkload({ name: 'first', claims: ['c'], nodeName: 'n2' })],
      claims: [aClaim({ ...bound, volumeName: 'v', modes: ['ReadWriteOncePod'] })],
      volumes: [aVolume({ modes: ['ReadWriteOncePod'] })],
    },
    expect: refused(
      3,
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    ),
  },
  {
    name: 'T72 ReadWriteOnce claim used by a pod on another node -> fits everywhere',
    given: {
      nodes: threeNodes,
      pods: [aWorkload({ name: 'first', claims: ['c'], nodeName: 'n2' })],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume()],
    },
    expect: ['n1', 'n2', 'n3'],
  },
  {
    name: 'T73 limit of 2, two attachments and no pods -> the attach limit is reached',
    given: {
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [csiVolume('v'), csiVolume('a'), csiVolume('b')],
      csiNodes: [aCsiNode('n1', limited)],
      attachments: [anAttachment('n1', 'a', 'driver.test'), anAttachment('n1', 'b', 'driver.test')],
    },
    expect: refused(1, 'node(s) exceed max volume count'),
  },
  {
    name: 'T73 limit of 2, one attachment -> fits',
    given: {
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [csiVolume('v'), csiVolume('a')],
      csiNodes: [aCsiNode('n1', limited)],
      attachments: [anAttachment('n1', 'a', 'driver.test')],
    },
    expect: ['n1'],
  },
  {
    name: 'T73 attachments do not count up to 1.31 -> fits',
    given: {
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [csiVolume('v'), csiVolume('a'), csiVolume('b')],
      csiNodes: [aCsiNode('n1', limited)],
      attachments: [anAttachment('n1', 'a', 'driver.test'), anAttachment('n1', 'b', 'driver.test')],
    },
    version: '1.31',
    expect: ['n1'],
  },
  {
    name: 'T74 volume labelled zone a, node without zone -> fits',
    given: {
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ labels: { 'topology.kubernetes.io/zone': 'a' } })],
    },
    expect: ['n1'],
  },
  {
    name: 'T74 volume labelled zone a, node in zone b -> no available volume zone',
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ labels: { 'topology.kubernetes.io/zone': 'a' } })],
    },
    expect: refused(1, 'node(s) had no available volume zone'),
  },
  {
    name: 'T74 volume in zones a__b, node in zone b -> fits',
    given: {
      nodes: [zoned('n1', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ labels: { 'failure-domain.beta.kubernetes.io/zone': 'a__b' } })],
    },
    expect: ['n1'],
  },
];

const others: readonly FitRow[] = [
  {
    name: 'claim that does not exist -> its lookup error',
    pod: aWorkload({ claims: ['ghost'] }),
    given: { nodes: threeNodes },
    expect: '0/3 nodes are available: persistentvolumeclaim "ghost" not found.',
  },
  {
    name: 'ephemeral volume without claim -> waits for the ephemeral volume controller',
    pod: aWorkload({ ephemeral: ['scratch'] }),
    given: {},
    expect:
      '0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch".',
  },
  {
    name: 'ephemeral volume whose claim is foreign -> not used',
    pod: aWorkload({ ephemeral: ['scratch'] }),
    given: { claims: [aClaim({ ...bound, name: 'p-scratch', volumeName: 'v' })], volumes: [aVolume()] },
    expect: '0/1 nodes are available: PVC default/p-scratch was not created for pod default/p (pod is not owner).',
  },
  {
    name: 'claim being deleted -> refused',
    given: { claims: [aClaim({ ...bound, volumeName: 'v', deleting: true })], volumes: [aVolume()] },
    expect: '0/1 nodes are available: persistentvolumeclaim "c" is being deleted.',
  },
  {
    name: 'bound claim, volume gone -> told by the zone check, which looks the volume up first of all nodes',
    given: { claims: [aClaim({ ...bound, volumeName: 'v' })] },
    expect: '0/1 nodes are available: persistentvolume "v" not found.',
  },
  {
    name: 'bound claim of an ephemeral volume, volume gone -> R4',
    pod: aWorkload({ ephemeral: ['scratch'] }),
    given: {
      claims: [
        {
          ...aClaim({ ...bound, name: 'p-scratch', volumeName: 'v' }),
          metadata: {
            ...aClaim({ ...bound, name: 'p-scratch' }).metadata,
            ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-of-p', controller: true }],
          },
        },
      ],
    },
    expect: refused(1, R4),
  },
  {
    name: 'delayed claim, selected-node names another node -> only that node is left',
    given: {
      nodes: threeNodes,
      claims: [aClaim({ className: 'wait', annotations: { [SELECTED_NODE]: 'n2' } })],
      classes: [wait],
    },
    expect: ['n2'],
  },
  {
    name: 'delayed claim, selected-node is gone -> stuck with R2 on every node',
    given: {
      nodes: threeNodes,
      claims: [aClaim({ className: 'wait', annotations: { [SELECTED_NODE]: 'gone' } })],
      classes: [wait],
    },
    expect: refused(3, R2),
  },
  {
    name: 'delayed claim without provisioner, local volume on one node -> that node',
    given: {
      nodes: [zoned('n1', 'a'), zoned('n2', 'b')],
      claims: [delayed],
      volumes: [aVolume({ className: 'wait', spec: inZone('b') })],
      classes: [byHand],
    },
    expect: ['n2'],
  },
  {
    name: 'two delayed claims, one volume on the node -> it is not given twice',
    pod: aWorkload({ claims: ['c', 'd'] }),
    given: {
      claims: [delayed, aClaim({ name: 'd', className: 'wait', uid: 'u2' })],
      volumes: [aVolume({ className: 'wait' })],
      classes: [byHand],
    },
    expect: refused(1, R2),
  },
  {
    name: 'volume given by its user to the claim, on another node -> no other volume will do there',
    given: {
      nodes: [zoned('n1', 'a')],
      claims: [delayed],
      volumes: [
        aVolume({ name: 'mine', className: 'wait', claim: 'c', spec: inZone('b') }),
        aVolume({ name: 'free', className: 'wait' }),
      ],
      classes: [byHand],
    },
    expect: refused(1, R2),
  },
  {
    name: 'class without binding mode, which no server stores -> the attempt breaks',
    given: { claims: [delayed], classes: [withoutMode(wait)] },
    expect: 'running PreFilter plugin "VolumeBinding": VolumeBindingMode not set for StorageClass "wait"',
  },
  {
    name: 'class without provisioner and no volume -> R2',
    given: {
      nodes: threeNodes,
      claims: [aClaim({ className: 'wait' })],
      classes: [{ ...wait, provisioner: '' }],
    },
    expect: refused(3, R2),
  },
  {
    name: 'recorded: wrong node selector and a volume elsewhere -> both reasons, sorted as text',
    pod: aWorkload({ claims: ['c'], nodeSelector: { 'kubernetes.io/hostname': 'n2' } }),
    given: {
      nodes: [zoned('n1', 'a'), zoned('n2', 'b'), zoned('n3', 'b')],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [aVolume({ spec: inZone('a') })],
    },
    expect: `0/3 nodes are available: 1 ${R1}, 2 node(s) didn't match Pod's node affinity/selector.`,
  },
  {
    name: 'volume of a pod already there -> not counted against the limit again',
    given: {
      pods: [aWorkload({ name: 'other', claims: ['c'], nodeName: 'n1' })],
      claims: [aClaim({ ...bound, volumeName: 'v' })],
      volumes: [csiVolume('v')],
      csiNodes: [aCsiNode('n1', [{ name: 'driver.test', nodeID: 'n', topologyKeys: null, allocatable: { count: 1 } }])],
    },
    expect: ['n1'],
  },
];

describe('P-SCH-1 volumes decide where a pod may go', () => {
  it.each(vectors)('$name', (row) => {
    expect(outcomeOf(row)).toEqual(row.expect);
  });
});

describe('P-SCH-1 volumes decide where a pod may go, beyond the vectors', () => {
  it.each(others)('$name', (row) => {
    expect(outcomeOf(row)).toEqual(row.expect);
  });
});
