import { describe, expect, it } from 'vitest';
import { type FitRow, outcomeOf, refused, threeNodes, zoned } from '../../../test/scheduler/attempt.ts';
import { aCsiNode, aNode, aSnapshot, aWorkload } from '../../../test/scheduler/makers.ts';
import { SeededRandom } from '../../base/random.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { findNodesThatFit } from './find-nodes.ts';
import { Nominator } from './nominations.ts';
import { defaultPlugins } from './plugins.ts';
import { profileOf } from './profile.ts';

const rows: readonly FitRow[] = [
  {
    name: 'taint not tolerated -> 1.35 and later do not name it',
    pod: aWorkload(),
    given: { nodes: [aNode({ taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })] },
    expect: refused(1, 'node(s) had untolerated taint(s)'),
  },
  {
    name: 'taint not tolerated -> up to 1.34 it is named',
    pod: aWorkload(),
    given: { nodes: [aNode({ taints: [{ key: 'gpu', value: 'yes', effect: 'NoExecute' }] })] },
    version: '1.34',
    expect: refused(1, 'node(s) had untolerated taint {gpu: yes}'),
  },
  {
    name: 'taint tolerated by key alone -> fits',
    pod: aWorkload({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
    given: { nodes: [aNode({ taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })] },
    expect: ['n1'],
  },
  {
    name: 'taint that only prefers -> fits',
    pod: aWorkload(),
    given: { nodes: [aNode({ taints: [{ key: 'gpu', effect: 'PreferNoSchedule' }] })] },
    expect: ['n1'],
  },
  {
    name: 'cordoned node -> unschedulable',
    pod: aWorkload(),
    given: { nodes: [aNode({ unschedulable: true })] },
    expect: refused(1, 'node(s) were unschedulable'),
  },
  {
    name: 'more cpu and memory than is left -> both are said',
    pod: aWorkload({ requests: { cpu: '3', memory: '6Gi' } }),
    given: { pods: [aWorkload({ name: 'other', nodeName: 'n1', requests: { cpu: '2', memory: '4Gi' } })] },
    expect: '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.',
  },
  {
    name: 'an extended resource that no node has -> insufficient',
    pod: aWorkload({ requests: { 'example.com/gpu': '1' } }),
    given: {},
    expect: refused(1, 'Insufficient example.com/gpu'),
  },
  {
    name: 'largest init container decides over the sum of containers',
    pod: aWorkload({
      initContainers: [{ name: 'init', image: 'x', resources: { requests: { cpu: '5' } } }],
      requests: { cpu: '1' },
    }),
    given: {},
    expect: refused(1, 'Insufficient cpu'),
  },
  {
    name: 'no place for another pod -> too many pods',
    pod: aWorkload(),
    given: {
      nodes: [aNode({ allocatable: { pods: '1' } })],
      pods: [aWorkload({ name: 'other', nodeName: 'n1' })],
    },
    expect: refused(1, 'Too many pods'),
  },
  {
    name: 'host port taken -> no free ports',
    pod: aWorkload({
      containers: [{ name: 'm', image: 'x', resources: {}, ports: [{ containerPort: 80, hostPort: 80 }] }],
    }),
    given: {
      pods: [
        aWorkload({
          name: 'other',
          nodeName: 'n1',
          containers: [
            { name: 'm', image: 'x', resources: {}, ports: [{ containerPort: 1, hostPort: 80, hostIP: '10.0.0.1' }] },
          ],
        }),
      ],
    },
    expect: refused(1, "node(s) didn't have free ports for the requested pod ports"),
  },
  {
    name: 'same EBS disk on the node, both only reading -> still a conflict',
    pod: aWorkload({ volumes: [{ name: 'd', awsElasticBlockStore: { volumeID: 'vol-1', readOnly: true } }] }),
    given: {
      pods: [
        aWorkload({
          name: 'other',
          nodeName: 'n1',
          volumes: [{ name: 'd', awsElasticBlockStore: { volumeID: 'vol-1', readOnly: true } }],
        }),
      ],
    },
    expect: refused(1, 'node(s) had no available disk'),
  },
  {
    name: 'same GCE disk on the node, both only reading -> fits',
    pod: aWorkload({ volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'pd', readOnly: true } }] }),
    given: {
      pods: [
        aWorkload({
          name: 'other',
          nodeName: 'n1',
          volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'pd', readOnly: true } }],
        }),
      ],
    },
    expect: ['n1'],
  },
  {
    name: 'pinned to nodes by name that do not exist -> the others are not looked at',
    pod: aWorkload({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }],
          },
        },
      },
    }),
    given: { nodes: threeNodes },
    expect: refused(3, "node(s) didn't satisfy plugin(s) [NodeAffinity]"),
  },
  {
    name: 'anti-affinity by host with a pod on the node -> refused',
    pod: aWorkload({
      labels: { app: 'db' },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    }),
    given: {
      nodes: [aNode(), aNode({ name: 'n2' })],
      pods: [aWorkload({ name: 'other', labels: { app: 'db' }, nodeName: 'n1' })],
    },
    expect: ['n2'],
  },
  {
    name: 'a pod on the node wants no company like this -> refused',
    pod: aWorkload({ labels: { app: 'db' } }),
    given: {
      pods: [
        aWorkload({
          name: 'other',
          nodeName: 'n1',
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
              ],
            },
          },
        }),
      ],
    },
    expect: refused(1, "node(s) didn't satisfy existing pods anti-affinity rules"),
  },
  {
    name: 'affinity to pods that are nowhere, and not to itself -> refused',
    pod: aWorkload({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    }),
    given: {},
    expect: refused(1, "node(s) didn't match pod affinity rules"),
  },
  {
    name: 'affinity to its own kind, the first of it -> fits',
    pod: aWorkload({
      labels: { app: 'db' },
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    }),
    given: {},
    expect: ['n1'],
  },
  {
    name: 'spread over zones with skew 1, one zone ahead -> the other zone',
    pod: aWorkload({
      labels: { app: 'db' },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'db' } },
        },
      ],
    }),
    given: {
      nodes: [zoned('n1', 'a'), zoned('n2', 'b'), aNode({ name: 'n3' })],
      pods: [aWorkload({ name: 'other', labels: { app: 'db' }, nodeName: 'n1' })],
    },
    expect: ['n2'],
  },
  { name: 'no nodes at all -> said apart', pod: aWorkload(), given: { nodes: [] }, expect: 'no-nodes' },
];

