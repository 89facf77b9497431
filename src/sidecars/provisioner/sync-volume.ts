// One PersistentVolume: keeps our finalizer where it belongs, and deletes the backing volume of one that was released.
// sig-storage-lib-external-provisioner:controller/controller.go, external-provisioner:pkg/controller/controller.go
import { isCsiError } from '../../csi/csi-error.ts';
import type { StringMap } from '../../csi/driver.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Patch } from '../../kube/cluster.ts';
import { hasFinalizer, withFinalizer, withoutFinalizer } from '../../kube/finalizers.ts';
import type { Reason } from '../../kube/reason.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Outcome, Turn } from '../../runtime/controller.ts';
import { EXTERNAL_DELETION_FINALIZER, MIGRATED_TO, PROVISIONED_BY } from '../../volume/annotations.ts';
import { volumeClass } from '../../volume/claim-class.ts';
import type { Found } from './class-parameters.ts';
import { DELETION_SECRET_NAME, DELETION_SECRET_NAMESPACE } from './marks.ts';
import { VOLUME_FAILED_DELETE } from './reasons.ts';
import { NO_SPECIAL_NEEDS, missingCapability } from './required-capabilities.ts';
import { readCredentials } from './secret-data.ts';
import { secretReference } from './secret-reference.ts';
import { type Services, csiCall } from './services.ts';
import { isKnownProvisioner } from './should-provision.ts';
import type { Reference } from './volume-draft.ts';

/** Whoever provisioned it; a volume made by hand belongs to the driver it names. */
export function isOurVolume(volume: PersistentVolume, driverName: string): boolean {
  const provisionedBy = annotationOf(volume, PROVISIONED_BY);
  const isMigrated = isKnownProvisioner(annotationOf(volume, MIGRATED_TO), driverName);
  if (provisionedBy !== undefined) return isKnownProvisioner(provisionedBy, driverName) || isMigrated;
  return volume.spec.csi === undefined ? isMigrated : isKnownProvisioner(volume.spec.csi.driver, driverName);
}

/** What the list of finalizers should be; the same list if nothing is to be changed. */
export function withRightFinalizer(volume: PersistentVolume): PersistentVolume {
  const policy = volume.spec.persistentVolumeReclaimPolicy;
  const isInUse = volume.metadata.deletionTimestamp === undefined && volume.status.phase === 'Bound';
  if (policy === 'Delete' && isInUse) return withFinalizer(volume, EXTERNAL_DELETION_FINALIZER);
  if (policy === 'Retain' || policy === 'Recycle') return withoutFinalizer(volume, EXTERNAL_DELETION_FINALIZER);
  return volume;
}

/** A volume being deleted without our finalizer has been deleted in the backend before. Phase Failed is never ours. */
export function shouldDelete(volume: PersistentVolume): boolean {
  const isDone = volume.metadata.deletionTimestamp !== undefined && !hasFinalizer(volume, EXTERNAL_DELETION_FINALIZER);
  return !isDone && volume.status.phase === 'Released' && volume.spec.persistentVolumeReclaimPolicy === 'Delete';
}

/** One list element, whatever others do to the list meanwhile. */
const finalizerPatch = (change: 'add' | 'remove'): Patch => ({
  type: 'strategic',
  body: {
    metadata:
      change === 'add'
        ? { finalizers: [EXTERNAL_DELETION_FINALIZER] }
        : { '$deleteFromPrimitiveList/finalizers': [EXTERNAL_DELETION_FINALIZER] },
  },
});

/** Told of every volume that was deleted in the backend. */
export type OnDeleted = (volume: PersistentVolume, reason: Reason) => void;

export class VolumeSync {
  readonly #services: Services;
  readonly #onDeleted: OnDeleted;
  /** Uids whose backing volume is gone and whose object may still be seen: the driver is not asked twice. */
  readonly #gone = new Set<string>();

  constructor(services: Services, onDeleted: OnDeleted) {
    this.#services = services;
    this.#onDeleted = onDeleted;
  }

