// What a node agent says of a pod whose containers all run.
import type { Pod } from '../../kube/resources/pod.ts';

export function runningStatus(pod: Pod, now: string): object {
  const held = (type: string): object => ({ type, status: 'True', lastTransitionTime: now });
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];
  return {
    phase: 'Running',
    startTime: pod.status.startTime ?? now,
    conditions: types.map(held),
    containerStatuses: pod.spec.containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}
