import { describe, expect, it } from 'vitest';
import { keyOf } from '../../kube/object.ts';
import { aClaim, aClass, aVolume } from '../../volume/makers.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { aCapacity, aCsiDriver, aCsiNode, aNode, aWorkload } from '../../../test/scheduler/makers.ts';
import type { PluginName } from './plugin.ts';
import { isWorthRetrying } from './queueing-hints.ts';

const waiting = aWorkload({ name: 'waiting', claims: ['c'], requests: { cpu: '2' }, nodeSelector: { disk: 'ssd' } });
const limit = (count: number) =>
  aCsiNode('n1', [{ name: 'd', nodeID: 'n', topologyKeys: null, allocatable: { count } }]);
const capacity = (size: string) => aCapacity({ storageClassName: 'wait', capacity: size });
const inZone = (zone: string) => [{ matchLabelExpressions: [{ key: 'zone', values: [zone] }] }];
const holder = aWorkload({ name: 'holder', claims: ['c'], nodeName: 'n1' });
const stranger = aWorkload({ name: 'stranger', claims: ['x'], nodeName: 'n1' });

type Row = readonly [situation: string, plugin: PluginName, event: ClusterEvent, worth: boolean];
const rows: readonly Row[] = [
  ['own claim appears', 'VolumeBinding', { type: 'claim-added', claim: aClaim() }, true],
  ['own claim changes', 'VolumeBinding', { type: 'claim-updated', claim: aClaim() }, true],
  ['foreign claim changes', 'VolumeBinding', { type: 'claim-updated', claim: aClaim({ name: 'x' }) }, false],
  ['any volume changes', 'VolumeClaims', { type: 'volume-updated', before: aVolume(), volume: aVolume() }, false],
  [
    'the volume of the own claim changes',
    'VolumeClaims',
    { type: 'volume-updated', before: aVolume(), volume: aVolume({ claim: 'c/u', phase: 'Released' }) },
    true,
  ],
  [
    'the volume of a foreign claim appears',
    'VolumeClaims',
    { type: 'volume-added', volume: aVolume({ claim: 'x/u' }) },
    false,
  ],
  ['own claim changes', 'VolumeClaims', { type: 'claim-updated', claim: aClaim() }, true],
  ['foreign claim changes', 'VolumeClaims', { type: 'claim-updated', claim: aClaim({ name: 'x' }) }, false],
  ['class appears', 'VolumeClaims', { type: 'class-added', storageClass: aClass() }, true],
  ['node appears, so that the count is another', 'VolumeClaims', { type: 'node-added', node: aNode() }, true],
  ['any volume changes', 'VolumeBinding', { type: 'volume-updated', before: aVolume(), volume: aVolume() }, true],
  ['class appears', 'VolumeBinding', { type: 'class-added', storageClass: aClass() }, true],
  [
    'class changes otherwise',
    'VolumeBinding',
    { type: 'class-updated', before: aClass(), storageClass: aClass() },
    false,
  ],
  [
    'class allows other topologies',
    'VolumeBinding',
    {
      type: 'class-updated',
      before: { ...aClass(), allowedTopologies: inZone('a') },
      storageClass: { ...aClass(), allowedTopologies: inZone('b') },
    },
    true,
  ],
  [
    'node changes its labels',
    'VolumeBinding',
    { type: 'node-updated', before: aNode(), node: aNode({ labels: { a: 'b' } }) },
    true,
  ],
  [
    'node changes its room',
    'VolumeBinding',
    { type: 'node-updated', before: aNode(), node: aNode({ allocatable: { cpu: '9' } }) },
    false,
  ],
  [
    'capacity grows',
    'VolumeBinding',
    { type: 'capacity-updated', before: capacity('1Gi'), capacity: capacity('2Gi') },
    true,
  ],
  [
    'capacity shrinks',
    'VolumeBinding',
    { type: 'capacity-updated', before: capacity('2Gi'), capacity: capacity('1Gi') },
    false,
  ],
  [
    'capacity is no longer watched, claims only',
    'VolumeBinding',
    { type: 'csidriver-updated', before: aCsiDriver('d', { storageCapacity: true }), csiDriver: aCsiDriver('d') },
    false,
  ],
  ['pod with the same claim is gone', 'VolumeRestrictions', { type: 'pod-deleted', pod: holder }, true],
  ['pod with another claim is gone', 'VolumeRestrictions', { type: 'pod-deleted', pod: stranger }, false],
  ['pod with some claim is gone', 'NodeVolumeLimits', { type: 'pod-deleted', pod: stranger }, true],
  ['pod without claims is gone', 'NodeVolumeLimits', { type: 'pod-deleted', pod: aWorkload({ name: 'x' }) }, false],
  ['attachment is gone', 'NodeVolumeLimits', { type: 'attachment-deleted' }, true],
  ['limit raised', 'NodeVolumeLimits', { type: 'csinode-updated', before: limit(1), csiNode: limit(2) }, true],
  ['limit lowered', 'NodeVolumeLimits', { type: 'csinode-updated', before: limit(2), csiNode: limit(1) }, false],
  [
    'node gets the wanted label',
    'NodeAffinity',
    { type: 'node-updated', before: aNode(), node: aNode({ labels: { disk: 'ssd' } }) },
    true,
  ],
  [
    'node gets another label',
    'NodeAffinity',
    { type: 'node-updated', before: aNode(), node: aNode({ labels: { disk: 'hdd' } }) },
    false,
  ],
  ['node that does not match appears', 'NodeAffinity', { type: 'node-added', node: aNode() }, false],
  [
    'cordon lifted',
    'NodeUnschedulable',
    { type: 'node-updated', before: aNode({ unschedulable: true }), node: aNode() },
    true,
  ],
  [
    'taint taken away',
    'TaintToleration',
    { type: 'node-updated', before: aNode({ taints: [{ key: 'k', effect: 'NoSchedule' }] }), node: aNode() },
    true,
  ],
  [
    'taint given to a node, which cannot help',
    'NodeResourcesFit',
    { type: 'node-updated', before: aNode(), node: aNode({ taints: [{ key: 'k', effect: 'NoSchedule' }] }) },
    true,
  ],
  [
    'cordon lifted, which cannot help',
    'VolumeBinding',
    { type: 'node-updated', before: aNode({ unschedulable: true }), node: aNode() },
    true,
  ],
  [
    'taint given to a node',
    'TaintToleration',
    { type: 'node-updated', before: aNode(), node: aNode({ taints: [{ key: 'k', effect: 'NoSchedule' }] }) },
    false,
  ],
  [
    'node too small appears',
    'NodeResourcesFit',
    { type: 'node-added', node: aNode({ allocatable: { cpu: '1' } }) },
    false,
  ],
  ['node large enough appears', 'NodeResourcesFit', { type: 'node-added', node: aNode() }, true],
  [
    'node grows',
    'NodeResourcesFit',
    { type: 'node-updated', before: aNode(), node: aNode({ allocatable: { cpu: '8' } }) },
    true,
  ],
  [
    'a pod shrinks',
    'NodeResourcesFit',
    { type: 'pod-updated', before: aWorkload({ requests: { cpu: '2' } }), pod: aWorkload({ requests: { cpu: '1' } }) },
    true,
  ],
  [
    'zone label of a volume changes',
    'VolumeZone',
    { type: 'volume-updated', before: aVolume(), volume: aVolume({ labels: { 'topology.kubernetes.io/zone': 'b' } }) },
    true,
  ],
  [
    'volume changes otherwise',
    'VolumeZone',
    { type: 'volume-updated', before: aVolume(), volume: aVolume({ phase: 'Bound' }) },
    false,
  ],
  ['class that waits appears', 'VolumeZone', { type: 'class-added', storageClass: aClass({ wait: true }) }, true],
  ['class that does not wait appears', 'VolumeZone', { type: 'class-added', storageClass: aClass() }, false],
];