  async reconcile(name: string, turn: Turn): Promise<Outcome> {
    const known = this.#services.volumes.get(name);
    if (known === undefined || !isOurVolume(known, this.#services.driver.name)) return { type: 'settled' };
    const volume = await this.#rightFinalizer(known, turn);
    if (shouldDelete(volume)) await this.#delete(volume, turn);
    return { type: 'settled' };
  }

  /** The object is gone too. */
  forget(uid: string): void {
    this.#gone.delete(uid);
  }

  async #rightFinalizer(volume: PersistentVolume, turn: Turn): Promise<PersistentVolume> {
    const right = withRightFinalizer(volume);
    if (right === volume) return volume;
    const change = hasFinalizer(right, EXTERNAL_DELETION_FINALIZER) ? 'add' : 'remove';
    return turn.cluster.patch(PersistentVolumes, volume.metadata.name, finalizerPatch(change));
  }

  async #delete(volume: PersistentVolume, turn: Turn): Promise<void> {
    const { name, uid } = volume.metadata;
    const problem = this.#gone.has(uid) ? undefined : await this.#deleteInBackend(volume, turn);
    if (problem !== undefined) {
      this.#services.recorder.via(turn.cluster).event(volume, 'Warning', VOLUME_FAILED_DELETE, problem);
      throw new Error(problem);
    }
    this.#gone.add(uid);
    this.#onDeleted(volume, turn.reason);
    try {
      await turn.cluster.delete(PersistentVolumes, name);
      if (!hasFinalizer(volume, EXTERNAL_DELETION_FINALIZER)) return;
      await turn.cluster.patch(PersistentVolumes, name, finalizerPatch('remove'));
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }

  /** Says what went wrong. */
  async #deleteInBackend(volume: PersistentVolume, turn: Turn): Promise<string | undefined> {
    const { csi } = volume.spec;
    if (csi === undefined) return 'invalid CSI PV';
    const { capabilities, driver } = this.#services;
    const missing = missingCapability(capabilities, NO_SPECIAL_NEEDS);
    if (missing !== undefined) return missing;
    const secrets = await this.#secrets(volume, turn);
    if (secrets.type === 'wrong') return secrets.message;
    const attached = this.#attachedNode(volume.metadata.name);
    if (attached !== undefined) return `persistentvolume ${volume.metadata.name} is still attached to node ${attached}`;
    const request = { volumeId: csi.volumeHandle, secrets: secrets.value };
    const call = csiCall(this.#services, turn);
    const deleted = await attempt(() => driver.controller.deleteVolume(request, call), isCsiError);
    return deleted.failed ? deleted.error.message : undefined;
  }

  /** Any attachment counts: attached or not, going away or not. */
  #attachedNode(volumeName: string): string | undefined {
    for (const attachment of this.#services.attachments?.by('volume', volumeName) ?? [])
      return attachment.spec.nodeName;
    return undefined;
  }

  /** A secret that is gone does not keep a volume: the driver may do without. */
  async #secrets(volume: PersistentVolume, turn: Turn): Promise<Found<StringMap>> {
    const reference = this.#secretReference(volume);
    if (reference.type === 'wrong') return reference;
    const credentials = await readCredentials(turn.cluster, reference.value);
    if (credentials.type === 'found') return credentials;
    this.#services.log.write(
      'error',
      `volume ${volume.metadata.name} is deleted without secrets: ${credentials.message}`,
    );
    return { type: 'found', value: {} };
  }

  #secretReference(volume: PersistentVolume): Found<Reference | undefined> {
    const [name, namespace] = [
      annotationOf(volume, DELETION_SECRET_NAME),
      annotationOf(volume, DELETION_SECRET_NAMESPACE),
    ];
    if (name !== undefined && namespace !== undefined) {
      return { type: 'found', value: name === '' || namespace === '' ? undefined : { name, namespace } };
    }
    const { claimRef } = volume.spec;
    const storageClass = this.#services.classes.get(volumeClass(volume));
    if (storageClass === undefined || claimRef === undefined) return { type: 'found', value: undefined };
    const claim = { metadata: { name: claimRef.name ?? '', namespace: claimRef.namespace ?? '' } };
    const pvName = volume.metadata.name;
    const lookup = secretReference('provisioner', storageClass.parameters ?? {}, { pvName, claim });
    if (lookup.type === 'wrong') {
      return { type: 'wrong', message: `failed to get secretreference for volume ${pvName}: ${lookup.message}` };
    }
    return { type: 'found', value: lookup.type === 'none' ? undefined : lookup.reference };
  }
}
