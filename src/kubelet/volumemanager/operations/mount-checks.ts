// What is asked before a volume is touched.
import { nodeAffinityAdmits } from '../../../volume/node-affinity.ts';
import { VolumeFailure } from '../../csiplugin/volume-failure.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';

const IN_USE_BY_ANOTHER_POD = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';

/** Throws a VolumeFailure unless this node is within the volume's reach. */
export function checkNodeAffinity(services: VolumeServices, { spec }: VolumeToMount): void {
  if (spec.type !== 'persistent') return;
  const node = services.cachedNode();
  if (node === undefined) throw new VolumeFailure(`node "${services.nodeName}" not found`, 'final');
  if (!nodeAffinityAdmits(spec, node)) throw new VolumeFailure('no matching NodeSelectorTerms', 'final');
}

/** Throws a VolumeFailure if the volume is for one pod alone and another one has it, or may have it. */
export function checkSinglePod({ actual }: VolumeServices, { spec, volumeName, podUid }: VolumeToMount): void {
  if (spec.type !== 'persistent' || !actual.isMountedElsewhere(volumeName, podUid)) return;
  const modes = spec.spec.accessModes ?? [];
  if (modes.length !== 1 || modes[0] !== 'ReadWriteOncePod') return;
  throw new VolumeFailure(IN_USE_BY_ANOTHER_POD, 'final');
}
