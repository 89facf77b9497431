// Volumes decide where a pod may go, and the first pod decides where a delayed volume goes.
// kubernetes:pkg/scheduler/framework/plugins/volumebinding/volume_binding.go
import { AssertionFailure } from '../../../base/assert.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import { claimKeysOf } from '../../../volume/claim-of-pod.ts';
import type { ClusterSnapshot } from '../cluster-snapshot.ts';
import type { NodeInfo } from '../node-info.ts';
import { type FilterPlugin, type PreFilterOutcome, SKIP, filterBy } from '../plugin.ts';
import type { Profile } from '../profile.ts';
import { SUCCESS, failure, unresolvable } from '../status.ts';
import { refuseClaims } from './pod-claims.ts';
import { NO_VOLUMES, type PodVolumes, findPodVolumes, prepareClaims } from './pod-volumes.ts';

export const volumeBinding = (profile: Profile): FilterPlugin => ({
  name: 'VolumeBinding',
  preFilter: (pod, cluster) => preFilter(pod, cluster, profile),
});

/**
 * The part of VolumeBinding that looks at claims alone. Upstream has it in the same plugin and tries a pod whose claims
 * are not ready again at every change of any volume, which cannot help it: with thousands of claims under way that is
 * millions of attempts. Here such a pod waits for its claims, a class, or another count of nodes to tell.
 */
export const volumeClaims: FilterPlugin = {
  name: 'VolumeClaims',
  preFilter: (pod, { storage }) => {
    if (claimKeysOf(pod).length === 0) return SKIP;
    // What breaks here breaks in VolumeBinding too, which then says so.
    const refusal = orFailure(() => refuseClaims(pod, storage));
    return typeof refusal === 'string' ? unresolvable(refusal) : SKIP;
  },
};

function preFilter(pod: Pod, { storage }: ClusterSnapshot, profile: Profile): PreFilterOutcome {
  if (claimKeysOf(pod).length === 0) return SKIP;
  return orFailure(() => {
    const claims = prepareClaims(pod, storage);
    return filterBy(({ node }) =>
      orFailure(() => {
        const found = findPodVolumes({ claims, node, storage, affinityConflict: profile.nodeAffinityConflict });
        return found.type === 'found' ? SUCCESS : found;
      }),
    );
  });
}

/** What the filter found for the node that was then chosen. Nothing has changed since, so the answer is the same. */
export function podVolumesOn(pod: Pod, { storage }: ClusterSnapshot, node: NodeInfo): PodVolumes {
  const claims = prepareClaims(pod, storage);
  const found = findPodVolumes({ claims, node: node.node, storage, affinityConflict: '' });
  return found.type === 'found' ? found.volumes : NO_VOLUMES;
}

/** Selectors that do not parse and classes without binding mode are told by exceptions of the shared rules. */
function orFailure<T>(ask: () => T): T | ReturnType<typeof failure> {
  try {
    return ask();
  } catch (error) {
    if (error instanceof AssertionFailure) throw error;
    return failure(error instanceof Error ? error.message : String(error));
  }
}
