// One claim's attributes: from another VolumeAttributesClass in its spec to the same in its status, by ControllerModifyVolume.
// As long as it is open what the driver does, the target is not changed. external-resizer:pkg/modifycontroller
import { unreachable } from '../../base/assert.ts';
import { Aborted, timestamp } from '../../base/clock.ts';
import { type CsiStatusError, goCodeName, isCsiError } from '../../csi/csi-error.ts';
import type { StringMap } from '../../csi/driver.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { VolumeAttributesClass } from '../../kube/resources/volume-attributes-class.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Outcome, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import { isModifying, modified, modifyCanceled, modifyFailed, modifyPending, modifying } from './attributes-states.ts';
import { claimPatch } from './claim-patch.ts';
import { classifyFailure } from './classify.ts';
import { type SecretReference, readCredentials } from './credentials.ts';
import { decideAttributes } from './decide-attributes.ts';
import {
  VOLUME_MODIFY,
  VOLUME_MODIFY_CANCELED,
  VOLUME_MODIFY_FAILED,
  VOLUME_MODIFY_SUCCESSFUL,
  modifiedMessage,
  modifyingMessage,
} from './reasons.ts';
import { type Services, csiCall } from './services.ts';
import { SlowSet } from './slow-set.ts';

const SETTLED: Outcome = { type: 'settled' };

/** On a volume: the secret for ControllerModifyVolume. external-resizer:pkg/modifier/csi_modifier.go */
const MODIFY_SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name';
const MODIFY_SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace';

interface Task {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

export class AttributesSync {
  readonly #services: Services;
  readonly #classes: Lister<VolumeAttributesClass>;
  readonly #slow: SlowSet;
  /** Claims of which it is open what the driver does with them. */
  readonly #uncertain = new Set<ObjectKey>();

  constructor(services: Services, classes: Lister<VolumeAttributesClass>) {
    this.#services = services;
    this.#classes = classes;
    this.#slow = new SlowSet(services.clock, services.settings.retryIntervalMaxMs);
  }

  /** Of a claim seen for the first time: another process may have left it in the middle. */
  meet(claim: PersistentVolumeClaim): void {
    if (claim.status.modifyVolumeStatus?.status === 'InProgress') this.#uncertain.add(keyOf(claim));
  }

  /** Of a claim that is gone. */
  forget(claim: PersistentVolumeClaim): void {
    this.#uncertain.delete(keyOf(claim));
    this.#slow.delete(keyOf(claim));
  }

  /** A failure is thrown, for the queue to try again later. */
  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { claims, volumes, driver } = this.#services;
    const claim = claims.get(key);
    const volumeName = claim?.spec.volumeName ?? '';
    if (claim === undefined || volumeName === '') return SETTLED;
    const volume = volumes.get(volumeName);
    if (volume === undefined) throw new Error(`Get PV "${volumeName}" of pvc "${key}" in PVInformer cache failed`);
    if (volume.spec.csi?.driver !== driver.name || claim.status.phase !== 'Bound') return SETTLED;
    this.#rest(key, claim);
    await this.#modify({ claim, volume }, turn);
    return SETTLED;
  }

