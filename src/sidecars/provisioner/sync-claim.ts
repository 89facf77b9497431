// One claim, by uid: a claim that was deleted and made again is another one. What is remembered of a claim is lost on a
// restart, and only that can leak a volume: an attempt whose end is unknown, of a claim that was deleted meanwhile.
// sig-storage-lib-external-provisioner:controller/controller.go
import { unreachable } from '../../base/assert.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import type { CreateVolumeRequest, CsiVolume } from '../../csi/driver.ts';
import { withoutAnnotation } from '../../kube/annotations.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Outcome, Turn } from '../../runtime/controller.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { SELECTED_NODE } from '../../volume/annotations.ts';
import { claimClass } from '../../volume/claim-class.ts';
import { decideAnswer, volumeNameFor } from './create-volume.ts';
import {
  type Failed,
  type Prepared,
  type Task,
  type TopologyMemories,
  failed,
  prepareProvision,
} from './prepare-provision.ts';
import { classifyProvision, stateAfter } from './provisioning-state.ts';
import {
  POPULATOR_MESSAGE,
  PROVISIONING,
  PROVISIONING_FAILED,
  infeasibleMessage,
  provisioningMessage,
} from './reasons.ts';
import { type Services, csiCall } from './services.ts';
import { decideClaim } from './should-provision.ts';
import { SlowSet } from './slow-set.ts';
import { releaseSnapshot } from './take-source.ts';
import type { UnsavedVolumes } from './unsaved-volumes.ts';
import { volumeDraft } from './volume-draft.ts';

/** external-provisioner:pkg/controller/controller.go */
const DELETE_VOLUME_TRIES = 5;

type Provisioned =
  | { readonly type: 'done' }
  /** Nothing more to do until something changes. */
  | { readonly type: 'stopped' }
  | Failed
  /** As failed and finished, but the next try is long off. */
  | { readonly type: 'infeasible'; readonly message: string };
type Ready = Extract<Prepared, { type: 'ready' }>;
/** Told after every attempt that asked the driver, so that capacity can be asked for anew. */
export type OnAttempt = (className: string, made: CsiVolume | undefined, reason: Reason) => void;

export class ClaimSync {
  readonly #services: Services;
  readonly #unsaved: UnsavedVolumes;
  readonly #onAttempt: OnAttempt;
  readonly #slow: SlowSet;
  /** Claims whose last attempt may still be running in the driver, as they were then. */
  readonly #inProgress = new Map<string, PersistentVolumeClaim>();
  readonly #topology: TopologyMemories = new Map();
  /** The revision at which a claim lost its node to us; a claim still seen at it is an old picture. */
  readonly #rescheduledAt = new Map<string, string>();

  constructor(services: Services, unsaved: UnsavedVolumes, onAttempt: OnAttempt) {
    this.#services = services;
    this.#unsaved = unsaved;
    this.#onAttempt = onAttempt;
    this.#slow = new SlowSet(services.clock, services.settings.retryIntervalMaxMs);
  }

  async reconcile(uid: string, turn: Turn): Promise<Outcome> {
    const [living] = this.#services.claims.by('uid', uid);
    const claim = living ?? this.#inProgress.get(uid);
    if (claim !== undefined) await this.#sync(claim, turn);
    this.#inProgress.delete(uid);
    return { type: 'settled' };
  }

  /** Of a claim that is gone nothing is kept but an attempt whose end is unknown. */
  forget(uid: string): void {
    this.#rescheduledAt.delete(uid);
    if (this.#inProgress.has(uid)) return;
    this.#topology.delete(uid);
    this.#slow.delete(uid);
  }

  /** Throws if the claim is to be tried again. */
  async #sync(claim: PersistentVolumeClaim, turn: Turn): Promise<void> {
    const { uid } = claim.metadata;
    const { classes, driver } = this.#services;
    if (this.#slow.isResting(uid, classes.get(claimClass(claim))?.metadata.uid)) {
      const because = 'because provisioning previously failed with infeasible error';
      throw new Error(`skipping volume provisioning for pvc ${uid}, ${because}`);
    }
    if (this.#rescheduledAt.get(uid) === claim.metadata.resourceVersion) return;
    this.#rescheduledAt.delete(uid);
    const decision = decideClaim(claim, driver.name, (name) => classes.get(name));
    if (decision.type === 'leave') return;
    if (decision.type === 'fail') throw new Error(decision.message);
    this.#conclude(claim, await this.#provision({ claim, ...decision }, turn));
  }

  #conclude(claim: PersistentVolumeClaim, outcome: Provisioned): void {
    const { uid } = claim.metadata;
    switch (outcome.type) {
      case 'done':
      case 'stopped':
        return;
      case 'infeasible':
        this.#inProgress.delete(uid);
        throw new Error(outcome.message);
      case 'failed':
        if (outcome.state === 'in-background') this.#inProgress.set(uid, claim);
        else if (outcome.state !== 'no-change') this.#inProgress.delete(uid);
        throw new Error(outcome.message);
      default:
        return unreachable(outcome);
    }
  }

