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
import { refuseClaims, sortClaims } from './pod-claims.ts';
import { NO_VOLUMES, type PodVolumes, findPodVolumes } from './pod-volumes.ts';

export const volumeBinding = (profile: Profile): FilterPlugin => ({
  name: 'VolumeBinding',
  preFilter: (pod, cluster) => preFilter(pod, cluster, profile),
});

function preFilter(pod: Pod, { storage }: ClusterSnapshot, profile: Profile): PreFilterOutcome {
  if (claimKeysOf(pod).length === 0) return SKIP;
  const refusal = refuseClaims(pod, storage);
  if (refusal !== undefined) return unresolvable(refusal);
  return orFailure(() => {
    const claims = sortClaims(pod, storage);
    if (claims.immediate.length > 0) return unresolvable('pod has unbound immediate PersistentVolumeClaims');
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
  const claims = sortClaims(pod, storage);
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
