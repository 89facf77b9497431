import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { findNodesThatFit } from './find-nodes.ts';
import { type SnapshotParts, aNode, aSnapshot, aWorkload } from '../../../test/scheduler/makers.ts';
import { Nominator } from './nominations.ts';
import { defaultPlugins } from './plugins.ts';
import { decidePreemption } from './preemption.ts';
import { profileOf } from './profile.ts';

function preempt(pod: Pod, parts: SnapshotParts, isSpared: (pod: Pod) => boolean = () => false) {
  const plugins = defaultPlugins(profileOf('1.36'), new SeededRandom('test'));
  const cluster = aSnapshot(parts);
  const result = findNodesThatFit({ pod, plugins, cluster, nominations: new Nominator() });
  if (result.type !== 'unfit') throw new Error(`expected no fit, got ${result.type}`);
  const preemption = decidePreemption({ pod, plugins, cluster, diagnosis: result.diagnosis, isSpared });
  if (preemption.type === 'unhelpful') return preemption.message;
  const { node, victims } = preemption.candidate;
  return { node, victims: victims.map(({ metadata }) => metadata.name) };
}

const running = (name: string, node: string, cpu: string, priority: number) =>
  aWorkload({ name, nodeName: node, requests: { cpu }, priority });
const large = aWorkload({ requests: { cpu: '3' }, priority: 10 });

describe('decidePreemption', () => {
  it('no node could ever take the pod -> not helpful', () => {
    const pod = aWorkload({ nodeSelector: { nowhere: 'x' }, priority: 10 });
    expect(preempt(pod, { nodes: [aNode(), aNode({ name: 'n2' })] })).toBe(
      '0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
  });

  it('only pods of the same priority -> no victims', () => {
    expect(preempt(large, { pods: [running('a', 'n1', '2', 10)] })).toBe(
      '0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });

  it('preemptionPolicy Never -> not eligible', () => {
    const pod = aWorkload({ requests: { cpu: '3' }, priority: 10, preemptionPolicy: 'Never' });
    expect(preempt(pod, { pods: [running('a', 'n1', '2', 0)] })).toBe('not eligible due to preemptionPolicy=Never.');
  });

  it('victims of lower priority -> as few as possible, the least important', () => {
    const pods = [running('a', 'n1', '1', 5), running('b', 'n1', '1', 1), running('c', 'n1', '1', 3)];
    expect(preempt(large, { pods })).toEqual({ node: 'n1', victims: ['c', 'b'] });
  });

  it('two nodes -> the one whose worst loss is smaller', () => {
    const nodes = [aNode(), aNode({ name: 'n2' })];
    const pods = [running('a', 'n1', '2', 5), running('b', 'n2', '2', 1)];
    expect(preempt(large, { nodes, pods })).toEqual({ node: 'n2', victims: ['b'] });
  });

  it('the holder of a ReadWriteOncePod claim matters less -> it goes, on its own node only', () => {
    const nodes = [aNode(), aNode({ name: 'n2' })];
    const claims = [aClaim({ phase: 'Bound', bc: true, volumeName: 'v', modes: ['ReadWriteOncePod'] })];
    const pods = [aWorkload({ name: 'holder', claims: ['c'], nodeName: 'n2', priority: 1 })];
    const pod = aWorkload({ claims: ['c'], priority: 10 });
    expect(preempt(pod, { nodes, claims, pods, volumes: [aVolume()] })).toEqual({ node: 'n2', victims: ['holder'] });
  });

  it('a pod whose binding is under way -> is spared', () => {
    const spared = preempt(large, { pods: [running('a', 'n1', '2', 0)] }, () => true);
    expect(spared).toBe('0/1 nodes are available: 1 No preemption victims found for incoming pod.');
  });

  it('an earlier victim is still leaving the nominated node -> waits for it', () => {
    const leaving = running('a', 'n1', '2', 0);
    const pod: Pod = { ...large, status: { phase: 'Pending', nominatedNodeName: 'n1' } };
    const conditions = [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        lastProbeTime: null,
        lastTransitionTime: null,
      },
    ];
    const victim: Pod = {
      ...leaving,
      metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { ...leaving.status, conditions },
    };
    expect(preempt(pod, { pods: [victim] })).toBe('not eligible due to a terminating pod on the nominated node.');
  });
});
