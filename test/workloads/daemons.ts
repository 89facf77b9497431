// DaemonSets and their pods for tests of pure rules. Everything that a test does not name is irrelevant to it.
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus } from '../../src/kube/resources/daemon-set.ts';
import type { Pod } from '../../src/kube/resources/pod.ts';
import type { PodSpec } from '../../src/kube/resources/pod-spec.ts';

const metadata = (name: string) => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

export const aDaemonSet = (
  spec: Partial<DaemonSetSpec> = {},
  pod: Partial<PodSpec> = {},
  status: Partial<DaemonSetStatus> = {},
): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { ...metadata('agent'), namespace: 'default', generation: 1 },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [], ...pod } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    ...spec,
  },
  status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0, ...status },
});

export interface DaemonPodParts {
  readonly hash?: string;
  readonly isReady?: boolean;
  readonly isLeaving?: boolean;
  readonly phase?: string;
  readonly createdAt?: string;
}

export const aDaemonPod = (name: string, node: string, parts: DaemonPodParts = {}): Pod => {
  const { hash = 'new', isReady = true, isLeaving = false, phase = 'Running' } = parts;
  const { createdAt = '2026-01-01T00:00:00Z' } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata(name),
      namespace: 'default',
      creationTimestamp: createdAt,
      labels: { app: 'agent', 'controller-revision-hash': hash },
      ...(isLeaving ? { deletionTimestamp: createdAt } : {}),
    },
    spec: { containers: [], nodeName: node },
    status: {
      phase,
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: createdAt },
      ],
    },
  };
};
