// Removes a pod at once. It is Failed first, for nobody on its node will ever say what became of it.
// kubernetes:pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf } from '../../kube/object.ts';
import { type Pod, type PodCondition, Pods } from '../../kube/resources/pod.ts';
import type { Profile } from './profile.ts';

export interface ForceDelete {
  readonly pod: Pod;
  readonly cluster: Cluster;
  readonly profile: Profile;
  /** Its node is gone: the pod is told. */
  readonly isOrphan: boolean;
  readonly now: string;
}

export async function forceDelete(options: ForceDelete): Promise<void> {
  const { pod, cluster, profile } = options;
  const { phase } = pod.status;
  if (profile.marksFailed && phase !== 'Succeeded' && phase !== 'Failed') {
    const body = { metadata: { uid: pod.metadata.uid }, status: failedStatus(options) };
    await cluster.patch(Pods, keyOf(pod), { type: 'strategic', body }, { subresource: 'status' });
  }
  await cluster.delete(Pods, keyOf(pod), { gracePeriodSeconds: 0 });
}

function failedStatus({ pod, profile, isOrphan, now }: ForceDelete): object {
  const { generation } = pod.metadata;
  const observed = profile.observedGeneration && generation !== undefined ? { observedGeneration: generation } : {};
  const conditions = isOrphan ? { conditions: [{ ...disruptionTarget(pod, now), ...observed }] } : {};
  return { phase: 'Failed', ...observed, ...conditions };
}

function disruptionTarget(pod: Pod, now: string): PodCondition {
  const before = pod.status.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastProbeTime: null,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : now,
  };
}
