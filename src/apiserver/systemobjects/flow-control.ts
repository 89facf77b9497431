// The flows that every cluster begins with. They are only told: requests are bounded elsewhere (`../http`).
// kubernetes:staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go
import type { SystemObject } from './system-object.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const metadataOf = (name: string): SystemObject['metadata'] => ({
  name,
  annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' },
});

type Queuing = readonly [queues: number, handSize: number];

interface Level {
  readonly name: string;
  readonly shares: number;
  readonly lendable: number;
  readonly queuing?: Queuing;
}

const QUEUE_LENGTH = 50;
const LEVELS: readonly Level[] = [
  { name: 'catch-all', shares: 5, lendable: 0 },
  { name: 'global-default', shares: 20, lendable: 50, queuing: [128, 6] },
  { name: 'leader-election', shares: 10, lendable: 0, queuing: [16, 4] },
  { name: 'node-high', shares: 40, lendable: 25, queuing: [64, 6] },
  { name: 'system', shares: 30, lendable: 33, queuing: [64, 6] },
  { name: 'workload-high', shares: 40, lendable: 50, queuing: [128, 6] },
  { name: 'workload-low', shares: 100, lendable: 90, queuing: [128, 6] },
];

function responseOf(queuing: Queuing | undefined): object {
  if (queuing === undefined) return { type: 'Reject' };
  const [queues, handSize] = queuing;
  return { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: QUEUE_LENGTH } };
}

const levelOf = ({ name, shares, lendable, queuing }: Level): SystemObject => ({
  apiVersion,
  kind: 'PriorityLevelConfiguration',
  metadata: metadataOf(name),
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: lendable,
      limitResponse: responseOf(queuing),
    },
  },
});

const EXEMPT: SystemObject = {
  apiVersion,
  kind: 'PriorityLevelConfiguration',
  metadata: metadataOf('exempt'),
  spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
};

interface Flow {
  readonly name: string;
  readonly precedence: number;
  readonly level: string;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly object[];
  readonly resourceRules?: readonly object[];
  readonly nonResourceRules?: readonly object[];
}

const group = (name: string): object => ({ kind: 'Group', group: { name } });
const user = (name: string): object => ({ kind: 'User', user: { name } });
const SYSTEM_ACCOUNTS = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const EVERYONE = [group('system:unauthenticated'), group('system:authenticated')];
const EVERYTHING: Pick<Flow, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const FLOWS: readonly Flow[] = [
  { name: 'exempt', precedence: 1, level: 'exempt', subjects: [group('system:masters')], ...EVERYTHING },
  {
    name: 'probes',
    precedence: 2,
    level: 'exempt',
    subjects: EVERYONE,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  },
  {
    name: 'system-leader-election',
    precedence: 100,
    level: 'leader-election',
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), SYSTEM_ACCOUNTS],
    resourceRules: [
      {
        verbs: ['get', 'create', 'update'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        namespaces: ['*'],
      },
    ],
  },
  {
    name: 'system-node-high',
    precedence: 400,
    level: 'node-high',
    by: 'ByUser',
    subjects: [group('system:nodes')],
    resourceRules: [
      { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
      { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
    ],
  },
  {
    name: 'system-nodes',
    precedence: 500,
    level: 'system',
    by: 'ByUser',
    subjects: [group('system:nodes')],
    ...EVERYTHING,
  },
  ...['kube-controller-manager', 'kube-scheduler'].map((name): Flow => ({
    name,
    precedence: 800,
    level: 'workload-high',
    by: 'ByNamespace',
    subjects: [user(`system:${name}`)],
    ...EVERYTHING,
  })),
  {
    name: 'kube-system-service-accounts',
    precedence: 900,
    level: 'workload-high',
    by: 'ByNamespace',
    subjects: [SYSTEM_ACCOUNTS],
    ...EVERYTHING,
  },
  {
    name: 'service-accounts',
    precedence: 9000,
    level: 'workload-low',
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
    ...EVERYTHING,
  },
  {
    name: 'global-default',
    precedence: 9900,
    level: 'global-default',
    by: 'ByUser',
    subjects: EVERYONE,
    ...EVERYTHING,
  },
  { name: 'catch-all', precedence: 10_000, level: 'catch-all', by: 'ByUser', subjects: EVERYONE, ...EVERYTHING },
];

function flowOf({ name, precedence, level, by, subjects, resourceRules, nonResourceRules }: Flow): SystemObject {
  const rule = {
    subjects,
    ...(resourceRules === undefined ? {} : { resourceRules }),
    ...(nonResourceRules === undefined ? {} : { nonResourceRules }),
  };
  return {
    apiVersion,
    kind: 'FlowSchema',
    metadata: metadataOf(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules: [rule],
    },
  };
}

export const FLOW_CONTROL: readonly SystemObject[] = [EXEMPT, ...LEVELS.map(levelOf), ...FLOWS.map(flowOf)];
