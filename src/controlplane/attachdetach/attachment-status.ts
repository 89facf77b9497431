// What a VolumeAttachment says to somebody who waits for it. kubernetes:pkg/volume/csi/csi_attacher.go
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { BEING_DELETED } from './reasons.ts';

export type Verdict =
  | { readonly type: 'done' }
  | { readonly type: 'wait' }
  | { readonly type: 'failed'; readonly message: string };

/** An object that is not there has not come yet. An old error counts until the attacher takes it back. */
export function attachVerdict(attachment: VolumeAttachment | undefined): Verdict {
  if (attachment === undefined) return { type: 'wait' };
  if (attachment.metadata.deletionTimestamp !== undefined) return { type: 'failed', message: BEING_DELETED };
  const { attached, attachError } = attachment.status;
  if (attached === true) return { type: 'done' };
  return attachError === undefined ? { type: 'wait' } : { type: 'failed', message: attachError.message ?? '' };
}

/** Only its absence is success. */
export function detachVerdict(attachment: VolumeAttachment | undefined): Verdict {
  if (attachment === undefined) return { type: 'done' };
  const { detachError } = attachment.status;
  return detachError === undefined ? { type: 'wait' } : { type: 'failed', message: detachError.message ?? '' };
}
