// One claim's size: from a request larger than its capacity to a volume of that size, and no further than the node step,
// which is the kubelet's. The size that is attempted is written down before the driver is asked, so that after a crash the
// same size is asked for again. external-resizer:pkg/controller/{controller,expand_and_recover}.go
import { Aborted, timestamp } from '../../base/clock.ts';
import { annotationOf } from '../../kube/annotations.ts';
import type { ObjectKey } from '../../kube/object.ts';
import { keyOf } from '../../kube/object.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Outcome, Turn } from '../../runtime/controller.ts';
import type { Lister } from '../../runtime/informer.ts';
import { PRE_RESIZE_CAPACITY } from '../../volume/annotations.ts';
import { capacityOf, requestOf, resizeStatusOf } from './claim-news.ts';
import { claimPatch } from './claim-patch.ts';
import { failedResize, pendingOnNode, resized, resizing } from './claim-states.ts';
import { classifyFailure } from './classify.ts';
import { type SizeFacts, decideSize } from './decide-size.ts';
import { type Expanded, expandVolume } from './expand-volume.ts';
import { OwnWrites } from './own-writes.ts';
import {
  FILE_SYSTEM_RESIZE_REQUIRED,
  NODE_STEP_REQUIRED,
  RESIZED,
  RESIZING,
  VOLUME_RESIZE_FAILED,
  VOLUME_RESIZE_SUCCESSFUL,
  inUseMessage,
  resizingMessage,
} from './reasons.ts';
import type { Services } from './services.ts';
import { SlowSet } from './slow-set.ts';

const SETTLED: Outcome = { type: 'settled' };

/** A claim that is to grow, and the volume it has. */
interface Task {
  readonly key: ObjectKey;
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}
type Grown = Extract<Expanded, { type: 'grown' }>;
type Failed = Extract<Expanded, { type: 'failed' }>;

export class SizeSync {
  readonly #services: Services;
  readonly #claims: OwnWrites<PersistentVolumeClaim>;
  readonly #volumes: OwnWrites<PersistentVolume>;
  /** Index `claim`: pods that are not over, by the claims they name. Undefined if nobody looks. */
  readonly #pods: Lister<Pod> | undefined;
  readonly #slow: SlowSet;
  /** Claims whose last call failed for certain: their size may be changed although it says that it is in progress. */
  readonly #finalErrors = new Set<ObjectKey>();
  /** Uids of claims whose volume the driver refused to grow in use. */
  readonly #inUseErrors = new Set<string>();

  constructor(services: Services, pods: Lister<Pod> | undefined) {
    this.#services = services;
    this.#claims = new OwnWrites(services.claims);
    this.#volumes = new OwnWrites(services.volumes);
    this.#pods = pods;
    this.#slow = new SlowSet(services.clock, services.settings.retryIntervalMaxMs);
  }

  /** Of a claim that is gone. */
  forget(claim: PersistentVolumeClaim): void {
    const key = keyOf(claim);
    this.#claims.forget(key);
    this.#volumes.forget(claim.spec.volumeName ?? '');
    this.#slow.delete(key);
    this.#finalErrors.delete(key);
    this.#inUseErrors.delete(claim.metadata.uid);
  }

