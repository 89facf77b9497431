import type { Random } from '../../base/random.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { nodeVolumeLimits } from './node-volume-limits.ts';
import type { FilterPlugin } from './plugin.ts';
import { podTopologySpread } from './pod-topology-spread.ts';
import type { Profile } from './profile.ts';
import { taintToleration } from './taint-toleration.ts';
import { volumeRestrictions } from './volume-restrictions.ts';
import { volumeZone } from './volume-zone.ts';
import { volumeBinding, volumeClaims } from './volumebinding/volume-binding.ts';

/** The order decides which reason a node is refused with: the first plugin that refuses is the only one heard. */
export function defaultPlugins(profile: Profile, random: Random): readonly FilterPlugin[] {
  return [
    nodeUnschedulable,
    nodeName,
    taintToleration(profile),
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    nodeVolumeLimits({ profile, unboundPrefix: random.uid() }),
    volumeClaims,
    volumeBinding(profile),
    volumeZone,
    podTopologySpread,
    interPodAffinity,
  ];
}