  async #provision(task: Task, turn: Turn): Promise<Provisioned> {
    const { claim } = task;
    const { settings, volumes } = this.#services;
    if (volumes.get(volumeNameFor(claim.metadata.uid, settings)) !== undefined) return { type: 'stopped' };
    const recorder = this.#services.recorder.via(turn.cluster);
    recorder.event(claim, 'Normal', PROVISIONING, provisioningMessage(keyOf(claim)));
    const prepared = await prepareProvision(task, this.#services, this.#topology, turn);
    if (prepared.type === 'foreign') {
      const populator = this.#services.populatorRecorder.via(turn.cluster);
      populator.event(claim, 'Normal', PROVISIONING, POPULATOR_MESSAGE);
      return { type: 'stopped' };
    }
    const outcome = prepared.type === 'ready' ? await this.#create(task, prepared, turn) : prepared;
    if (outcome.type === 'failed') {
      recorder.event(claim, 'Warning', PROVISIONING_FAILED, outcome.message);
      return outcome.state === 'reschedule' ? this.#reschedule(task, outcome, turn) : outcome;
    }
    if (outcome.type === 'infeasible') {
      recorder.event(claim, 'Warning', PROVISIONING_FAILED, infeasibleMessage(outcome.message));
      this.#slow.add(claim.metadata.uid, task.storageClass.metadata.uid);
    }
    return outcome;
  }

  async #create(task: Task, prepared: Ready, turn: Turn): Promise<Provisioned> {
    const { driver, topology } = this.#services;
    const { uid } = task.claim.metadata;
    const call = csiCall(this.#services, turn);
    const className = task.storageClass.metadata.name;
    const created = await attempt(() => driver.controller.createVolume(prepared.request, call), isCsiError);
    if (created.failed) {
      this.#onAttempt(className, undefined, turn.reason);
      const meaning = classifyProvision(created.error.code);
      const state = stateAfter(meaning, topology !== undefined && task.selectedNode !== '');
      if (state === 'finished' || state === 'reschedule') this.#topology.delete(uid);
      const { message } = created.error;
      return meaning === 'infeasible' ? { type: 'infeasible', message } : failed(state, message);
    }
    const { volume } = created.value;
    const answer = decideAnswer(prepared.request, volume, task.claim);
    this.#onAttempt(className, answer.type === 'accept' ? volume : undefined, turn.reason);
    if (answer.type === 'discard') return this.#discard(prepared.request, volume, answer.message, turn);
    await this.#keep(task, prepared, { volume, capacityBytes: answer.capacityBytes }, turn);
    return { type: 'done' };
  }

  async #keep(
    task: Task,
    { request, fsType, secrets }: Ready,
    made: { readonly volume: CsiVolume; readonly capacityBytes: bigint },
    turn: Turn,
  ): Promise<void> {
    const { driver, identity, settings, topology } = this.#services;
    this.#topology.delete(task.claim.metadata.uid);
    await releaseSnapshot(task.claim, this.#services, turn);
    const draft = volumeDraft({
      ...task,
      ...made,
      request,
      fsType,
      secrets,
      identity,
      driverName: driver.name,
      supportsTopology: topology !== undefined,
      controllerPublishReadonly: settings.controllerPublishReadonly,
    });
    await this.#unsaved.save(draft, turn);
  }

  /** A volume that is not what was asked for must go, and whether it went is not certain: asked for again in any case. */
  async #discard(request: CreateVolumeRequest, volume: CsiVolume, why: string, turn: Turn): Promise<Failed> {
    const { driver } = this.#services;
    const call = csiCall(this.#services, turn);
    const deleteRequest = { volumeId: volume.volumeId, secrets: request.secrets };
    let lastError = '';
    for (let tries = 0; tries < DELETE_VOLUME_TRIES; tries++) {
      const deleted = await attempt(() => driver.controller.deleteVolume(deleteRequest, call), isCsiError);
      if (!deleted.failed) return failed('in-background', why);
      lastError = deleted.error.message;
    }
    const orphan = `Cleanup of volume ${request.name} failed, volume is orphaned: ${lastError}`;
    return failed('in-background', `${why}. ${orphan}`);
  }

  /** Without its node the claim goes back to the scheduler. If that cannot be written, the attempt counts as failed. */
  async #reschedule({ claim }: Task, failure: Failed, turn: Turn): Promise<Provisioned> {
    const without = withoutAnnotation(claim, SELECTED_NODE);
    if (without === claim) return { ...failure, state: 'finished' };
    try {
      await turn.cluster.update(PersistentVolumeClaims, without);
    } catch (error) {
      this.#services.log.write('info', `claim ${keyOf(claim)} keeps its node for now: ${messageOf(error)}`);
      return { ...failure, state: 'finished' };
    }
    this.#rescheduledAt.set(claim.metadata.uid, claim.metadata.resourceVersion);
    return { type: 'stopped' };
  }
}
