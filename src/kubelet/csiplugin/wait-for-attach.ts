// The kubelet never attaches and never waits here: it reads the attachment once and the operation is tried again later.
// kubernetes:pkg/volume/csi/csi_attacher.go WaitForAttach
import type { StringMap } from '../../csi/driver.ts';
import type { VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { failureOf, VolumeFailure } from './volume-failure.ts';

export const attachmentOf = ({ nodeName }: CsiServices, { driver, handle }: CsiVolumeId): string =>
  attachmentName({ handle, driver, node: nodeName });

/** Answers the device path, which for CSI is the attachment's name. */
export async function waitForAttach(services: CsiServices, id: CsiVolumeId, turn: OperationTurn): Promise<string> {
  const name = attachmentOf(services, id);
  try {
    const attachment = await turn.cluster.get(VolumeAttachments, name);
    const refusal = attachmentRefusal(attachment, id.handle);
    if (refusal !== undefined) throw new VolumeFailure(refusal, 'final');
    return name;
  } catch (error) {
    if (error instanceof VolumeFailure) throw error;
    failureOf(error);
    const text = `volume ${id.handle} has GET error for volume attachment ${name}: ${messageOf(error)}`;
    throw new VolumeFailure(text, 'final');
  }
}

/** Why a volume must not be mounted yet; undefined if it may. */
export function attachmentRefusal(attachment: VolumeAttachment, handle: string): string | undefined {
  if (attachment.metadata.deletionTimestamp !== undefined) return 'volume attachment is being deleted';
  if (attachment.status.attached) return undefined;
  const error = attachment.status.attachError;
  if (error !== undefined) return error.message ?? '';
  return `volume ${handle} is not attached for volume attachment ${attachment.metadata.name}`;
}

/** What the attach told the driver to tell its node part; empty for drivers that do not attach. */
export async function publishContextOf(
  services: CsiServices,
  id: CsiVolumeId,
  turn: OperationTurn,
): Promise<StringMap> {
  if (services.driverObjectOf(id.driver)?.spec.attachRequired === false) return {};
  const attachment = await turn.cluster.get(VolumeAttachments, attachmentOf(services, id));
  return attachment.status.attachmentMetadata ?? {};
}
