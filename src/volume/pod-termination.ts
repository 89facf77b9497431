import { type ContainerStatus, type Pod } from '../kube/resources/pod.ts';

/**
 * The pod has ended, or is being deleted and none of its containers runs. It may still have an object.
 * kubernetes:pkg/volume/util/util.go IsPodTerminated
 */
export function isPodTerminated(pod: Pick<Pod, 'metadata' | 'status'>): boolean {
  const { phase, initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = pod.status;
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return [initContainerStatuses, containerStatuses, ephemeralContainerStatuses].every(noneRuns);
}

const noneRuns = (statuses: readonly ContainerStatus[] = []): boolean =>
  statuses.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
