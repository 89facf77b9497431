// The table of all kinds that have rules of their own. A kind that is not here is served by the generic strategy.
import type { KubeObject, Resource } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { Deployments } from '../../kube/resources/deployment.ts';
import { Events } from '../../kube/resources/event.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { PodDisruptionBudgets } from '../../kube/resources/pod-disruption-budget.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import { Services } from '../../kube/resources/service.ts';
import { StatefulSets } from '../../kube/resources/stateful-set.ts';
import {
  VolumeSnapshotClasses,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '../../kube/resources/volume-snapshot.ts';
import { csiDriverStrategy } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacity.ts';
import { persistentVolumeClaimStrategy } from './persistent-volume-claim.ts';
import { persistentVolumeStrategy } from './persistent-volume.ts';
import { storageClassStrategy } from './storage-class.ts';
import { volumeAttachmentStrategy } from './volume-attachment.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-class.ts';
import { podStrategy } from './pod.ts';
import { nodeStrategy } from './node.ts';
import { namespaceStrategy } from './namespace.ts';
import type { Strategy } from './strategy.ts';

type Traits<T extends KubeObject> = Partial<Omit<Strategy<T>, 'resource'>>;

/** A kind with no defaults and no rules beyond those that all kinds share. */
function plain<T extends KubeObject>(resource: Resource<T>, traits: Traits<T> = {}): Strategy {
  return {
    resource,
    hasGeneration: false,
    hasStatus: false,
    nameRule: 'subdomain',
    applyDefaults: (object) => object,
    validate: () => [],
    ...traits,
  };
}

export function defaultStrategies(): readonly Strategy[] {
  return [
    podStrategy,
    persistentVolumeClaimStrategy,
    persistentVolumeStrategy,
    storageClassStrategy,
    volumeAttachmentStrategy,
    csiNodeStrategy,
    csiDriverStrategy,
    csiStorageCapacityStrategy,
    volumeAttributesClassStrategy,
    nodeStrategy,
    namespaceStrategy,
    plain(Events, { createsOnUpdate: true }),
    plain(Leases, { requiresResourceVersion: true, createsOnUpdate: true }),
    plain(ResourceQuotas, { hasStatus: true, answersDeletedObject: true }),
    plain(ConfigMaps),
    plain(Secrets),
    plain(ServiceAccounts, { answersDeletedObject: true }),
    plain(Services, { hasStatus: true, createsOnUpdate: true, answersDeletedObject: true, nameRule: 'service' }),
    plain(StatefulSets, { hasGeneration: true, hasStatus: true }),
    plain(Deployments, { hasGeneration: true, hasStatus: true }),
    plain(ReplicaSets, { hasGeneration: true, hasStatus: true }),
    plain(ControllerRevisions),
    plain(PodDisruptionBudgets, { hasGeneration: true, hasStatus: true, requiresResourceVersion: true }),
    plain(VolumeSnapshots, { hasGeneration: true, hasStatus: true, requiresResourceVersion: true }),
    plain(VolumeSnapshotContents, { hasGeneration: true, hasStatus: true, requiresResourceVersion: true }),
    plain(VolumeSnapshotClasses, { hasGeneration: true, requiresResourceVersion: true }),
  ];
}
