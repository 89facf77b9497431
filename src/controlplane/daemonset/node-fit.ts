// Whether a node is to have a pod of a set, and whether it may keep one that it has.
// kubernetes:pkg/controller/daemon/daemon_controller.go#NodeShouldRunDaemonPod
import { matchesNodeSelector } from '../../kube/node-selector.ts';
import type { DaemonSet } from '../../kube/resources/daemon-set.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Toleration } from '../../kube/resources/node-selector.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';
import { toleratesTaint, untoleratedTaint } from '../../kube/toleration.ts';

export interface NodeFit {
  readonly shouldRun: boolean;
  /** A pod that is there stays, although none would be made. */
  readonly mayContinue: boolean;
}

const NO_FIT: NodeFit = { shouldRun: false, mayContinue: false };

export function decideNodeFit({ spec }: DaemonSet, node: Node): NodeFit {
  const pod = spec.template.spec;
  if ((pod.nodeName ?? '') !== '' && pod.nodeName !== node.metadata.name) return NO_FIT;
  if (!isSelected(pod, node)) return NO_FIT;
  const tolerations = daemonTolerations(pod);
  if (untoleratedTaint(node.spec.taints, tolerations) === undefined) return { shouldRun: true, mayContinue: true };
  const isDrivenOff = (node.spec.taints ?? []).some(
    (taint) => taint.effect === 'NoExecute' && !toleratesTaint(tolerations, taint),
  );
  return { shouldRun: false, mayContinue: !isDrivenOff };
}

function isSelected({ nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

/** Conditions of a node that daemons put up with, because they may be what mends it. */
const TOLERATED: readonly Toleration[] = [
  ...['not-ready', 'unreachable'].map((name) => exists(name, 'NoExecute')),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => exists(name, 'NoSchedule')),
];
const OF_HOST_NETWORK = exists('network-unavailable', 'NoSchedule');

function exists(name: string, effect: string): Toleration {
  return { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect };
}

/** kubernetes:pkg/controller/daemon/util/daemonset_util.go#AddOrUpdateDaemonPodTolerations */
export function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): readonly Toleration[] {
  const added = hostNetwork === true ? [...TOLERATED, OF_HOST_NETWORK] : TOLERATED;
  const isReplaced = (own: Toleration): boolean =>
    added.some(({ key, operator, effect }) => own.key === key && own.operator === operator && own.effect === effect);
  return [...tolerations.filter((own) => !isReplaced(own)), ...added];
}
