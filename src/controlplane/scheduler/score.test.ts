import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import type { NodeInfo } from './node-info.ts';
import { aNode, aSnapshot, aWorkload } from '../../../test/scheduler/makers.ts';
import { chooseNode, scoreNodes } from './score.ts';

const nodesOf = (...args: Parameters<typeof aSnapshot>): readonly [NodeInfo, ...NodeInfo[]] => {
  const [first, ...others] = aSnapshot(...args).placement.nodes();
  if (first === undefined) throw new Error('a node is needed');
  return [first, ...others];
};
const three = ['n1', 'n2', 'n3'].map((name) => aNode({ name }));

describe('P-SCH-6 chooseNode', () => {
  it('one node carries a pod -> the emptier ones score higher', () => {
    const nodes = nodesOf({ nodes: three, pods: [aWorkload({ name: 'other', nodeName: 'n1' })] });
    const [first = 0, second = 0, third = 0] = scoreNodes(aWorkload(), nodes);
    expect(second).toBe(third);
    expect(first).toBeLessThan(second);
  });

  it('equals -> the seed decides, the same seed alike', () => {
    const chosen = (seed: number) => chooseNode(aWorkload(), nodesOf({ nodes: three }), new SeededRandom(seed)).name;
    const names = Array.from({ length: 40 }, (_, seed) => chosen(seed));
    expect(new Set(names)).toEqual(new Set(['n1', 'n2', 'n3']));
    expect(Array.from({ length: 40 }, (_, seed) => chosen(seed))).toEqual(names);
  });

  it('a taint that only prefers -> that node comes last', () => {
    const nodes = [aNode({ taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }), aNode({ name: 'n2' })];
    expect(chooseNode(aWorkload(), nodesOf({ nodes }), new SeededRandom(1)).name).toBe('n2');
  });

  it('a preferred label -> that node comes first', () => {
    const nodes = [aNode(), aNode({ name: 'n2', labels: { disk: 'ssd' } }), aNode({ name: 'n3' })];
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    const pod = aWorkload({
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    });
    expect(chooseNode(pod, nodesOf({ nodes }), new SeededRandom(1)).name).toBe('n2');
  });

  it('cpu and memory out of balance -> the node that the pod evens out', () => {
    const nodes = [aNode(), aNode({ name: 'n2' })];
    const pods = [
      aWorkload({ name: 'a', nodeName: 'n1', requests: { cpu: '2', memory: '2Gi' } }),
      aWorkload({ name: 'b', nodeName: 'n2', requests: { cpu: '1', memory: '4Gi' } }),
    ];
    const pod = aWorkload({ requests: { cpu: '2', memory: '1Gi' } });
    expect(chooseNode(pod, nodesOf({ nodes, pods }), new SeededRandom(1)).name).toBe('n2');
  });
});
