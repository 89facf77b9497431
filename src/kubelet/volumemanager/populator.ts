// Keeps the desired state: volumes of pods that run here or shall, until their last container has ended. Upstream looks
// every 100 ms; this one looks at the same instants when a pod, a worker, the actual state or a driver's object changed.
// kubernetes:pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go
import type { Clock } from '../../base/clock.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type { Turn } from '../../runtime/controller.ts';
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
}

export class DesiredStateOfWorldPopulator {
  readonly #options: PopulatorOptions;
  /** By pod: whether its volumes were taken over. A pod that was never asked for is absent. */
  readonly #processed = new Map<string, boolean>();
  #hasAddedPods = false;

  constructor(options: PopulatorOptions) {
    this.#options = options;
  }

  /** Since then the desired state is complete: what it lacks may be unmounted. Never taken back. */
  get hasAddedPods(): boolean {
    return this.#hasAddedPods;
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
    const used = usedVolumesOf(pod);
    let allAdded = true;
    for (const volume of pod.spec.volumes ?? []) {
      if (!used.mounts.has(volume.name) && !used.devices.has(volume.name)) continue;
      if (!(await this.#addVolume(pod, volume, used, turn))) allAdded = false;
    }
    if (allAdded) {
      this.#processed.set(uid, true);
      this.#options.actual.markRemountRequired(uid, (spec) => this.#requiresRemount(spec));
      this.#options.desired.popPodErrors(uid);
    } else if (this.#processed.has(uid)) {
      // Not again at once: the pod's own worker asks anew when it tries again.
      this.#processed.set(uid, true);
    } else this.#options.again(turn.reason);
  }

  async #addVolume(pod: Pod, volume: Volume, used: UsedVolumes, turn: Turn): Promise<boolean> {
    const { actual, clock, desired, driverObjectOf } = this.#options;
    const { uid } = pod.metadata;
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
      this.#processed.delete(volume.podUid);
    }
    for (const uid of this.#processed.keys()) {
      if (desiredPods.has(uid) || podStates.podByUid(uid) !== undefined) continue;
      if (podStates.shouldPodRuntimeBeRemoved(uid)) this.#processed.delete(uid);
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
