// The workloads of the recorded outages, as objects to make.
import type { Draft } from '../../../src/kube/cluster.ts';
import type { KubeObject, Resource } from '../../../src/kube/object.ts';
import { type Deployment, Deployments } from '../../../src/kube/resources/deployment.ts';
import { PersistentVolumeClaims } from '../../../src/kube/resources/persistent-volume-claim.ts';
import { type StatefulSet, StatefulSets } from '../../../src/kube/resources/stateful-set.ts';
import type { Recording } from './recording.ts';

export const DRIVER = 'mock.csi.example.com';
export const CLASS = 'delayed';

export interface Manifest {
  readonly resource: Resource<KubeObject>;
  readonly draft: Draft<KubeObject>;
}

const DEFAULT_TOLERATION_S = 300;

/** How long a workload tolerated its lost node, unless somebody acted before; undefined: as every pod does. */
function tolerationOf({ actions, node, workloads }: Recording): number | undefined {
  const tainted = node['taintUnreachableNoExecute'];
  const pods = Object.values(workloads).flatMap((workload) => workload.pods);
  const deleted = pods.find(({ role }) => role === 'old')?.milestones['deletionTimestamp'];
  if (tainted === undefined || deleted === undefined) return undefined;
  if (actions.some(({ t }) => t > tainted && t < deleted)) return undefined;
  const seconds = Math.round(deleted - tainted);
  return seconds === DEFAULT_TOLERATION_S ? undefined : seconds;
}

const CLAIM_SPEC = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: CLASS,
  resources: { requests: { storage: '1Gi' } },
};

/** One replica each, with one claim of a class that waits for its first consumer. */
export function manifestsOf(recording: Recording): readonly Manifest[] {
  return Object.entries(recording.workloads).flatMap(([name, { pods }]): readonly Manifest[] => {
    const isStateful = pods[0]?.name === `${name}-0`;
    const metadata = { name, namespace: 'default' };
    const selector = { matchLabels: { app: name } };
    const template = {
      metadata: { labels: { app: name } },
      spec: podSpec(recording, isStateful ? undefined : `data-${name}`),
    };
    const common = { apiVersion: 'apps/v1', metadata } as const;
    if (!isStateful) {
      const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' } as const;
      const claimed = { ...claim, metadata: { name: `data-${name}`, namespace: 'default' }, spec: CLAIM_SPEC };
      const spec = { replicas: 1, selector, template };
      return [
        { resource: PersistentVolumeClaims, draft: claimed },
        { resource: Deployments, draft: { ...common, kind: 'Deployment', spec } as Draft<Deployment> },
      ];
    }
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: CLAIM_SPEC }];
    const spec = { replicas: 1, serviceName: name, selector, template, volumeClaimTemplates };
    return [{ resource: StatefulSets, draft: { ...common, kind: 'StatefulSet', spec } as Draft<StatefulSet> }];
  });
}

function podSpec(recording: Recording, claimName: string | undefined): object {
  const { failingNode } = recording;
  const hostname = 'kubernetes.io/hostname';
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: hostname, operator: 'In', values: [failingNode, 'b1', 'b2', 'b3'] }] },
      ],
    },
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 100, preference: { matchExpressions: [{ key: hostname, operator: 'In', values: [failingNode] }] } },
    ],
  };
  const tolerationSeconds = tolerationOf(recording);
  const tolerations = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
  return {
    affinity: { nodeAffinity },
    ...(tolerationSeconds === undefined ? {} : { tolerations }),
    containers: [{ name: 'c', image: 'img', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    ...(claimName === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] }),
  };
}
