// The kinds with a declaration of their own and the names that people call them by.
import type { KubeObject, Resource } from '../object.ts';
import { ConfigMaps } from './config-map.ts';
import { ControllerRevisions } from './controller-revision.ts';
import { CSIDrivers } from './csi-driver.ts';
import { CSINodes } from './csi-node.ts';
import { CSIStorageCapacities } from './csi-storage-capacity.ts';
import { Deployments } from './deployment.ts';
import { Events } from './event.ts';
import { Leases } from './lease.ts';
import { Namespaces } from './namespace.ts';
import { Nodes } from './node.ts';
import { PersistentVolumes } from './persistent-volume.ts';
import { PersistentVolumeClaims } from './persistent-volume-claim.ts';
import { Pods } from './pod.ts';
import { PodDisruptionBudgets } from './pod-disruption-budget.ts';
import { ReplicaSets } from './replica-set.ts';
import { ResourceQuotas } from './resource-quota.ts';
import { Secrets } from './secret.ts';
import { Services } from './service.ts';
import { ServiceAccounts } from './service-account.ts';
import { StatefulSets } from './stateful-set.ts';
import { StorageClasses } from './storage-class.ts';
import { VolumeAttachments } from './volume-attachment.ts';
import { VolumeAttributesClasses } from './volume-attributes-class.ts';
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from './volume-snapshot.ts';

export interface ServedKind {
  readonly resource: Resource<KubeObject>;
  readonly singular: string;
  readonly shortNames: readonly string[];
}

/** A table row forgets which kind it holds; who asks by name cannot know it either. */
const row = <T extends KubeObject>(
  resource: Resource<T>,
  singular: string,
  ...shortNames: readonly string[]
): ServedKind => ({
  resource,
  singular,
  shortNames,
});

export const SERVED_KINDS: readonly ServedKind[] = [
  row(Pods, 'pod', 'po'),
  row(PersistentVolumeClaims, 'persistentvolumeclaim', 'pvc'),
  row(PersistentVolumes, 'persistentvolume', 'pv'),
  row(Nodes, 'node', 'no'),
  row(Namespaces, 'namespace', 'ns'),
  row(Events, 'event', 'ev'),
  row(ConfigMaps, 'configmap', 'cm'),
  row(Secrets, 'secret'),
  row(ServiceAccounts, 'serviceaccount', 'sa'),
  row(Services, 'service', 'svc'),
  row(ResourceQuotas, 'resourcequota', 'quota'),
  row(StorageClasses, 'storageclass', 'sc'),
  row(VolumeAttachments, 'volumeattachment'),
  row(CSINodes, 'csinode'),
  row(CSIDrivers, 'csidriver'),
  row(CSIStorageCapacities, 'csistoragecapacity'),
  row(VolumeAttributesClasses, 'volumeattributesclass', 'vac'),
  row(Leases, 'lease'),
  row(StatefulSets, 'statefulset', 'sts'),
  row(Deployments, 'deployment', 'deploy'),
  row(ReplicaSets, 'replicaset', 'rs'),
  row(ControllerRevisions, 'controllerrevision'),
  row(PodDisruptionBudgets, 'poddisruptionbudget', 'pdb'),
  row(VolumeSnapshots, 'volumesnapshot', 'vs'),
  row(VolumeSnapshotContents, 'volumesnapshotcontent', 'vsc', 'vscs'),
  row(VolumeSnapshotClasses, 'volumesnapshotclass', 'vsclass', 'vsclasses'),
];

/** By plural, singular, short name or kind, in any case: `pvc`, `PersistentVolumeClaim`, `persistentvolumeclaims`. */
export function findKind(name: string): ServedKind | undefined {
  const word = name.toLowerCase();
  return SERVED_KINDS.find(
    ({ resource, singular, shortNames }) => resource.plural === word || singular === word || shortNames.includes(word),
  );
}

/** By the `apiVersion` and `kind` of an object. */
export function kindOf(apiVersion: string, kind: string): ServedKind | undefined {
  return SERVED_KINDS.find(({ resource }) => {
    const version = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    return resource.kind === kind && version === apiVersion;
  });
}
