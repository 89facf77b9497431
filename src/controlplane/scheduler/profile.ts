// What differs between Kubernetes versions as far as the scheduler shows it. The newest row is the default.
import { versionOf } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** Reason of a node that a bound volume cannot be used from. kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go */
  readonly nodeAffinityConflict: string;
  /** From 1.35 on the taint is no longer named. kubernetes:pkg/scheduler/framework/plugins/tainttoleration */
  readonly namesUntoleratedTaint: boolean;
  /** An idle scheduler does not wait for the end of a back-off. Gate SchedulerPopFromBackoffQ. */
  readonly popsFromBackoff: boolean;
  /** Dynamic resources are on by default, and their PostFilter text with them. Gate DynamicResourceAllocation. */
  readonly hasDynamicResources: boolean;
  /** `nominatedNodeName` shows the chosen node while volumes are bound. Gate NominatedNodeNameForExpectation. */
  readonly nominatesWhileBinding: boolean;
  /** VolumeAttachments count against the attach limit too. kubernetes:pkg/scheduler/framework/plugins/nodevolumelimits/csi.go */
  readonly countsAttachments: boolean;
  /** `preventPodSchedulingIfMissing` of a CSIDriver is heeded. Gate VolumeLimitScaling. */
  readonly requiresInstalledDriver: boolean;
}

/** `1.36`, `1.36.3`, `v1.36.3`; without a version the newest known behaviour. */
export function profileOf(version: string | undefined): Profile {
  const { minor } = versionOf(version);
  return {
    nodeAffinityConflict:
      minor >= 33
        ? "node(s) didn't match PersistentVolume's node affinity"
        : 'node(s) had volume node affinity conflict',
    namesUntoleratedTaint: minor < 35,
    popsFromBackoff: minor >= 33,
    hasDynamicResources: minor >= 34,
    nominatesWhileBinding: minor >= 35,
    countsAttachments: minor >= 32,
    requiresInstalledDriver: minor >= 37,
  };
}
