// `metrics.k8s.io` for `kubectl top`, from what the nodes that can be reached say of themselves. A node that cannot has no
// figures, and neither have its pods. kubernetes:staging/src/k8s.io/metrics/pkg/apis/metrics/v1beta1/types.go
import type { MadeKind, MadeObject } from '../apiserver/http/served-apis.ts';
import type { ApiServer } from '../apiserver/apiserver.ts';
import { SERVER_ITSELF } from '../apiserver/server-itself.ts';
import { type InstantMs, timestamp } from '../base/clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { ResourceName } from '../kube/object.ts';
import type { ResourceFacts } from '../kube/schema-table.ts';
import type { NodeFigures } from '../kubelet/server/server.ts';
import type { PodUsage, Usage } from '../kubelet/server/usage.ts';

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const API_VERSION = `${GROUP}/${VERSION}`;
/** Figures hold for this long at least. */
const WINDOW = '30s';
const KIBIBYTE = 1024;

const factsOf = (plural: string, kind: string, namespaced: boolean): ResourceFacts => ({
  group: GROUP,
  version: VERSION,
  plural,
  singular: '',
  kind,
  namespaced,
  verbs: ['get', 'list'],
  shortNames: [],
  categories: [],
  subresources: [],
});

export function metricsApi(figures: () => ReadonlyMap<string, NodeFigures>): readonly MadeKind[] {
  return [
    { facts: factsOf('nodes', 'NodeMetrics', false), objects: () => [...figures()].map(nodeMetrics) },
    {
      facts: factsOf('pods', 'PodMetrics', true),
      objects: () =>
        [...figures().values()].flatMap(({ at, pods }) => pods.map((pod) => podMetrics(pod, at))).toSorted(byKey),
    },
  ];
}

/** As a list of stored objects is. */
function byKey({ metadata: left }: MadeObject, { metadata: right }: MadeObject): number {
  const [one, other] = [left, right].map(({ namespace = '', name }) => `${namespace}/${name}`);
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

const usageOf = ({ nanoCores, memoryBytes }: Usage): object => ({
  cpu: nanoCores === 0 ? '0' : `${nanoCores}n`,
  memory: memoryBytes === 0 ? '0' : `${Math.ceil(memoryBytes / KIBIBYTE)}Ki`,
});

interface Figures extends MadeObject {
  readonly timestamp: string;
  readonly window: string;
}

function made(kind: string, metadata: Omit<MadeObject['metadata'], 'creationTimestamp'>, at: InstantMs): Figures {
  const time = timestamp(at);
  return {
    kind,
    apiVersion: API_VERSION,
    metadata: { ...metadata, creationTimestamp: time },
    timestamp: time,
    window: WINDOW,
  };
}

interface NodeMetrics extends Figures {
  readonly usage: object;
}
interface PodMetrics extends Figures {
  readonly containers: readonly { readonly name: string; readonly usage: object }[];
}

const nodeMetrics = ([name, { at, labels, node }]: readonly [string, NodeFigures]): NodeMetrics => ({
  ...made('NodeMetrics', { name, labels }, at),
  usage: usageOf(node),
});

function podMetrics({ pod, containers }: PodUsage, at: InstantMs): PodMetrics {
  const { name, namespace = '', labels } = pod.metadata;
  const metadata = { name, namespace, ...(labels === undefined ? {} : { labels }) };
  const used = containers.map((each) => ({ name: each.name, usage: usageOf(each) }));
  return { ...made('PodMetrics', metadata, at), containers: used };
}

const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', plural: 'apiservices' };
const CLUSTER_ROLES = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };

/** Says that the figures are served here, in place of another server, and lets those see them who see the rest. */
export async function registerMetricsApi(server: ApiServer, now: InstantMs): Promise<void> {
  await ensure(server, CLUSTER_ROLES, readerRole());
  const name = `${VERSION}.${GROUP}`;
  const spec = { group: GROUP, version: VERSION, groupPriorityMinimum: 100, versionPriority: 100 };
  const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
  if (!(await ensure(server, API_SERVICES, service))) return;
  const available = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  const patch = { type: 'merge' as const, body: { status: { conditions: [available] } } };
  await server.request(
    { verb: 'patch', resource: API_SERVICES, key: name, subresource: 'status', patch },
    SERVER_ITSELF,
  );
}

/** kubernetes-sigs/metrics-server:manifests/base/rbac.yaml */
function readerRole(): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'system:aggregated-metrics-reader',
      labels: {
        'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
        'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
        'rbac.authorization.k8s.io/aggregate-to-view': 'true',
      },
    },
    rules: [{ apiGroups: [GROUP], resources: ['nodes', 'pods'], verbs: ['get', 'list', 'watch'] }],
  };
}

/** Whether it was not there. */
async function ensure(server: ApiServer, resource: ResourceName, object: object): Promise<boolean> {
  try {
    await server.request({ verb: 'create', resource, namespace: undefined, object }, SERVER_ITSELF);
    return true;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return false;
    throw error;
  }
}
