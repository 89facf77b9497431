// Which CSIStorageCapacity objects there should be: one for each place where the driver runs and each of its classes.
// external-provisioner:pkg/capacity/{capacity.go,topology/nodes.go}
import type { StringMap } from '../../csi/driver.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { CSIStorageCapacity } from '../../kube/resources/csi-storage-capacity.ts';
import type { VolumeNodeAffinity } from '../../kube/resources/persistent-volume-source.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { type TopologyTerm, sortedTerm, sortedTerms, termOfLabels } from './topology-term.ts';

export interface CapacityItem {
  readonly className: string;
  readonly segment: TopologyTerm;
}

/** Says the same for an item and for the object that belongs to it. */
export const itemKey = ({ className, segment }: CapacityItem): string =>
  JSON.stringify([className, ...segment.map(({ key, value }) => `${key}=${value}`)]);

/** An object that selects nodes in another way than ours do has a key that no item has. */
export function keyOfCapacity({ storageClassName, nodeTopology }: CSIStorageCapacity): string {
  const { matchLabels = {}, matchExpressions = [] } = nodeTopology ?? {};
  if (nodeTopology === undefined || matchExpressions.length > 0)
    return JSON.stringify([storageClassName, nodeTopology ?? null]);
  return itemKey({ className: storageClassName, segment: termOf(matchLabels) });
}

const termOf = (labels: StringMap): TopologyTerm =>
  sortedTerm(Object.entries(labels).map(([key, value]) => ({ key, value })));

export const isCapacityClass = (
  { provisioner, volumeBindingMode }: StorageClass,
  driverName: string,
  forImmediateBinding: boolean,
): boolean => provisioner === driverName && (forImmediateBinding || volumeBindingMode !== 'Immediate');

/** A driver without topology keys has one place, everywhere. A node whose labels are not there yet is left out. */
export function segmentsOf(
  csiNodes: Iterable<CSINode>,
  driverName: string,
  labelsOfNode: (name: string) => StringMap | undefined,
): readonly TopologyTerm[] {
  const segments: TopologyTerm[] = [];
  for (const csiNode of csiNodes) {
    const registered = csiNode.spec.drivers?.find(({ name }) => name === driverName);
    const labels = registered === undefined ? undefined : labelsOfNode(csiNode.metadata.name);
    const term = labels === undefined ? undefined : termOfLabels(labels, registered?.topologyKeys ?? []);
    if (term !== undefined) segments.push(term);
  }
  return sortedTerms(segments);
}

/** The places a volume's affinity names; only such as provisioners write. */
export function segmentsOfAffinity(affinity: VolumeNodeAffinity | undefined): readonly TopologyTerm[] {
  return (affinity?.required?.nodeSelectorTerms ?? []).map(({ matchExpressions = [] }) =>
    sortedTerm(matchExpressions.flatMap(({ key, values = [] }) => values.slice(0, 1).map((value) => ({ key, value })))),
  );
}
