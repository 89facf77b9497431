// Workloads for tests of pure rules. Everything that a test does not name is irrelevant to it.
import type { ObjectMeta, OwnerReference } from '../../src/kube/object.ts';
import type { ControllerRevision } from '../../src/kube/resources/controller-revision.ts';
import type { Deployment, DeploymentSpec, DeploymentStatus } from '../../src/kube/resources/deployment.ts';
import type { PersistentVolumeClaim } from '../../src/kube/resources/persistent-volume-claim.ts';
import type { Pod, PodStatus } from '../../src/kube/resources/pod.ts';
import type { PodSpec } from '../../src/kube/resources/pod-spec.ts';
import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '../../src/kube/resources/replica-set.ts';
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from '../../src/kube/resources/stateful-set.ts';

export const NOW = Date.UTC(2026, 0, 1);
/** A stored time so many seconds before `NOW`. */
export const ago = (seconds: number): string => `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;

const metadata = (name: string, parts: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name,
  namespace: 'default',
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: ago(3600),
  ...parts,
});

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'pause', resources: {} }] },
};
const selector = { matchLabels: { app: 'web' } };

export function aStatefulSet(
  spec: Partial<StatefulSetSpec> = {},
  status: Partial<StatefulSetStatus> = {},
  meta: Partial<ObjectMeta> = {},
): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadata('web', { generation: 1, ...meta }),
    spec: {
      serviceName: 'web',
      replicas: 3,
      selector,
      template,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0, availableReplicas: 0, ...status },
  };
}

/** A claim template of a set. */
export const aClaimTemplate = (name: string) => ({
  metadata: metadata(name),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  status: {},
});

export const aClaimOwnedBy = (name: string, ...ownerReferences: readonly OwnerReference[]): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: metadata(name, ownerReferences.length === 0 ? {} : { ownerReferences }),
  spec: { resources: {} },
  status: {},
});

export interface PodParts {
  readonly phase?: string;
  /** Seconds since the pod became ready; undefined if it is not. */
  readonly readyFor?: number | undefined;
  readonly deleting?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly uid?: string;
  readonly createdAgo?: number;
  readonly owner?: OwnerReference;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Partial<PodStatus>;
}

/** Running and ready for a minute, unless said otherwise; `readyFor: undefined` is not ready. */
export function aMember(name: string, parts: PodParts = {}): Pod {
  const {
    phase = 'Running',
    deleting = false,
    labels,
    annotations,
    owner,
    createdAgo = 3600,
    uid = `uid-of-${name}`,
  } = parts;
  const readyFor = 'readyFor' in parts ? parts.readyFor : 60;
  const conditions = [
    { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: ago(readyFor ?? 0) },
  ].filter(() => readyFor !== undefined);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(name, {
      uid,
      creationTimestamp: ago(createdAgo),
      labels: { app: 'web', ...labels },
      ...(annotations === undefined ? {} : { annotations }),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      ...(deleting ? { deletionTimestamp: ago(10), deletionGracePeriodSeconds: 30 } : {}),
    }),
    spec: { containers: [], nodeName: 'n1', ...parts.spec },
    status: { phase, conditions, ...parts.status },
  };
}

export const aRevision = (name: string, revision: number, data: unknown, createdAgo = 3600): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: metadata(name, { creationTimestamp: ago(createdAgo) }),
  data,
  revision,
});

export function aReplicaSet(
  name: string,
  spec: Partial<ReplicaSetSpec> = {},
  status: Partial<ReplicaSetStatus> = {},
  meta: Partial<ObjectMeta> = {},
): ReplicaSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: metadata(name, { generation: 1, ...meta }),
    spec: { replicas: 1, selector, template, ...spec },
    status: { replicas: 0, observedGeneration: 1, ...status },
  };
}

export function aDeployment(
  spec: Partial<DeploymentSpec> = {},
  status: Partial<DeploymentStatus> = {},
  meta: Partial<ObjectMeta> = {},
): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('web', { generation: 1, ...meta }),
    spec: {
      replicas: 10,
      selector,
      template,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      progressDeadlineSeconds: 600,
      ...spec,
    },
    status,
  };
}
