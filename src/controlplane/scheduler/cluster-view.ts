// The informers of the scheduler and what it keeps from them: who is placed where, and storage objects with what it has
// assumed about them. All of it is rebuilt from the server at start.
import type { InformerFactory } from '../../runtime/informer-factory.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { CSIStorageCapacities } from '../../kube/resources/csi-storage-capacity.ts';
import { Namespaces } from '../../kube/resources/namespace.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { volumeClass } from '../../volume/claim-class.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { PlacementCache } from './placement.ts';
import { AssumeCache } from './volumebinding/assume-cache.ts';
import type { ServerView } from './volumebinding/binding-progress.ts';
import type { AssumeCaches } from './volumebinding/reservation.ts';

/** Pods that have ended hold nothing. kubernetes:pkg/scheduler/scheduler.go#NewInformerFactory */
const NOT_ENDED = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };

export function informersOf(factory: InformerFactory) {
  return {
    pods: factory.of(Pods, {}, NOT_ENDED),
    nodes: factory.of(Nodes),
    namespaces: factory.of(Namespaces),
    claims: factory.of(PersistentVolumeClaims),
    volumes: factory.of(PersistentVolumes, { class: (volume) => [volumeClass(volume)] }),
    classes: factory.of(StorageClasses),
    csiNodes: factory.of(CSINodes),
    csiDrivers: factory.of(CSIDrivers),
    capacities: factory.of(CSIStorageCapacities, { class: ({ storageClassName }) => [storageClassName] }),
    attachments: factory.of(VolumeAttachments, { node: ({ spec }) => [spec.nodeName] }),
  };
}
export type SchedulerInformers = ReturnType<typeof informersOf>;

export interface ClusterView {
  readonly snapshot: ClusterSnapshot;
  readonly placement: PlacementCache;
  readonly caches: AssumeCaches;
  readonly server: ServerView;
}

export function clusterViewOf(informers: SchedulerInformers): ClusterView {
  const { claims, volumes, classes, csiNodes, csiDrivers, capacities, attachments, namespaces, nodes, pods } =
    informers;
  const caches = { claims: new AssumeCache(claims), volumes: new AssumeCache(volumes) };
  const placement = new PlacementCache();
  const attachmentCounts = countsByNode(attachments);
  return {
    placement,
    caches,
    server: { pods, nodes, claims, volumes },
    snapshot: {
      placement,
      namespaces,
      storage: {
        claims,
        volumes,
        assumedClaims: caches.claims,
        assumedVolumes: caches.volumes,
        assumedVolumesOfClass: (name) => caches.volumes.by('class', name),
        classes,
        csiDrivers,
        csiNodes,
        capacitiesOfClass: (name) => capacities.by('class', name),
        attachmentsOn: (node) => attachments.by('node', node),
        attachmentCountOn: (node) => attachmentCounts.get(node) ?? 0,
      },
    },
  };
}

/** The node of an attachment never changes. */
function countsByNode(attachments: SchedulerInformers['attachments']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  attachments.subscribe(({ type, object }) => {
    const { nodeName } = object.spec;
    const change = type === 'added' ? 1 : type === 'deleted' ? -1 : 0;
    counts.set(nodeName, (counts.get(nodeName) ?? 0) + change);
  });
  return counts;
}
