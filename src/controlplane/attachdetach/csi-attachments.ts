// Attaching and detaching through VolumeAttachments: this controller makes and deletes the objects and waits; the
// external attacher of the driver does the work and writes what came of it. A delete is never taken back.
// Upstream: kubernetes:pkg/volume/csi/csi_attacher.go.
import { type DurationMs } from '../../base/clock.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { type Reason } from '../../kube/reason.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attempt } from '../../runtime/attempt.ts';
import { type Lister } from '../../runtime/informer.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import { type CsiVolumeId, splitUniqueVolumeName } from '../../volume/volume-name.ts';
import { type AttachmentPoll } from './attachment-poll.ts';
import { attachVerdict, detachVerdict } from './attachment-status.ts';
import { type Pair } from './pair.ts';
import { NAME_NOT_SPLIT, attachTimedOut, createFailed, deleteFailed, detachTimedOut } from './reasons.ts';

export interface CsiAttachmentsParts {
  readonly attachments: Lister<VolumeAttachment>;
  readonly poll: AttachmentPoll;
  readonly timeoutMs: DurationMs;
}
/** Through which view. A wait ends with the component. */
export interface Effort {
  readonly cluster: Cluster;
}

export interface WantedAttachment extends CsiVolumeId {
  /** Of the PersistentVolume. */
  readonly name: string;
  readonly node: string;
}

/** Both answer with the change of the object that ended the wait. */
export class CsiAttachments {
  readonly #parts: CsiAttachmentsParts;

  constructor(parts: CsiAttachmentsParts) {
    this.#parts = parts;
  }

  async attach(wanted: WantedAttachment, { cluster }: Effort): Promise<Reason | undefined> {
    const { attachments, poll, timeoutMs } = this.#parts;
    const { driver, handle } = wanted;
    const attachment = attachmentName(wanted);
    if (attachments.get(attachment) === undefined) await create(attachment, wanted, cluster);
    const timedOut = attachTimedOut(driver, handle);
    return await poll.until({ attachment, timeoutMs, timedOut, judge: attachVerdict });
  }

  async detach({ volume, node }: Pair, { cluster }: Effort): Promise<Reason | undefined> {
    const { poll, timeoutMs } = this.#parts;
    const id = splitUniqueVolumeName(volume);
    if (id === undefined) throw new Error(NAME_NOT_SPLIT);
    const attachment = attachmentName({ ...id, node });
    const deleted = await attempt(() => cluster.delete(VolumeAttachments, attachment));
    if (deleted.failed && deleted.error.reason === 'NotFound') return undefined;
    if (deleted.failed) throw new Error(deleteFailed(attachment, deleted.error.message));
    const timedOut = detachTimedOut(id.handle);
    return await poll.until({ attachment, timeoutMs, timedOut, judge: detachVerdict });
  }

  /** What cannot be read counts as not attached. */
  async isAttached(attachment: string, cluster: Cluster): Promise<boolean> {
    const known = this.#parts.attachments.get(attachment);
    if (known !== undefined) return known.status.attached === true;
    const read = await attempt(() => cluster.get(VolumeAttachments, attachment));
    return !read.failed && read.value.status.attached === true;
  }
}

/** One that is there already is as good. */
async function create(attachment: string, { driver, name, node }: WantedAttachment, cluster: Cluster): Promise<void> {
  const created = await attempt(() =>
    cluster.create(VolumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: attachment },
      spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: name } },
    }),
  );
  if (created.failed && created.error.reason !== 'AlreadyExists') {
    throw new Error(createFailed(created.error.message));
  }
}
