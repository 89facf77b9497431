import { createHash } from 'node:crypto';

/**
 * The name of the VolumeAttachment of a volume on a node. The volume's object is no part of it: two PVs with the same
 * handle and driver share one attachment a node. kubernetes:pkg/volume/csi/csi_attacher.go
 */
export function attachmentName(volume: {
  readonly handle: string;
  readonly driver: string;
  readonly node: string;
}): string {
  return `csi-${createHash('sha256').update(`${volume.handle}${volume.driver}${volume.node}`).digest('hex')}`;
}
