// Keeps the desired state: volumes of pods that run here or shall, until their last container has ended. Upstream looks
// every 100 ms; this one looks at the same instants when a pod, a worker, the actual state or a driver's object changed.
// kubernetes:pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../kube/cluster.ts';
import { keyFrom, type ObjectKey } from '../../kube/object.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type { Turn } from '../../runtime/controller.ts';
import { claimNameOf } from '../../volume/claim-of-pod.ts';
import { traitsOf, type VolumeSpec } from '../csiplugin/volume-spec.ts';
import type { ActualStateOfWorld } from './actual-state-of-world.ts';
import type { DesiredStateOfWorld, VolumeToMount } from './desired-state-of-world.ts';
import { type UsedVolumes, usedVolumesOf } from './pod-volumes.ts';
import { resolveVolume } from './resolve-volume.ts';

/** The pods of this node and how far their workers are. */
export interface PodStates {
  pods(): Iterable<Pod>;
  podByUid(uid: string): Pod | undefined;
  /** All sources of pods have told what they have. */
  sourcesReady(): boolean;
  shouldPodContainersBeTerminating(uid: string): boolean;
  /** No container of it runs any more, and none will. */
  shouldPodRuntimeBeRemoved(uid: string): boolean;
}

/** Tells of every write to a claim or to the volume that names it, by the key of the claim. */
export interface ClaimChanges {
  subscribe(claim: ObjectKey, onChange: () => void): Disposable;
}

export interface PopulatorOptions {
  readonly clock: Clock;
  readonly desired: DesiredStateOfWorld;
  readonly actual: ActualStateOfWorld;
  readonly podStates: PodStates;
  readonly driverObjectOf: (driver: string) => CSIDriver | undefined;
  /** Until then no volume can be judged. */
  readonly whenDriversKnown: () => Promise<void>;
  /** Another pass is wanted at the next point of the grid. */
  readonly again: (reason: Reason) => void;
  /** Absent: nobody tells, so no pod counts as settled. */
  readonly claimChanges?: ClaimChanges;
  /** The pod was settled and is not any more. */
  readonly onUnsettled?: (podUid: string) => void;
}

export class DesiredStateOfWorldPopulator {
  readonly #options: PopulatorOptions;
  /** By pod: whether its volumes were taken over. A pod that was never asked for is absent. */
  readonly #processed = new Map<string, boolean>();
  /** Pods whose volumes, read once more, would be what they are. */
  readonly #settled = new Set<string>();
  /** By pod and claim. */
  readonly #attended = new Map<string, Map<ObjectKey, Disposable>>();
  /** Pods with a claim or volume that was written since their volumes were last begun to be read. */
  readonly #touched = new Set<string>();
  #hasAddedPods = false;

  constructor(options: PopulatorOptions) {
    this.#options = options;
  }

  /** Since then the desired state is complete: what it lacks may be unmounted. Never taken back. */
  get hasAddedPods(): boolean {
    return this.#hasAddedPods;
  }

  isSettled(podUid: string): boolean {
    return this.#settled.has(podUid);
  }

