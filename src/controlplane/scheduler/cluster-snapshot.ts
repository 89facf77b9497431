import type { ObjectKey } from '../../kube/object.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { CSIStorageCapacity } from '../../kube/resources/csi-storage-capacity.ts';
import type { Namespace } from '../../kube/resources/namespace.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import type { Placement } from './placement.ts';

export interface Reader<T> {
  get(key: ObjectKey): T | undefined;
}

/** Storage objects as the server last showed them, and as they will be once what the scheduler decided is written. */
export interface StorageView {
  readonly claims: Reader<PersistentVolumeClaim>;
  readonly assumedClaims: Reader<PersistentVolumeClaim>;
  readonly volumes: Reader<PersistentVolume>;
  readonly assumedVolumes: Reader<PersistentVolume>;
  /** By name, with what was assumed about them. */
  assumedVolumesOfClass(name: string): readonly PersistentVolume[];
  readonly classes: Reader<StorageClass>;
  readonly csiDrivers: Reader<CSIDriver>;
  readonly csiNodes: Reader<CSINode>;
  capacitiesOfClass(name: string): Iterable<CSIStorageCapacity>;
  attachmentsOn(node: string): Iterable<VolumeAttachment>;
  attachmentCountOn(node: string): number;
}

/** All that a check may read. It does not change while one pod is being scheduled, because nothing waits meanwhile. */
export interface ClusterSnapshot {
  readonly placement: Placement;
  readonly storage: StorageView;
  readonly namespaces: Reader<Namespace> & { all(): Iterable<Namespace> };
}
