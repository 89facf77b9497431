// Volumes that only one pod may use: claims with ReadWriteOncePod anywhere in the cluster, and some in-tree disks written
// into the pod itself on one node. kubernetes:pkg/scheduler/framework/plugins/volumerestrictions
import { keyFrom } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { missing } from './lookup.ts';
import { type FilterPlugin, type PreFilterOutcome, SKIP, filterBy } from './plugin.ts';
import { SUCCESS, unschedulable } from './status.ts';

const IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

export const volumeRestrictions: FilterPlugin = { name: 'VolumeRestrictions', preFilter };

function preFilter(pod: Pod, cluster: ClusterSnapshot): PreFilterOutcome {
  const disks = (pod.spec.volumes ?? []).filter(isExclusiveDisk);
  let isClaimTaken = false;
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const key = keyFrom(pod.metadata.namespace, persistentVolumeClaim.claimName);
    const claim = cluster.storage.claims.get(key);
    if (claim === undefined) return missing('persistentvolumeclaim', persistentVolumeClaim.claimName);
    const isExclusive = claim.spec.accessModes?.includes('ReadWriteOncePod') === true;
    isClaimTaken ||= isExclusive && cluster.placement.claimUsers(key) > 0;
  }
  if (disks.length === 0 && !isClaimTaken) return SKIP;
  return filterBy(({ pods }) => {
    if (haveDiskConflict(disks, pods.values())) return unschedulable('node(s) had no available disk');
    return isClaimTaken ? unschedulable(IN_USE) : SUCCESS;
  });
}

export function haveDiskConflict(disks: readonly Volume[], pods: Iterable<Pick<Pod, 'spec'>>): boolean {
  if (disks.length === 0) return false;
  for (const pod of pods) {
    const others = pod.spec.volumes ?? [];
    if (disks.some((disk) => others.some((other) => isDiskConflict(disk, other)))) return true;
  }
  return false;
}

export const isExclusiveDisk = (volume: Volume): boolean =>
  volume.gcePersistentDisk !== undefined ||
  volume.awsElasticBlockStore !== undefined ||
  volume.rbd !== undefined ||
  volume.iscsi !== undefined;

/** The same disk twice, unless both only read it; an EBS disk not even then. */
function isDiskConflict(one: Volume, other: Volume): boolean {
  if (one.gcePersistentDisk !== undefined && other.gcePersistentDisk !== undefined) {
    const [a, b] = [one.gcePersistentDisk, other.gcePersistentDisk];
    if (a.pdName === b.pdName && !areReadOnly(a, b)) return true;
  }
  if (one.awsElasticBlockStore !== undefined && other.awsElasticBlockStore !== undefined) {
    if (one.awsElasticBlockStore.volumeID === other.awsElasticBlockStore.volumeID) return true;
  }
  if (one.iscsi !== undefined && other.iscsi !== undefined) {
    if (one.iscsi.iqn === other.iscsi.iqn && !areReadOnly(one.iscsi, other.iscsi)) return true;
  }
  if (one.rbd !== undefined && other.rbd !== undefined) {
    return isSameImage(one.rbd, other.rbd) && !areReadOnly(one.rbd, other.rbd);
  }
  return false;
}

type RbdImage = NonNullable<Volume['rbd']>;

function isSameImage(one: RbdImage, other: RbdImage): boolean {
  const shareMonitor = one.monitors.some((monitor) => other.monitors.includes(monitor));
  return shareMonitor && (one.pool ?? '') === (other.pool ?? '') && one.image === other.image;
}

interface MayBeReadOnly {
  readonly readOnly?: boolean;
}
const areReadOnly = (one: MayBeReadOnly, other: MayBeReadOnly): boolean =>
  one.readOnly === true && other.readOnly === true;
