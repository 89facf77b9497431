import { annotationOf } from '../../kube/annotations.ts';
import { type CSINode } from '../../kube/resources/csi-node.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';

/** On VolumeAttachment: what the driver called the node when it was attached. external-attacher:pkg/controller/util.go */
export const NODE_ID_ANNOTATION = 'csi.alpha.kubernetes.io/node-id';

export type Found<T> =
  | { readonly type: 'found'; readonly value: T }
  | { readonly type: 'wrong'; readonly message: string };

/** What the driver calls a node, as its kubelet registered it. */
export function nodeIdOf(driver: string, nodeName: string, csiNode: CSINode | undefined): Found<string> {
  if (csiNode === undefined) return { type: 'wrong', message: `csinode.storage.k8s.io "${nodeName}" not found` };
  const registered = csiNode.spec.drivers?.find(({ name }) => name === driver);
  if (registered !== undefined) return { type: 'found', value: registered.nodeID };
  return { type: 'wrong', message: `CSINode ${nodeName} does not contain driver ${driver}` };
}

/** A node that is gone, or has lost its driver, must not keep its volumes: they were attached under a known id. */
export function lastNodeIdOf(attachment: VolumeAttachment, csiNode: CSINode | undefined): Found<string> {
  const { attacher, nodeName } = attachment.spec;
  const current = nodeIdOf(attacher, nodeName, csiNode);
  const noted = annotationOf(attachment, NODE_ID_ANNOTATION);
  return current.type === 'found' || noted === undefined ? current : { type: 'found', value: noted };
}