  /** A failure is thrown, for the queue to try again later. */
  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const claim = this.#claims.get(key);
    const volumeName = claim?.spec.volumeName ?? '';
    if (claim === undefined || volumeName === '') return SETTLED;
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) throw new Error(`PV "${volumeName}" bound to pvc "${key}" not found`);
    if (isNodeStepDone(claim, volume)) await this.#dropPreResizeCapacity(volume, turn);
    if (!wantsMore(claim) || !this.#isOurs(claim, volume)) return SETTLED;
    return await this.#resize({ key, claim, volume }, turn);
  }

  #isOurs({ metadata }: PersistentVolumeClaim, { spec }: PersistentVolume): boolean {
    const { claimRef, csi } = spec;
    if (csi?.driver !== this.#services.driver.name) return false;
    return claimRef?.namespace === metadata.namespace && claimRef?.uid === metadata.uid;
  }

  async #dropPreResizeCapacity(volume: PersistentVolume, turn: Turn): Promise<void> {
    const body = { metadata: { annotations: { [PRE_RESIZE_CAPACITY]: null } } };
    await this.#patchVolume(volume, body, turn);
  }

  async #resize(task: Task, turn: Turn): Promise<Outcome> {
    const { key, claim } = task;
    const restLeftMs = this.#slow.restLeftMs(key);
    if (resizeStatusOf(claim) === 'ControllerResizeInfeasible') this.#slow.add(key);
    const decision = decideSize(this.#factsOf(task));
    if (decision.type === 'leave') return SETTLED;
    const { size } = decision;
    const allocated = claim.status.allocatedResources?.['storage'];
    const isNewSize = allocated === undefined || compareQuantities(allocated, size) !== 0;
    if (!isNewSize && restLeftMs > 0) {
      return { type: 'requeue', after: restLeftMs, waitingFor: 'the next try of a size the driver called infeasible' };
    }
    const state = resizing(claim, size, { isNewSize, now: this.#now() });
    const marked = await this.#patchClaim(claim, state, { turn, checksVersion: true });
    this.#refuseInUse(marked, turn);
    await this.#grow({ ...task, claim: marked }, size, turn);
    return SETTLED;
  }

  #factsOf({ key, claim, volume }: Task): SizeFacts {
    const { allocatedResources, conditions = [] } = claim.status;
    return {
      request: requestOf(claim),
      volumeSize: volume.spec.capacity?.['storage'] ?? '0',
      allocated: allocatedResources?.['storage'],
      resizeStatus: resizeStatusOf(claim),
      hasFinalError: this.#finalErrors.has(key),
      growsAtController: this.#services.capabilities.has('EXPAND_VOLUME'),
      isFileSystemResizePending: conditions.some(
        ({ type, status }) => type === 'FileSystemResizePending' && status === 'True',
      ),
    };
  }

  /** A driver that once refused a volume in use is not asked again before its pods are gone. */
  #refuseInUse(claim: PersistentVolumeClaim, turn: Turn): void {
    if (!this.#inUseErrors.has(claim.metadata.uid)) return;
    const [user] = this.#pods?.by('claim', keyOf(claim)) ?? [];
    if (user === undefined) return;
    const message = inUseMessage(keyOf(claim), this.#services.driver.name);
    this.#say(claim, turn, ['Warning', VOLUME_RESIZE_FAILED, message]);
    throw new Error(message);
  }

  async #grow(task: Task, size: string, turn: Turn): Promise<void> {
    const { claim, volume } = task;
    this.#say(claim, turn, ['Normal', RESIZING, resizingMessage(volume.metadata.name)]);
    this.#inUseErrors.delete(claim.metadata.uid);
    const expanded = await expandVolume(volume, size, this.#services, turn);
    // The call may have ended because the resizer stopped: then nothing is known and nothing is written.
    if (turn.signal.aborted) throw new Aborted();
    const failure =
      expanded.type === 'failed' ? await this.#failed(task, expanded, turn) : await this.#grown(task, expanded, turn);
    if (failure === undefined) return;
    this.#say(claim, turn, ['Warning', VOLUME_RESIZE_FAILED, failure]);
    throw new Error(failure);
  }

  /** Writes down what the failure means, and answers its text. */
  async #failed({ key, claim, volume }: Task, { message, code }: Failed, turn: Turn): Promise<string> {
    if (code === 'FAILED_PRECONDITION') this.#inUseErrors.add(claim.metadata.uid);
    const text = `resize volume "${volume.metadata.name}" by resizer "${this.#services.driver.name}" failed: ${message}`;
    const meaning = code === undefined ? 'uncertain' : classifyFailure(code);
    if (meaning !== 'infeasible') this.#slow.delete(key);
    if (meaning === 'uncertain') {
      this.#finalErrors.delete(key);
      return text;
    }
    this.#finalErrors.add(key);
    const state = failedResize(claim, { error: message, infeasible: meaning === 'infeasible', now: this.#now() });
    const saved = await attempt(() => this.#patchClaim(claim, state, { turn, checksVersion: false }));
    if (!saved.failed) return text;
    const why = `mark PVC "${key}" as controller expansion failed, errored with: ${notPatched(key, saved.error)}`;
    return `resizing failed in controller with ${message} but failed to update PVC ${key} with: ${why}`;
  }

  /** The volume first: a claim never shows a size that its volume does not have. Answers why it could not be written. */
  async #grown(task: Task, { size, nodeStepRequired }: Grown, turn: Turn): Promise<string | undefined> {
    const { key, claim, volume } = task;
    this.#finalErrors.delete(key);
    this.#slow.delete(key);
    const isMarked = annotationOf(volume, PRE_RESIZE_CAPACITY) !== undefined;
    const mark = { metadata: { annotations: { [PRE_RESIZE_CAPACITY]: capacityOf(claim) } } };
    const body = { spec: { capacity: { storage: size } }, ...(nodeStepRequired && !isMarked ? mark : {}) };
    const raised = await attempt(() => this.#patchVolume(volume, body, turn));
    if (raised.failed) {
      const { name } = volume.metadata;
      const why = `updating capacity of PV "${name}" to ${size} failed: update capacity of PV ${name} failed`;
      return `error updating pv "${name}" by resizer: ${why}: ${raised.error.message}`;
    }
    const state = nodeStepRequired ? pendingOnNode(claim, this.#now()) : resized(claim, size);
    const marked = await attempt(() => this.#patchClaim(claim, state, { turn, checksVersion: true }));
    if (marked.failed) {
      const as = nodeStepRequired ? 'node expansion required' : 'resize finished';
      return `mark PVC "${key}" as ${as} failed: ${notPatched(key, marked.error)}`;
    }
    if (nodeStepRequired) this.#say(claim, turn, ['Normal', FILE_SYSTEM_RESIZE_REQUIRED, NODE_STEP_REQUIRED]);
    else this.#say(claim, turn, ['Normal', VOLUME_RESIZE_SUCCESSFUL, RESIZED]);
    return undefined;
  }

  async #patchClaim(
    before: PersistentVolumeClaim,
    after: PersistentVolumeClaim,
    { turn, checksVersion }: { readonly turn: Turn; readonly checksVersion: boolean },
  ): Promise<PersistentVolumeClaim> {
    const patch = claimPatch(before, after, checksVersion);
    const key = keyOf(before);
    const patched = await turn.cluster.patch(PersistentVolumeClaims, key, patch, { subresource: 'status' });
    this.#claims.note(patched);
    return patched;
  }

  async #patchVolume({ metadata }: PersistentVolume, body: object, turn: Turn): Promise<void> {
    this.#volumes.note(await turn.cluster.patch(PersistentVolumes, metadata.name, { type: 'strategic', body }));
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

/** Upstream writes the two spaces. */
const notPatched = (key: ObjectKey, error: Error): string => `can't patch status of  PVC ${key} with ${error.message}`;

const wantsMore = (claim: PersistentVolumeClaim): boolean =>
  claim.status.phase === 'Bound' && compareQuantities(requestOf(claim), capacityOf(claim)) > 0;

function isNodeStepDone(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  if (annotationOf(volume, PRE_RESIZE_CAPACITY) === undefined) return false;
  return compareQuantities(capacityOf(claim), volume.spec.capacity?.['storage'] ?? '0') >= 0;
}
