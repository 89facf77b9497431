// What a client finds in a cluster that nobody has touched: the service that leads to the server itself, the priorities of
// what the cluster cannot do without, the flows, and where readers of tokens find the authority.
// kubernetes:pkg/controlplane/controller/{kubernetesservice,defaultservicecidr,clusterauthenticationtrust,legacytokentracking}
import { type Clock, timestamp } from '../../base/clock.ts';
import { type KubeObject, apiVersionOf, keyFrom } from '../../kube/object.ts';
import { applyMergePatch } from '../../kube/patch/merge-patch.ts';
import type { ApiServer } from '../apiserver.ts';
import { type ExpectedObject, type ExpectedStep, createMissing } from '../expected-objects.ts';
import { isStoredObject } from '../objectstore/unparsed-object.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import { FLOW_CONTROL } from './flow-control.ts';
import type { SystemObject } from './system-object.ts';

/** The range that upstream takes when none is given, and its first address. */
const SERVICE_RANGE = '10.0.0.0/24';
const SERVICE_ADDRESS = '10.0.0.1';

export interface ServerPlace {
  readonly clock: Clock;
  /** Where the server listens, on loopback. */
  readonly port: number;
  /** PEM. */
  readonly authority: string;
}

export function systemObjects({ clock, port, authority }: ServerPlace): readonly SystemObject[] {
  return [
    ...PRIORITIES,
    ...FLOW_CONTROL,
    ...serviceOf(port),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
      data: { 'client-ca-file': authority },
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since: timestamp(clock.now()).slice(0, 'yyyy-mm-dd'.length) },
    },
  ];
}

const priority = (name: string, value: number, description: string): SystemObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
  preemptionPolicy: 'PreemptLowerPriority',
});

const PRIORITIES: readonly SystemObject[] = [
  priority('system-node-critical', 2_000_001_000, 'For pods that a node cannot do without: they stay where they are.'),
  priority(
    'system-cluster-critical',
    2_000_000_000,
    'For pods that the cluster cannot do without: they run, on whichever node.',
  ),
];

/** Its endpoints stay unsaid: an address on loopback is none that pods of other machines could use, and would be refused. */
const SERVICE = { name: 'kubernetes', namespace: 'default' };

const serviceOf = (port: number): readonly SystemObject[] => [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [SERVICE_RANGE] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: SERVICE_ADDRESS,
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef: { resource: 'services', ...SERVICE } },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...SERVICE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: SERVICE_ADDRESS,
      clusterIPs: [SERVICE_ADDRESS],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    },
  },
];

/** Told anew at every start: the port may be another one. */
const FOLLOWS_THE_SERVER: ReadonlySet<string> = new Set(['Service']);

/** Makes what is missing, and corrects what says where the server is. Anything else belongs to whoever changed it. */
export function ensureSystemObjects(server: ApiServer, place: ServerPlace): Promise<void> {
  const resources = new Map(
    server.resources.map((resource) => [kindKey(apiVersionOf(resource), resource.kind), resource]),
  );
  const expected = systemObjects(place).flatMap((object): ExpectedObject[] => {
    const resource = resources.get(kindKey(object.apiVersion, object.kind));
    const key = keyFrom(object.metadata.namespace, object.metadata.name);
    return resource === undefined || !isStoredObject(object) ? [] : [{ resource, key, object }];
  });
  return server.ensure(expected, decideSystemObject);
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

function decideSystemObject(expected: KubeObject, existing: KubeObject | undefined): ExpectedStep {
  if (existing === undefined || !FOLLOWS_THE_SERVER.has(expected.kind)) return createMissing(expected, existing);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...body } = expected;
  const object = applyMergePatch({ ...existing }, body);
  return sameValue(object, existing) || !isStoredObject(object) ? { type: 'none' } : { type: 'update', object };
}