  /** What all volumes depend on changed. */
  unsettleAll(): void {
    for (const uid of this.#settled) this.#unsettle(uid);
  }

  /** The process ends. */
  stop(): void {
    for (const claims of this.#attended.values()) for (const attention of claims.values()) attention.dispose();
    this.#attended.clear();
  }

  #unsettle(podUid: string): void {
    this.#touched.add(podUid);
    if (this.#settled.delete(podUid)) this.#options.onUnsettled?.(podUid);
  }

  #attend(pod: Pod, claim: ObjectKey): void {
    const { claimChanges } = this.#options;
    const { uid } = pod.metadata;
    if (claimChanges === undefined) return;
    const claims = this.#attended.get(uid) ?? new Map<ObjectKey, Disposable>();
    this.#attended.set(uid, claims);
    if (!claims.has(claim))
      claims.set(
        claim,
        claimChanges.subscribe(claim, () => this.#unsettle(uid)),
      );
  }

  #forget(podUid: string): void {
    this.#processed.delete(podUid);
    this.#settled.delete(podUid);
    this.#touched.delete(podUid);
    for (const attention of this.#attended.get(podUid)?.values() ?? []) attention.dispose();
    this.#attended.delete(podUid);
  }

  reprocessPod(podUid: string, reason: Reason): void {
    this.#processed.set(podUid, false);
    this.#options.again(reason);
  }

  /** Until the sources were ready before a pass, the desired state counts as incomplete. */
  async pass(turn: Turn): Promise<void> {
    const ready = this.#options.podStates.sourcesReady();
    await this.#passOnce(turn);
    if (!ready || this.#hasAddedPods) return;
    this.#hasAddedPods = true;
    await this.#passOnce(turn);
  }

  async #passOnce(turn: Turn): Promise<void> {
    await this.#findAndAddNewPods(turn);
    this.#findAndRemoveDeletedPods();
  }

  async #findAndAddNewPods(turn: Turn): Promise<void> {
    const { podStates } = this.#options;
    for (const pod of podStates.pods()) {
      const { uid } = pod.metadata;
      if (this.#hasAddedPods && podStates.shouldPodContainersBeTerminating(uid)) continue;
      if (!this.#hasAddedPods && podStates.shouldPodRuntimeBeRemoved(uid)) continue;
      if (this.#processed.get(uid) !== true) await this.#processPodVolumes(pod, turn);
    }
  }

  async #processPodVolumes(pod: Pod, turn: Turn): Promise<void> {
    await this.#options.whenDriversKnown();
    const { uid } = pod.metadata;
    this.#touched.delete(uid);
    const used = usedVolumesOf(pod);
    let allAdded = true;
    for (const volume of pod.spec.volumes ?? []) {
      if (!used.mounts.has(volume.name) && !used.devices.has(volume.name)) continue;
      if (!(await this.#addVolume(pod, volume, used, turn))) allAdded = false;
    }
    if (allAdded) {
      this.#processed.set(uid, true);
      if (this.#canSettle(uid)) this.#settled.add(uid);
      this.#options.actual.markRemountRequired(uid, (spec) => this.#requiresRemount(spec));
      this.#options.desired.popPodErrors(uid);
    } else if (this.#processed.has(uid)) {
      // Not again at once: the pod's own worker asks anew when it tries again.
      this.#processed.set(uid, true);
    } else this.#options.again(turn.reason);
  }

  #canSettle(podUid: string): boolean {
    const { claimChanges, desired } = this.#options;
    if (claimChanges === undefined || this.#touched.has(podUid)) return false;
    return !desired.volumesOfPod(podUid).some(({ spec }) => this.#requiresRemount(spec));
  }

  async #addVolume(pod: Pod, volume: Volume, used: UsedVolumes, turn: Turn): Promise<boolean> {
    const { actual, clock, desired, driverObjectOf } = this.#options;
    const { uid, namespace } = pod.metadata;
    const claimName = claimNameOf(pod, volume);
    if (claimName !== undefined) this.#attend(pod, keyFrom(namespace, claimName));
    const resolved = await resolveVolume(turn.cluster, pod, volume, used);
    if (resolved.type === 'wrong') {
      desired.addErrorToPod(uid, resolved.message);
      return false;
    }
    const { spec, claim } = resolved;
    const traits = traitsOf(spec, uid, driverObjectOf);
    if (traits === undefined) {
      const text = `failed to get Plugin from volumeSpec for volume "${spec.name}" err=no volume plugin matched`;
      desired.addErrorToPod(uid, text);
      return false;
    }
    desired.addPodToVolume({ pod, spec, traits, outerName: volume.name, mountRequestedAt: clock.monotonic() });
    if (spec.type === 'persistent' && claim !== undefined && !spec.readOnly) {
      desired.updatePersistentVolumeSize(traits.volumeName, spec.spec.capacity?.['storage']);
      actual.initializeClaimSize(traits.volumeName, claim.status.capacity?.['storage']);
    }
    return true;
  }

  /** Volumes whose content is told anew at every sync of the pod. */
  #requiresRemount(spec: VolumeSpec): boolean {
    switch (spec.type) {
      case 'plain':
        return ['secret', 'configMap', 'projected', 'downwardAPI'].some((field) => field in spec.source);
      case 'inline':
        return this.#options.driverObjectOf(spec.source.driver)?.spec.requiresRepublish === true;
      default: {
        const driver = spec.spec.csi?.driver;
        return driver !== undefined && this.#options.driverObjectOf(driver)?.spec.requiresRepublish === true;
      }
    }
  }

  #findAndRemoveDeletedPods(): void {
    const { desired, podStates } = this.#options;
    const desiredPods = new Set<string>();
    for (const volume of desired.volumesToMount()) {
      desiredPods.add(volume.podUid);
      if (!this.#mayLeave(volume)) continue;
      desired.deletePodFromVolume(volume.podUid, volume.volumeName);
      this.#forget(volume.podUid);
    }
    for (const uid of this.#processed.keys()) {
      if (desiredPods.has(uid) || podStates.podByUid(uid) !== undefined) continue;
      if (podStates.shouldPodRuntimeBeRemoved(uid)) this.#forget(uid);
    }
    for (const uid of desired.podsWithErrors()) if (podStates.podByUid(uid) === undefined) desired.popPodErrors(uid);
  }

  #mayLeave({ podUid, volumeName, traits, spec }: VolumeToMount): boolean {
    const { actual, desired, podStates, driverObjectOf } = this.#options;
    const podExists = podStates.podByUid(podUid) !== undefined;
    if (podExists && traits.attachable && traitsOf(spec, podUid, driverObjectOf)?.attachable === false) {
      desired.markVolumeUnattachable(volumeName);
      return false;
    }
    if (!podStates.shouldPodRuntimeBeRemoved(podUid)) return false;
    // A mount may be under way whose pod is not in the actual state yet: it must not be forgotten before it is. The same
    // rule keeps the volume of a deleted pod whose mount never succeeded until the pod object is gone.
    return !podExists || actual.podMountState(volumeName, podUid) !== 'not-mounted';
  }
}
