import { describe, expect, test } from 'vitest';
import { aNode } from '../../../test/scheduler/makers.ts';
import { aDaemonSet } from '../../../test/workloads/daemons.ts';
import { daemonTolerations, decideNodeFit } from './node-fit.ts';

const taint = (effect: string, key = 'own') => ({ key, effect });
const RUNS = { shouldRun: true, mayContinue: true };
const STAYS = { shouldRun: false, mayContinue: true };
const GOES = { shouldRun: false, mayContinue: false };
const onlySsd = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
      },
    },
  },
};

describe('P-DS-1 decideNodeFit', () => {
  test.each([
    ['any node                         -> runs', {}, aNode(), RUNS],
    ['another node is named            -> none', { nodeName: 'b' }, aNode(), GOES],
    ['this node is named               -> runs', { nodeName: 'n1' }, aNode(), RUNS],
    ['selector, no such label          -> none', { nodeSelector: { disk: 'ssd' } }, aNode(), GOES],
    [
      'selector, label                  -> runs',
      { nodeSelector: { disk: 'ssd' } },
      aNode({ labels: { disk: 'ssd' } }),
      RUNS,
    ],
    ['affinity, other label            -> none', onlySsd, aNode({ labels: { disk: 'hdd' } }), GOES],
    ['affinity, label                  -> runs', onlySsd, aNode({ labels: { disk: 'ssd' } }), RUNS],
    ['taint NoSchedule                 -> none made, one stays', {}, aNode({ taints: [taint('NoSchedule')] }), STAYS],
    ['taint NoExecute                  -> none, and one goes', {}, aNode({ taints: [taint('NoExecute')] }), GOES],
    ['taint PreferNoSchedule           -> runs', {}, aNode({ taints: [taint('PreferNoSchedule')] }), RUNS],
    [
      'cordoned                         -> runs',
      {},
      aNode({ taints: [taint('NoSchedule', 'node.kubernetes.io/unschedulable')] }),
      RUNS,
    ],
    [
      'unreachable                      -> runs',
      {},
      aNode({ taints: [taint('NoExecute', 'node.kubernetes.io/unreachable')] }),
      RUNS,
    ],
    [
      'taint that the template tolerates -> runs',
      { tolerations: [{ key: 'own', operator: 'Exists' }] },
      aNode({ taints: [taint('NoExecute')] }),
      RUNS,
    ],
  ])('%s', (_situation, pod, node, expected) => {
    expect(decideNodeFit(aDaemonSet({}, pod), node)).toEqual(expected);
  });
});

test('P-DS-1 tolerations of the template stay; its own word on the same taint gives way', () => {
  const own = { key: 'own', operator: 'Exists' };
  const same = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
  const all = daemonTolerations({ containers: [], tolerations: [own, same], hostNetwork: true });
  expect(all[0]).toEqual(own);
  expect(all).not.toContainEqual(same);
  expect(all).toHaveLength(8);
});
