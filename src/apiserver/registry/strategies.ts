// The table of all kinds that have rules of their own. A kind that is not here is served by the generic strategy.
import type { KubeObject, Resource } from '../../kube/object.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { CSIStorageCapacities } from '../../kube/resources/csi-storage-capacity.ts';
import { Deployments } from '../../kube/resources/deployment.ts';
import { Events } from '../../kube/resources/event.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { Namespaces } from '../../kube/resources/namespace.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { PodDisruptionBudgets } from '../../kube/resources/pod-disruption-budget.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import { Services } from '../../kube/resources/service.ts';
import { StatefulSets } from '../../kube/resources/stateful-set.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from '../../kube/resources/volume-snapshot.ts';
import type { Strategy } from './strategy.ts';

type Traits<T extends KubeObject> = Partial<Omit<Strategy<T>, 'resource'>>;

/** A kind with no defaults and no rules beyond those that all kinds share. */
function plain<T extends KubeObject>(resource: Resource<T>, traits: Traits<T> = {}): Strategy {
  const strategy: Strategy<T> = {
    resource,
    hasGeneration: false,
    hasStatus: false,
    nameRule: 'subdomain',
    applyDefaults: (object) => object,
    validate: () => [],
    ...traits,
  };
  return erase(strategy);
}

/** The registry calls a strategy only with objects of its own kind, so the kind may be forgotten here. */
function erase<T extends KubeObject>(strategy: Strategy<T>): Strategy {
  return strategy as unknown as Strategy;
}

export function defaultStrategies(): readonly Strategy[] {
  return [
    plain(Pods, { hasGeneration: true, hasStatus: true, answersDeletedObject: true }),
    plain(PersistentVolumeClaims, { hasStatus: true, answersDeletedObject: true }),
    plain(PersistentVolumes, { hasStatus: true, answersDeletedObject: true }),
    plain(StorageClasses, { answersDeletedObject: true }),
    plain(VolumeAttachments, { hasStatus: true, requiresResourceVersion: true, answersDeletedObject: true }),
    plain(CSINodes, { requiresResourceVersion: true, answersDeletedObject: true }),
    plain(CSIDrivers, { requiresResourceVersion: true, answersDeletedObject: true }),
    plain(CSIStorageCapacities, { requiresResourceVersion: true }),
    plain(VolumeAttributesClasses, { answersDeletedObject: true }),
    plain(Nodes, { hasStatus: true }),
    plain(Namespaces, { hasStatus: true, answersDeletedObject: true, nameRule: 'label' }),
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
