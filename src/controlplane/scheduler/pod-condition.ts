// The PodScheduled condition and `nominatedNodeName`, written together and only if something changes.
// kubernetes:pkg/scheduler/schedule_one.go#updatePod, pkg/api/v1/pod/util.go#UpdatePodCondition
import type { Patch } from '../../kube/cluster.ts';
import type { Pod, PodCondition } from '../../kube/resources/pod.ts';

export interface StatusChange {
  readonly condition?: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;
  /** Empty takes it away, undefined leaves it. */
  readonly nominatedNodeName?: string;
}

/** Undefined if the pod says all of it already. */
export function statusPatch(pod: Pod, change: StatusChange, now: string): Patch | undefined {
  const condition = change.condition === undefined ? undefined : changedCondition(pod, change.condition, now);
  const nominated = changedNomination(pod, change.nominatedNodeName);
  if (condition === undefined && nominated === undefined) return undefined;
  return {
    type: 'strategic',
    body: {
      status: {
        ...(nominated === undefined ? {} : { nominatedNodeName: nominated === '' ? null : nominated }),
        ...(condition === undefined ? {} : { conditions: [condition] }),
      },
    },
  };
}

function changedCondition(
  pod: Pod,
  wanted: NonNullable<StatusChange['condition']>,
  now: string,
): PodCondition | undefined {
  const before = pod.status.conditions?.find(({ type }) => type === wanted.type);
  const isKept = before?.status === wanted.status;
  if (isKept && (before.reason ?? '') === (wanted.reason ?? '') && (before.message ?? '') === (wanted.message ?? '')) {
    return undefined;
  }
  const { generation } = pod.metadata;
  return {
    ...wanted,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: null,
    lastTransitionTime: isKept ? before.lastTransitionTime : now,
  };
}

function changedNomination(pod: Pod, wanted: string | undefined): string | undefined {
  return wanted === undefined || wanted === (pod.status.nominatedNodeName ?? '') ? undefined : wanted;
}
