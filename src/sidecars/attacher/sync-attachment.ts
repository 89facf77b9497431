// One VolumeAttachment: attached or detached through the driver, with what came of it in the status. The finalizer goes
// on before the driver is asked and stays until the driver has said that the volume is detached, so that nothing is
// left attached behind a deleted object. Writing the finalizer is itself a change of the object: if the status has not
// come back through the watch when that change is looked at, the driver is asked a second time, which does no harm.
// external-attacher:pkg/controller/csi_handler.go
import { unreachable } from '../../base/assert.ts';
import { Aborted } from '../../base/clock.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import { type StringMap } from '../../csi/driver.ts';
import { type Patch } from '../../kube/cluster.ts';
import { hasFinalizer } from '../../kube/finalizers.ts';
import {
  type PersistentVolume,
  type PersistentVolumeSpec,
  PersistentVolumes,
} from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attempt } from '../../runtime/attempt.ts';
import { type Outcome, type Turn } from '../../runtime/controller.ts';
import {
  type Failure,
  addVolumeFinalizer,
  attachErrorPatch,
  attachedPatch,
  detachErrorPatch,
  detachedPatch,
  finalizerPatch,
  withoutFinalizerPatch,
} from './attachment-patch.ts';
import { readCredentials } from './credentials.ts';
import { decideAttachment } from './decide-attachment.ts';
import { type ForcedSyncs } from './forced-syncs.ts';
import { type Found, lastNodeIdOf, nodeIdOf } from './node-id.ts';
import { csiSourceOf, prepareRequest, sourceOf } from './publish-request.ts';
import { type Services, csiCall } from './services.ts';
import { keepsErrorCode } from './settings.ts';

/** An expected failure on the way, with the object as it was then. */
interface Failed {
  readonly type: 'failed';
  readonly attachment: VolumeAttachment;
  readonly failure: Failure;
}

export class AttachmentSync {
  readonly #services: Services;
  readonly #forced: ForcedSyncs;

  constructor(services: Services, forced: ForcedSyncs) {
    this.#services = services;
    this.#forced = forced;
  }