describe('what nodes and other pods allow', () => {
  it.each(rows)('$name', (row) => {
    expect(outcomeOf(row)).toEqual(row.expect);
  });
});

describe('nominated pods', () => {
  it('room nominated to a pod that matters as much -> is not taken', () => {
    const nominator = new Nominator();
    nominator.set(aWorkload({ name: 'expected', requests: { cpu: '4' }, priority: 5 }), 'n1');
    const question = { plugins: defaultPlugins(profileOf('1.36'), new SeededRandom(1)), cluster: aSnapshot() };
    const ask = (priority: number) =>
      findNodesThatFit({ ...question, nominations: nominator, pod: aWorkload({ requests: { cpu: '1' }, priority }) });
    expect(ask(5).type).toBe('unfit');
    expect(ask(6).type).toBe('fits');
  });
});

describe('P-SCH-5 cost of one attempt', () => {
  it('room on every node, attach limits included -> no pod of any node is looked at', () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const driver = { name: 'driver.test', nodeID: 'n', topologyKeys: null, allocatable: { count: 100 } };
    const cluster = aSnapshot({
      nodes: names.map((name) => aNode({ name })),
      pods: names.map((name) => aWorkload({ name: `on-${name}`, nodeName: name, claims: ['c'] })),
      csiNodes: names.map((name) => aCsiNode(name, [driver])),
      claims: [aClaim({ phase: 'Bound', bc: true, volumeName: 'v' })],
      volumes: [aVolume({ spec: { csi: { driver: 'driver.test', volumeHandle: 'h' } } })],
    });
    const walked = (): never => {
      throw new Error('the pods of a node were walked');
    };
    for (const { pods } of cluster.placement.nodes()) {
      Object.assign(pods, { values: walked, entries: walked, forEach: walked, [Symbol.iterator]: walked });
    }
    const plugins = defaultPlugins(profileOf('1.36'), new SeededRandom(1));
    const pod = aWorkload({ claims: ['c'], requests: { cpu: '1' } });
    const result = findNodesThatFit({ pod, plugins, cluster, nominations: new Nominator() });
    expect(result.type === 'fits' && result.nodes.length).toBe(50);
  });
});