  /** Throws while the class that the driver called infeasible is still the one that is wanted. */
  #rest(key: ObjectKey, { spec, status }: PersistentVolumeClaim): void {
    const modify = status.modifyVolumeStatus;
    const wanted = spec.volumeAttributesClassName;
    if (modify === undefined || (modify.targetVolumeAttributesClassName ?? '') !== wanted)
      return this.#slow.delete(key);
    const isResting = this.#slow.restLeftMs(key) > 0;
    if (modify.status === 'Infeasible') this.#slow.add(key);
    if (!isResting) return;
    const because = 'because modification previously failed with infeasible error';
    throw new Error(`skipping volume modification for pvc ${key}, ${because}`);
  }

  async #modify(task: Task, turn: Turn): Promise<void> {
    const { claim } = task;
    const decision = decideAttributes(claim, this.#uncertain.has(keyOf(claim)));
    switch (decision.type) {
      case 'nothing':
        return;
      case 'cancel':
        return this.#cancel(claim, turn);
      case 'continue': {
        const known = this.#classOf(claim, decision.className, turn);
        if (known === undefined) throw new Error(`get VAC with vac name ${decision.className} failed: not found`);
        return this.#ask(task, known, turn);
      }
      case 'start':
        return this.#begin(task, decision.className, turn);
      default:
        return unreachable(decision);
    }
  }

  async #cancel(claim: PersistentVolumeClaim, turn: Turn): Promise<void> {
    if (!isModifying(claim)) return;
    this.#say(claim, turn, ['Normal', VOLUME_MODIFY_CANCELED, 'Cancelled modify.']);
    await this.#patchClaim(claim, modifyCanceled(claim), { turn, checksVersion: false });
  }

  #classOf(claim: PersistentVolumeClaim, name: string, turn: Turn): VolumeAttributesClass | undefined {
    const found = this.#classes.get(name);
    if (found === undefined) this.#say(claim, turn, ['Warning', VOLUME_MODIFY_FAILED, `VAC "${name}" does not exist.`]);
    return found;
  }

  async #begin({ claim, volume }: Task, className: string, turn: Turn): Promise<void> {
    const known = this.#classOf(claim, className, turn);
    const state = known === undefined ? modifyPending(claim) : modifying(claim, className, this.#now());
    const marked = await this.#patchClaim(claim, state, { turn, checksVersion: true });
    if (known === undefined) return;
    this.#say(marked, turn, ['Normal', VOLUME_MODIFY, modifyingMessage(claim.metadata.name, className)]);
    await this.#ask({ claim: marked, volume }, known, turn);
  }

  async #ask(task: Task, { metadata, parameters = {} }: VolumeAttributesClass, turn: Turn): Promise<void> {
    const { claim, volume } = task;
    const { driver } = this.#services;
    const volumeId = volume.spec.csi?.volumeHandle ?? '';
    const credentials = await readCredentials(turn.cluster, secretOf(volume));
    if ('wrong' in credentials) throw new Error(`cannot get error status from modify volume err: ${credentials.wrong}`);
    const mutableParameters = { ...parameters, ...this.#metadataOf(task) };
    const request = { volumeId, secrets: credentials.secrets, mutableParameters };
    const call = csiCall(this.#services, turn);
    const asked = await attempt(() => driver.controller.controllerModifyVolume(request, call), isCsiError);
    // The call may have ended because the resizer stopped: then nothing is known and nothing is written.
    if (turn.signal.aborted) throw new Aborted();
    if (asked.failed) return this.#failed(claim, asked.error, { className: metadata.name, turn });
    await this.#finish(task, metadata.name, turn);
  }

  #metadataOf({ claim, volume }: Task): StringMap {
    if (!this.#services.settings.extraModifyMetadata) return {};
    return {
      'csi.storage.k8s.io/pvc/name': claim.metadata.name,
      'csi.storage.k8s.io/pvc/namespace': claim.metadata.namespace ?? '',
      'csi.storage.k8s.io/pv/name': volume.metadata.name,
    };
  }

  /** The volume first: what the claim says of itself is true of its volume. */
  async #finish({ claim, volume }: Task, className: string, turn: Turn): Promise<void> {
    this.#uncertain.delete(keyOf(claim));
    const body = { spec: { volumeAttributesClassName: className } };
    await turn.cluster.patch(PersistentVolumes, volume.metadata.name, { type: 'strategic', body });
    await this.#patchClaim(claim, modified(claim), { turn, checksVersion: false });
    this.#say(claim, turn, ['Normal', VOLUME_MODIFY_SUCCESSFUL, modifiedMessage(claim.metadata.name, className)]);
  }

  /** Of the codes that say never, only INVALID_ARGUMENT makes a change infeasible; the others are tried again soon. */
  async #failed(
    claim: PersistentVolumeClaim,
    { code, message, description }: CsiStatusError,
    { className, turn }: { readonly className: string; readonly turn: Turn },
  ): Promise<void> {
    const key = keyOf(claim);
    const uncertain = classifyFailure(code) === 'uncertain';
    const infeasible = code === 'INVALID_ARGUMENT';
    if (uncertain) this.#uncertain.add(key);
    else this.#uncertain.delete(key);
    const failure = { code: goCodeName(code), message: description, infeasible, uncertain };
    await this.#patchClaim(claim, modifyFailed(claim, failure, this.#now()), { turn, checksVersion: true });
    if (infeasible) this.#slow.add(key);
    const text = uncertain ? `${message}. Still modifying to VAC ${className}` : message;
    this.#say(claim, turn, ['Warning', VOLUME_MODIFY_FAILED, text]);
    throw new Error(message);
  }

  async #patchClaim(
    before: PersistentVolumeClaim,
    after: PersistentVolumeClaim,
    { turn, checksVersion }: { readonly turn: Turn; readonly checksVersion: boolean },
  ): Promise<PersistentVolumeClaim> {
    const patch = claimPatch(before, after, checksVersion);
    return await turn.cluster.patch(PersistentVolumeClaims, keyOf(before), patch, { subresource: 'status' });
  }

  #say(
    claim: PersistentVolumeClaim,
    turn: Turn,
    [type, reason, message]: readonly ['Normal' | 'Warning', string, string],
  ): void {
    this.#services.recorder.via(turn.cluster).event(claim, type, reason, message);
  }

  #now(): string {
    return timestamp(this.#services.clock.now());
  }
}

/** The volume's own secret for changes, or else the one for its growth. */
function secretOf(volume: PersistentVolume): SecretReference | undefined {
  const name = annotationOf(volume, MODIFY_SECRET_NAME) ?? '';
  const namespace = annotationOf(volume, MODIFY_SECRET_NAMESPACE) ?? '';
  return name === '' || namespace === '' ? volume.spec.csi?.controllerExpandSecretRef : { name, namespace };
}
