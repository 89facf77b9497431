import type { Pod } from '../../kube/resources/pod.ts';

/** Names of a pod's volumes that some container uses, as file systems and as devices. Others are never touched. */
export interface UsedVolumes {
  readonly mounts: ReadonlySet<string>;
  readonly devices: ReadonlySet<string>;
}

/** kubernetes:pkg/volume/util/util.go GetPodVolumeNames */
export function usedVolumesOf({ spec }: Pick<Pod, 'spec'>): UsedVolumes {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  return {
    mounts: new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))),
    devices: new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name))),
  };
}

/** In order. */
export function expectedVolumesOf(pod: Pick<Pod, 'spec'>): readonly string[] {
  const { mounts, devices } = usedVolumesOf(pod);
  return [...new Set([...mounts, ...devices])].toSorted();
}
