// Which pods nobody else will remove. kubernetes:pkg/controller/podgc/gc_controller.go
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';

/** kubernetes:staging/src/k8s.io/api/core/v1/well_known_taints.go; its effect and value do not matter here. */
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** A pod that is being deleted, and the node it is placed on as far as it is known. */
export interface GoingPod {
  readonly nodeName: string;
  readonly node: Pick<Node, 'spec' | 'status'> | undefined;
}

/** Why nobody will end a pod that is being deleted; undefined if its kubelet may. Tolerations are not looked at. */
export function decideGoing({ nodeName, node }: GoingPod): 'unscheduled' | 'out-of-service' | undefined {
  if (nodeName === '') return 'unscheduled';
  return node !== undefined && isOutOfService(node) && !isReady(node) ? 'out-of-service' : undefined;
}

export function isOutOfService({ spec }: Pick<Node, 'spec'>): boolean {
  return (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}

function isReady({ status }: Pick<Node, 'status'>): boolean {
  return (status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}

/** Whatever is not known to be alive, a pod without a phase included. */
export function hasEnded({ status: { phase = '' } }: Pick<Pod, 'status'>): boolean {
  return phase !== 'Pending' && phase !== 'Running' && phase !== 'Unknown';
}

/** The ended pods that are too many: those that were evicted first, then the oldest. */
export function surplus(ended: readonly Pod[], threshold: number): readonly Pod[] {
  const count = ended.length - threshold;
  return threshold <= 0 || count <= 0 ? [] : inOrder(ended).slice(0, count);
}

export function inOrder(pods: readonly Pod[]): readonly Pod[] {
  return pods.toSorted((a, b) => compare(rankOf(a), rankOf(b)));
}

const rankOf = ({ metadata, status }: Pod): readonly string[] => [
  status.phase === 'Failed' && status.reason === 'Evicted' ? '0' : '1',
  metadata.creationTimestamp,
  metadata.name,
  metadata.namespace ?? '',
];

function compare(a: readonly string[], b: readonly string[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? '';
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