  /** A failure is thrown, for the queue to try again later. */
  async reconcile(name: string, turn: Turn): Promise<Outcome> {
    const { attachments, driver, finalizer } = this.#services;
    const attachment = attachments.get(name);
    if (attachment?.spec.attacher !== driver.name) return { type: 'settled' };
    const decision = decideAttachment(attachment, { finalizer, isForced: this.#forced.take(name) });
    switch (decision.type) {
      case 'nothing':
        break;
      case 'attach':
        await this.#attach(attachment, turn);
        break;
      case 'detach':
        await this.#detach(attachment, turn);
        break;
      default:
        return unreachable(decision);
    }
    return { type: 'settled' };
  }

  async #attach(attachment: VolumeAttachment, turn: Turn): Promise<void> {
    const published = await this.#publish(attachment, turn);
    if (published.type === 'failed') {
      const { message, code } = published.failure;
      const kept =
        code !== undefined && keepsErrorCode(this.#services.settings.profile) ? { message, code } : { message };
      const patch = attachErrorPatch(kept, this.#services.clock.now());
      return this.#fail(published, patch, { turn, verb: 'attach' });
    }
    await this.#patchStatus(published.attachment, attachedPatch(published.attachment, published.publishContext), turn);
  }

  async #publish(
    attachment: VolumeAttachment,
    turn: Turn,
  ): Promise<
    Failed | { readonly type: 'published'; readonly attachment: VolumeAttachment; readonly publishContext: StringMap }
  > {
    const { driver, csiNodes, finalizer, capabilities, settings } = this.#services;
    const failed = ({ message }: { readonly message: string }): Failed => ({
      type: 'failed',
      attachment,
      failure: { message },
    });
    const spec = await this.#specToAttach(attachment, turn);
    if (spec.type === 'wrong') return failed(spec);
    const request = prepareRequest(spec.value, { capabilities, defaultFstype: settings.defaultFstype });
    if (request.type === 'wrong') return failed(request);
    const secrets = await readCredentials(turn.cluster, spec.value);
    if (secrets.type === 'wrong') return failed(secrets);
    const { nodeName } = attachment.spec;
    const nodeId = nodeIdOf(driver.name, nodeName, csiNodes.get(nodeName));
    if (nodeId.type === 'wrong') return failed(nodeId);
    const patch = finalizerPatch(attachment, finalizer, nodeId.value);
    const saved = await attempt(() => this.#patch(attachment, patch, turn));
    if (saved.failed) return failed({ message: `could not save VolumeAttachment: ${saved.error.message}` });
    const question = { ...request.value, nodeId: nodeId.value, secrets: secrets.value };
    const asked = await attempt(
      () => driver.controller.controllerPublishVolume(question, csiCall(this.#services, turn)),
      isCsiError,
    );
    if (asked.failed) return { type: 'failed', attachment: saved.value, failure: asked.error };
    return { type: 'published', attachment: saved.value, publishContext: asked.value.publishContext };
  }

  async #specToAttach(attachment: VolumeAttachment, turn: Turn): Promise<Found<PersistentVolumeSpec>> {
    const source = sourceOf(attachment);
    if (source.type === 'wrong') return source;
    if ('inline' in source.value) return { type: 'found', value: source.value.inline };
    const volume = this.#volume(source.value.persistentVolumeName);
    if (volume.type === 'wrong') return volume;
    if (volume.value.metadata.deletionTimestamp !== undefined) {
      return { type: 'wrong', message: `PersistentVolume "${volume.value.metadata.name}" is marked for deletion` };
    }
    const held = await attempt(() => this.#holdVolume(volume.value, turn));
    if (held.failed) {
      return { type: 'wrong', message: `could not add PersistentVolume finalizer: ${held.error.message}` };
    }
    return { type: 'found', value: held.value.spec };
  }

  async #holdVolume(volume: PersistentVolume, turn: Turn): Promise<PersistentVolume> {
    const { finalizer } = this.#services;
    if (hasFinalizer(volume, finalizer)) return volume;
    const { name, finalizers } = volume.metadata;
    return await turn.cluster.patch(PersistentVolumes, name, addVolumeFinalizer(finalizers, finalizer));
  }

  async #detach(attachment: VolumeAttachment, turn: Turn): Promise<void> {
    const unpublished = await this.#unpublish(attachment, turn);
    const failure = unpublished ?? (await this.#markDetached(attachment, turn));
    if (failure === undefined) return;
    const patch = detachErrorPatch(failure, this.#services.clock.now());
    await this.#fail({ type: 'failed', attachment, failure }, patch, { turn, verb: 'detach' });
  }

  /** Answers why it failed. A node id that was noted when the volume was attached is as good as a current one. */
  async #unpublish(attachment: VolumeAttachment, turn: Turn): Promise<Failure | undefined> {
    const { driver, csiNodes } = this.#services;
    const spec = this.#specToDetach(attachment);
    if (spec.type === 'wrong') return spec;
    const source = csiSourceOf(spec.value);
    if (source.type === 'wrong') return source;
    const secrets = await readCredentials(turn.cluster, spec.value);
    if (secrets.type === 'wrong') return secrets;
    const nodeId = lastNodeIdOf(attachment, csiNodes.get(attachment.spec.nodeName));
    if (nodeId.type === 'wrong') return nodeId;
    const question = { volumeId: source.value.volumeHandle, nodeId: nodeId.value, secrets: secrets.value };
    const asked = await attempt(
      () => driver.controller.controllerUnpublishVolume(question, csiCall(this.#services, turn)),
      isCsiError,
    );
    return asked.failed ? { message: asked.error.message } : undefined;
  }

  #specToDetach(attachment: VolumeAttachment): Found<PersistentVolumeSpec> {
    const source = sourceOf(attachment);
    if (source.type === 'wrong') return source;
    if ('inline' in source.value) return { type: 'found', value: source.value.inline };
    const volume = this.#volume(source.value.persistentVolumeName);
    return volume.type === 'wrong' ? volume : { type: 'found', value: volume.value.spec };
  }

  /** The finalizer first: an object without it counts as detached, so that the driver is not asked a second time. */
  async #markDetached(attachment: VolumeAttachment, turn: Turn): Promise<Failure | undefined> {
    const patch = withoutFinalizerPatch(attachment, this.#services.finalizer);
    if (patch === undefined && attachment.status.attached !== true) return undefined;
    const marked = await attempt(async () => {
      const freed = await this.#patch(attachment, patch, turn);
      await this.#patchStatus(freed, detachedPatch(freed), turn);
    });
    // Usually the object went with its finalizer.
    if (!marked.failed || marked.error.reason === 'NotFound') return undefined;
    return { message: `could not mark as detached: ${marked.error.message}` };
  }

  /** What went wrong stands in the status, if it can be written, and the attempt counts as failed. */
  async #fail(
    { attachment, failure }: Failed,
    patch: Patch,
    { turn, verb }: { readonly turn: Turn; readonly verb: string },
  ): Promise<never> {
    const saved = await attempt(() => this.#patchStatus(attachment, patch, turn));
    if (saved.failed) {
      const { name } = attachment.metadata;
      this.#services.log.write('info', `the error of ${name} could not be saved: ${saved.error.message}`);
    }
    throw new Error(`failed to ${verb}: ${failure.message}`);
  }

  #volume(name: string): Found<PersistentVolume> {
    const value = this.#services.volumes.get(name);
    return value === undefined
      ? { type: 'wrong', message: `persistentvolume "${name}" not found` }
      : { type: 'found', value };
  }

  async #patch(attachment: VolumeAttachment, patch: Patch | undefined, turn: Turn): Promise<VolumeAttachment> {
    if (patch === undefined) return attachment;
    if (turn.signal.aborted) throw new Aborted();
    return await turn.cluster.patch(VolumeAttachments, attachment.metadata.name, patch);
  }

  async #patchStatus({ metadata }: VolumeAttachment, patch: Patch, turn: Turn): Promise<void> {
    // The call to the driver may have ended because the attacher stopped: then nothing is known and nothing is written.
    if (turn.signal.aborted) throw new Aborted();
    await turn.cluster.patch(VolumeAttachments, metadata.name, patch, { subresource: 'status' });
  }
}
