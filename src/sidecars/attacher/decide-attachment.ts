// What a VolumeAttachment asks of the driver. external-attacher:pkg/controller/csi_handler.go
import { hasFinalizer } from '../../kube/finalizers.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';

export interface AttachmentFacts {
  readonly finalizer: string;
  /** The driver's list of volumes contradicts the object. */
  readonly isForced: boolean;
}
export type AttachmentDecision =
  | { readonly type: 'nothing' }
  | { readonly type: 'attach' }
  | { readonly type: 'detach' };

/**
 * An attachment without the finalizer was never asked of the driver, or is detached already. One with it may have been
 * attached although it never said so: it is detached in any case.
 */
export function decideAttachment(
  attachment: VolumeAttachment,
  { finalizer, isForced }: AttachmentFacts,
): AttachmentDecision {
  if (attachment.metadata.deletionTimestamp === undefined) {
    return attachment.status.attached === true && !isForced ? { type: 'nothing' } : { type: 'attach' };
  }
  return hasFinalizer(attachment, finalizer) || isForced ? { type: 'detach' } : { type: 'nothing' };
}
