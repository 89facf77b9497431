// Volumes carry their zone and region as labels too. A node without any such label takes every volume: a cluster with
// one zone need not label its nodes. kubernetes:pkg/scheduler/framework/plugins/volumezone
import { keyFrom } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { claimClass } from '../../volume/claim-class.ts';
import type { StorageView } from './cluster-snapshot.ts';
import { missing } from './lookup.ts';
import { type FilterPlugin, SKIP, filterBy } from './plugin.ts';
import { type Rejection, type Status, SUCCESS, unresolvable } from './status.ts';

/** A beta label of a volume is also met by the newer label of a node, never the other way round. */
const NEWER_LABEL: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const TOPOLOGY_LABELS = [
  ...Object.keys(NEWER_LABEL),
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
] as const;
/** Between several zones in one label value. kubernetes:staging/src/k8s.io/cloud-provider/volume/constants.go */
const ZONE_DELIMITER = '__';

export interface VolumeTopology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

export const volumeZone: FilterPlugin = {
  name: 'VolumeZone',
  preFilter: (pod, { storage }) => {
    const topologies = topologiesOf(pod, storage);
    if (!Array.isArray(topologies)) return topologies;
    if (topologies.length === 0) return SKIP;
    return filterBy(({ node }) => checkZone(topologies, node.metadata.labels ?? {}));
  },
};

/** Claims whose volume is chosen together with the node have none yet and are passed over. */
function topologiesOf(pod: Pod, storage: StorageView): VolumeTopology[] | Rejection {
  const topologies: VolumeTopology[] = [];
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    if (claimName === '') return unresolvable('PersistentVolumeClaim had no name');
    const claim = storage.claims.get(keyFrom(pod.metadata.namespace, claimName));
    if (claim === undefined) return missing('persistentvolumeclaim', claimName);
    const volumeName = claim.spec.volumeName ?? '';
    if (volumeName === '') {
      const refusal = refuseUnbound(claim, storage);
      if (refusal !== undefined) return refusal;
      continue;
    }
    const volume = storage.volumes.get(volumeName);
    if (volume === undefined) return missing('persistentvolume', volumeName);
    topologies.push(...volumeTopologies(volume));
  }
  return topologies;
}

function refuseUnbound(claim: PersistentVolumeClaim, storage: StorageView): Rejection | undefined {
  const className = claimClass(claim);
  if (className === '') return unresolvable('PersistentVolumeClaim had no pv name and storageClass name');
  const storageClass = storage.classes.get(className);
  if (storageClass === undefined) return missing('storageclass.storage.k8s.io', className);
  const mode = storageClass.volumeBindingMode;
  if (mode === undefined) return unresolvable(`VolumeBindingMode not set for StorageClass "${className}"`);
  return mode === 'WaitForFirstConsumer' ? undefined : unresolvable('PersistentVolume had no name');
}

/** A label whose value names an empty zone is ignored. */
export function volumeTopologies(volume: Pick<PersistentVolume, 'metadata'>): readonly VolumeTopology[] {
  const labels = volume.metadata.labels ?? {};
  return TOPOLOGY_LABELS.flatMap((key) => {
    const value = labels[key];
    if (value === undefined) return [];
    const values = value.split(ZONE_DELIMITER).map((zone) => zone.trim());
    return values.includes('') ? [] : [{ key, values: new Set(values) }];
  });
}

function checkZone(topologies: readonly VolumeTopology[], labels: Readonly<Record<string, string>>): Status {
  if (!TOPOLOGY_LABELS.some((key) => Object.hasOwn(labels, key))) return SUCCESS;
  const isMet = topologies.every(({ key, values }) => {
    const found = labels[key] ?? labels[NEWER_LABEL[key] ?? key];
    return found !== undefined && values.has(found);
  });
  return isMet ? SUCCESS : unresolvable('node(s) had no available volume zone');
}
