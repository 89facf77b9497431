// Objects and snapshots for tests. Storage objects come from the makers of the volume room.
import { type KubeObject, type ObjectKey, keyOf } from '../../src/kube/object.ts';
import type { CSIDriver } from '../../src/kube/resources/csi-driver.ts';
import type { CSINode } from '../../src/kube/resources/csi-node.ts';
import type { CSIStorageCapacity } from '../../src/kube/resources/csi-storage-capacity.ts';
import type { Namespace } from '../../src/kube/resources/namespace.ts';
import type { Node } from '../../src/kube/resources/node.ts';
import type { Taint } from '../../src/kube/resources/node-selector.ts';
import type { PersistentVolumeClaim } from '../../src/kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../src/kube/resources/persistent-volume.ts';
import type { Pod } from '../../src/kube/resources/pod.ts';
import type { StorageClass } from '../../src/kube/resources/storage-class.ts';
import type { VolumeAttachment } from '../../src/kube/resources/volume-attachment.ts';
import { volumeClass } from '../../src/volume/claim-class.ts';
import { aPod } from '../../src/volume/makers.ts';
import type { ClusterSnapshot } from '../../src/controlplane/scheduler/cluster-snapshot.ts';
import { PlacementCache } from '../../src/controlplane/scheduler/placement.ts';

const CREATED = '2026-01-01T00:00:00Z';
const meta = (name: string, namespace?: string) => ({
  name,
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: CREATED,
  ...(namespace === undefined ? {} : { namespace }),
});

export interface NodeParts {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** A node has the label kubernetes.io/hostname, and room for what tests need. */
export function aNode(parts: NodeParts = {}): Node {
  const { name = 'n1' } = parts;
  const nodeInfo = {} as Node['status']['nodeInfo'];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...meta(name), labels: { 'kubernetes.io/hostname': name, ...parts.labels } },
    spec: {
      ...(parts.taints === undefined ? {} : { taints: parts.taints }),
      ...(parts.unschedulable === undefined ? {} : { unschedulable: parts.unschedulable }),
    },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '20', ...parts.allocatable },
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo,
    },
  };
}

type PodSpec = Pod['spec'];
export interface WorkloadParts extends Partial<PodSpec> {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly claims?: readonly string[];
  readonly ephemeral?: readonly string[];
  readonly requests?: Readonly<Record<string, string>>;
  readonly status?: Partial<Pod['status']>;
}

/** A pod with any part of the spec given as it is. */
export function aWorkload(parts: WorkloadParts = {}): Pod {
  const { name = 'p', labels, claims = [], ephemeral = [], requests, status, ...spec } = parts;
  const pod = aPod({ name, claims, ephemeral });
  const resources = requests === undefined ? {} : { requests };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(labels === undefined ? {} : { labels }) },
    spec: { ...pod.spec, containers: [{ name: 'main', image: 'pause', resources }], ...spec },
    status: { ...pod.status, ...status },
  };
}

export function aCsiNode(name: string, drivers: NonNullable<CSINode['spec']['drivers']>): CSINode {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: meta(name), spec: { drivers } };
}

export function aCsiDriver(name: string, spec: CSIDriver['spec'] = {}): CSIDriver {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: meta(name), spec };
}

export function aCapacity(
  parts: Partial<CSIStorageCapacity> & { readonly storageClassName: string },
): CSIStorageCapacity {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: meta('capacity', 'default'),
    nodeTopology: {},
    ...parts,
  };
}

export function anAttachment(node: string, volume: string, attacher: string): VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: meta(`va-${node}-${volume}`),
    spec: { attacher, nodeName: node, source: { persistentVolumeName: volume } },
    status: { attached: true },
  };
}

export interface SnapshotParts {
  readonly nodes?: readonly Node[];
  /** On the node they name. */
  readonly pods?: readonly Pod[];
  readonly namespaces?: readonly Namespace[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly csiDrivers?: readonly CSIDriver[];
  readonly capacities?: readonly CSIStorageCapacity[];
  readonly attachments?: readonly VolumeAttachment[];
}

export function aSnapshot(parts: SnapshotParts = {}): ClusterSnapshot {
  const placement = new PlacementCache();
  for (const node of parts.nodes ?? [aNode()]) placement.setNode(node);
  for (const pod of parts.pods ?? []) placement.setPod(pod);
  const claims = byKey(parts.claims);
  const volumes = byKey(parts.volumes);
  const namespaces = byKey(parts.namespaces);
  return {
    placement,
    namespaces: { get: (key) => namespaces.get(key), all: () => namespaces.values() },
    storage: {
      claims,
      assumedClaims: claims,
      volumes,
      assumedVolumes: volumes,
      assumedVolumesOfClass: (name) => [...volumes.values()].filter((volume) => volumeClass(volume) === name),
      classes: byKey(parts.classes),
      csiDrivers: byKey(parts.csiDrivers),
      csiNodes: byKey(parts.csiNodes),
      capacitiesOfClass: (name) => (parts.capacities ?? []).filter((each) => each.storageClassName === name),
      attachmentsOn: (node) => (parts.attachments ?? []).filter(({ spec }) => spec.nodeName === node),
      attachmentCountOn: (node) => (parts.attachments ?? []).filter(({ spec }) => spec.nodeName === node).length,
    },
  };
}

const byKey = <T extends KubeObject>(objects: readonly T[] = []): Map<ObjectKey, T> =>
  new Map(objects.map((object) => [keyOf(object), object]));
