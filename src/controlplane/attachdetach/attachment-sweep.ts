// Notices attachments that ended without this controller: a VolumeAttachment that somebody deleted, or that says it is
// no longer attached. Upstream asks about every certain attachment once a minute; here only about those whose object
// does not say attached, which the changes of the objects tell. The question itself is asked in the same way and at the
// same time. Upstream: kubernetes:pkg/volume/util/operationexecutor (GenerateVolumesAreAttachedFunc).
import { type Clock, type DurationMs } from '../../base/clock.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Change, type Lister } from '../../runtime/informer.ts';
import { type ActualStateOfWorld } from './actual-state-of-world.ts';
import { type CsiAttachments } from './csi-attachments.ts';
import { type Catalogue, isAttachRequired } from './volume-spec.ts';

export interface AttachmentSweepParts {
  readonly actual: ActualStateOfWorld;
  readonly attachments: Lister<VolumeAttachment>;
  readonly csi: CsiAttachments;
  readonly catalogue: Pick<Catalogue, 'csiDriver'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** From the end of one sweep to the next; undefined for no sweeps at all. */
  readonly periodMs: DurationMs | undefined;
  /** A pass should ask whether a sweep is due. */
  readonly onDue: () => void;
  /** A volume turned out not to be attached. */
  readonly onLost: (volume: string) => void;
}

export class AttachmentSweep {
  readonly #parts: AttachmentSweepParts;
  /** Names of VolumeAttachments that are gone or do not say attached. Most of them are just being attached. */
  readonly #suspects = new Set<string>();
  #lastAt: DurationMs;

  constructor(parts: AttachmentSweepParts) {
    this.#parts = parts;
    this.#lastAt = parts.clock.monotonic();
    this.#arm();
  }

  attachmentChanged({ type, object }: Change<VolumeAttachment>): void {
    if (type !== 'deleted' && object.status.attached === true) this.#suspects.delete(object.metadata.name);
    else this.#suspects.add(object.metadata.name);
  }

  /** After a start: what Nodes list may have no VolumeAttachment at all, of which no change will tell. */
  suspectAll(): void {
    const { actual, attachments } = this.#parts;
    for (const name of actual.certainAttachments()) {
      if (attachments.get(name)?.status.attached !== true) this.#suspects.add(name);
    }
  }

  async sweepIfDue(cluster: Cluster): Promise<void> {
    const { clock, periodMs } = this.#parts;
    if (periodMs === undefined || clock.monotonic() - this.#lastAt <= periodMs) return;
    this.#lastAt = clock.monotonic();
    this.#arm();
    for (const name of Array.from(this.#suspects)) await this.#verify(name, cluster);
  }

  /** An idle heartbeat: it does not keep a simulated world from being quiet. */
  #arm(): void {
    const { clock, signal, periodMs, onDue } = this.#parts;
    if (periodMs === undefined) return;
    const wake = (): void => {
      signal.removeEventListener('abort', cancel);
      onDue();
    };
    const timer = clock.after(periodMs + 1, wake, { background: true });
    const cancel = (): void => timer.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  }

  /** An attachment known by name alone is not asked about: it is either detached soon or used by a pod that is to come. */
  async #verify(name: string, cluster: Cluster): Promise<void> {
    const { actual, csi, catalogue, onLost } = this.#parts;
    const pair = actual.pairOf(name);
    if (pair === undefined) return void this.#suspects.delete(name);
    const spec = actual.specOf(pair.volume);
    if (spec?.csi === undefined || !isAttachRequired(catalogue.csiDriver(spec.csi.driver))) return;
    if (await csi.isAttached(name, cluster)) return;
    actual.markDetached(pair);
    onLost(pair.volume);
  }
}
