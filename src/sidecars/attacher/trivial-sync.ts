// For a driver that has nothing to attach: every attachment is attached as soon as it is there, and gone when deleted.
// external-attacher:pkg/controller/trivial_handler.go
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { type Outcome, type Turn } from '../../runtime/controller.ts';
import { attachedPatch } from './attachment-patch.ts';
import { type Services } from './services.ts';

export async function syncTrivially(
  name: string,
  { attachments, driver }: Pick<Services, 'attachments' | 'driver'>,
  turn: Turn,
): Promise<Outcome> {
  const attachment = attachments.get(name);
  if (attachment?.spec.attacher === driver.name && attachment.status.attached !== true) {
    await turn.cluster.patch(VolumeAttachments, name, attachedPatch(attachment, {}), { subresource: 'status' });
  }
  return { type: 'settled' };
}
