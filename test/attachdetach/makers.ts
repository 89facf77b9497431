import type { CSINode } from '../../src/kube/resources/csi-node.ts';
import type { VolumeAttachment } from '../../src/kube/resources/volume-attachment.ts';

const CREATED = '2026-01-01T00:00:00Z';
const meta = (name: string) => ({ name, uid: `uid-of-${name}`, resourceVersion: '1', creationTimestamp: CREATED });

export interface AttachmentParts {
  readonly source?: VolumeAttachment['spec']['source'];
  readonly status?: Partial<VolumeAttachment['status']>;
  readonly deleting?: boolean;
  readonly metadata?: Partial<VolumeAttachment['metadata']>;
}

/** An attachment of the volume pv1 to node1, not attached yet. */
export function anAttachment(parts: AttachmentParts = {}): VolumeAttachment {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { ...meta('va1'), ...(parts.deleting === true ? { deletionTimestamp: CREATED } : {}), ...parts.metadata },
    spec: { attacher: 'csi/test', nodeName: 'node1', source: parts.source ?? { persistentVolumeName: 'pv1' } },
    status: { attached: false, ...parts.status },
  };
}

export function aCsiNode(name: string, drivers: Readonly<Record<string, string>>): CSINode {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: meta(name),
    spec: {
      drivers: Object.entries(drivers).map(([driver, nodeID]) => ({ name: driver, nodeID, topologyKeys: null })),
    },
  };
}
