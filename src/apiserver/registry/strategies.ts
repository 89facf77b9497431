// The table of all kinds that have rules of their own. A kind that is not here is served by the generic strategy.
import { configMapStrategy } from './config-map.ts';
import { controllerRevisionStrategy } from './controller-revision.ts';
import { csiDriverStrategy } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacity.ts';
import { deploymentStrategy } from './deployment.ts';
import { eventStrategy } from './event.ts';
import { leaseStrategy } from './lease.ts';
import { namespaceStrategy } from './namespace.ts';
import { nodeStrategy } from './node.ts';
import { persistentVolumeClaimStrategy } from './persistent-volume-claim.ts';
import { persistentVolumeStrategy } from './persistent-volume.ts';
import { podDisruptionBudgetStrategy } from './pod-disruption-budget.ts';
import { podStrategy } from './pod.ts';
import { replicaSetStrategy } from './replica-set.ts';
import { resourceQuotaStrategy } from './resource-quota.ts';
import { secretStrategy } from './secret.ts';
import { serviceAccountStrategy } from './service-account.ts';
import { serviceStrategy } from './service.ts';
import { statefulSetStrategy } from './stateful-set.ts';
import { storageClassStrategy } from './storage-class.ts';
import type { Strategy } from './strategy.ts';
import { volumeAttachmentStrategy } from './volume-attachment.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-class.ts';
import {
  volumeSnapshotClassStrategy,
  volumeSnapshotContentStrategy,
  volumeSnapshotStrategy,
} from './volume-snapshot.ts';

export function defaultStrategies(): readonly Strategy[] {
  return [
    podStrategy,
    persistentVolumeClaimStrategy,
    persistentVolumeStrategy,
    nodeStrategy,
    namespaceStrategy,
    eventStrategy,
    configMapStrategy,
    secretStrategy,
    serviceAccountStrategy,
    serviceStrategy,
    resourceQuotaStrategy,
    storageClassStrategy,
    volumeAttachmentStrategy,
    csiNodeStrategy,
    csiDriverStrategy,
    csiStorageCapacityStrategy,
    volumeAttributesClassStrategy,
    statefulSetStrategy,
    deploymentStrategy,
    replicaSetStrategy,
    controllerRevisionStrategy,
    podDisruptionBudgetStrategy,
    leaseStrategy,
    volumeSnapshotStrategy,
    volumeSnapshotContentStrategy,
    volumeSnapshotClassStrategy,
  ];
}