describe('P-SCH-4 isWorthRetrying', () => {
  it.each(rows)('%s, refused by %s', (_, plugin, event, worth) => {
    expect(isWorthRetrying(waiting, new Set([plugin]), event, { namespaceNamed: () => undefined })).toBe(worth);
  });

  it('capacity is no longer watched, an inline volume of that driver -> worth it', () => {
    const inline = { name: 'in', csi: { driver: 'd' } };
    const pod = { ...waiting, spec: { ...waiting.spec, volumes: [inline] } };
    const ask = (csiDriver: ReturnType<typeof aCsiDriver>) => {
      const event = {
        type: 'csidriver-updated',
        before: aCsiDriver('d', { storageCapacity: true }),
        csiDriver,
      } as const;
      return isWorthRetrying(pod, new Set<PluginName>(['VolumeBinding']), event, { namespaceNamed: () => undefined });
    };
    expect(ask(aCsiDriver('d'))).toBe(true);
    expect(ask(aCsiDriver('d', { storageCapacity: true }))).toBe(false);
    expect(ask(aCsiDriver('other'))).toBe(false);
  });

  it('company: a wanted pod comes, an unwanted one goes -> worth it', () => {
    const term = { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'zone' };
    const company = aWorkload({ name: 'db', labels: { app: 'db' }, nodeName: 'n1' });
    const context = { namespaceNamed: () => undefined };
    const ask = (pod: ReturnType<typeof aWorkload>, event: ClusterEvent) =>
      isWorthRetrying(pod, new Set<PluginName>(['InterPodAffinity']), event, context);
    const seeking = aWorkload({
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    });
    const avoiding = aWorkload({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    });
    expect(keyOf(company)).toBe('default/db');
    expect(ask(seeking, { type: 'pod-added', pod: company })).toBe(true);
    expect(ask(seeking, { type: 'pod-added', pod: stranger })).toBe(false);
    expect(ask(avoiding, { type: 'pod-deleted', pod: company })).toBe(true);
    expect(ask(avoiding, { type: 'pod-deleted', pod: stranger })).toBe(false);
  });
});
