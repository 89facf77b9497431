// Brings the actual state to the desired one: unmount what is not wanted, mount or wait for what is, unstage what no pod
// has. Nothing is unmounted before the desired state is complete and the node's status was read, so that a restart can
// never unmount a volume of a pod that was not listed yet.
// kubernetes:pkg/kubelet/volumemanager/reconciler/{reconciler,reconciler_common,reconstruct}.go
import { unreachable } from '../../base/assert.ts';
import type { DurationMs } from '../../base/clock.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Turn } from '../../runtime/controller.ts';
import { volumeModeOf } from '../csiplugin/volume-spec.ts';
import type { DesiredStateOfWorld, VolumeToMount } from './desired-state-of-world.ts';
import type { ExpansionWaits } from './expansion-waits.ts';
import type { NestedOperations, OperationKey } from './nested-operations.ts';
import { expandInUse } from './operations/expand-volume.ts';
import { mapVolume } from './operations/map-volume.ts';
import { mountVolume } from './operations/mount-volume.ts';
import { unmapStagedDevice, unmountStagedDevice } from './operations/unmount-device.ts';
import { unmapVolume, unmountVolume } from './operations/unmount-volume.ts';
import { mayBeAttached, verifyControllerAttached } from './operations/verify-attached.ts';
import type { FoundVolume, ReconstructedVolumes } from './reconstruct.ts';
import type { VolumeServices } from './volume-services.ts';

export interface ReconcilerOptions {
  readonly services: VolumeServices;
  readonly desired: DesiredStateOfWorld;
  readonly operations: NestedOperations;
  readonly waits: ExpansionWaits;
  hasAddedPods(): boolean;
  /** A pass is wanted not before this time is over. */
  againAfter(delay: DurationMs): void;
}

export class VolumeReconciler {
  readonly #options: ReconcilerOptions;
  /** Volumes found on disk whose attachment the node's status has not confirmed or denied yet. */
  #unconfirmed: readonly string[] = [];
  /** Found on disk, but not known what they are. */
  #unknown: readonly FoundVolume[] = [];
  #statesSynced = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** From then on `volumesInUse` may be written. */
  get statesSynced(): boolean {
    return this.#statesSynced;
  }

  begin({ volumeNames, unknown }: ReconstructedVolumes): void {
    this.#unconfirmed = volumeNames;
    this.#unknown = unknown;
  }

  async pass(turn: Turn): Promise<void> {
    const ready = this.#options.hasAddedPods() && this.#unconfirmed.length === 0;
    if (ready) this.#unmountVolumes(turn);
    this.#mountOrAttachVolumes(turn);
    if (ready) {
      this.#unmountDetachDevices(turn);
      this.#cleanUnknownVolumes();
    }
    if (this.#unconfirmed.length > 0) await this.#confirmFromNodeStatus(turn);
    if (this.#unconfirmed.length === 0) this.#statesSynced = true;
  }

  #unmountVolumes(turn: Turn): void {
    const { desired, operations, services } = this.#options;
    for (const volume of services.actual.allMountedVolumes()) {
      const { volumeName, podUid } = volume;
      if (operations.isPending(volume) || desired.podExistsInVolume(podUid, volumeName)) continue;
      const isBlock = volumeModeOf(volume.spec) === 'Block';
      const name = isBlock ? 'unmap_volume' : 'volume_unmount';
      const unmount = isBlock ? unmapVolume : unmountVolume;
      this.#run({ volumeName, podUid }, name, turn, () => unmount(services, volume, turn));
    }
  }

  #mountOrAttachVolumes(turn: Turn): void {
    const { desired, operations, services } = this.#options;
    for (const volume of desired.volumesToMount()) {
      const { volumeName, podUid, desiredSize } = volume;
      if (operations.isPending({ volumeName, podUid: '' })) continue;
      const decision = services.actual.decideMount(volumeName, podUid, desiredSize);
      switch (decision.type) {
        case 'attach':
          this.#waitForAttach(volume, turn);
          break;
        case 'mount':
          this.#mount(volume, decision.isRemount, turn);
          break;
        case 'expand':
          this.#expand(volume, turn);
          break;
        case 'none':
          break;
        default:
          unreachable(decision);
      }
    }
  }

  /** An attachable volume that the node does not report in use yet is left alone: no operation, no back-off. */
  #waitForAttach(volume: VolumeToMount, turn: Turn): void {
    const { services } = this.#options;
    const { traits, reportedInUse, volumeName } = volume;
    if (traits.attachable && !reportedInUse) return;
    if (!mayBeAttached(services, volume)) return;
    const key = { volumeName, podUid: '' };
    this.#run(key, 'verify_controller_attached_volume', turn, () => verifyControllerAttached(services, volume, turn));
  }

  #mount(volume: VolumeToMount, isRemount: boolean, turn: Turn): void {
    const { services } = this.#options;
    const { traits, volumeName } = volume;
    const isBlock = volumeModeOf(volume.spec) === 'Block';
    const isPerPod = !traits.attachable && !traits.deviceMountable;
    const key = { volumeName, podUid: isPerPod ? volume.podUid : '' };
    if (isBlock) this.#run(key, 'map_volume', turn, () => mapVolume(services, volume, turn));
    else this.#run(key, 'volume_mount', turn, () => mountVolume(services, { ...volume, isRemount }, turn));
  }

  #expand(volume: VolumeToMount, turn: Turn): void {
    const { services, waits } = this.#options;
    if (waits.isWaiting(volume)) return;
    this.#run({ volumeName: volume.volumeName, podUid: '' }, 'volume_fs_resize', turn, async () => {
      const outcome = await expandInUse(services, volume, turn);
      if (outcome.type === 'wait') waits.begin(volume, outcome.resourceVersion);
    });
  }

  #unmountDetachDevices(turn: Turn): void {
    const { desired, operations, services } = this.#options;
    for (const volume of services.actual.unmountedVolumes()) {
      const { volumeName, deviceState, spec } = volume;
      const key = { volumeName, podUid: '' };
      if (desired.volumeExists(volumeName) || operations.isPending(key)) continue;
      if (deviceState === 'not-mounted') services.actual.markVolumeAsDetached(volumeName);
      else if (volumeModeOf(spec) === 'Block') {
        this.#run(key, 'unmap_device', turn, () => unmapStagedDevice(services, volume, turn));
      } else this.#run(key, 'unmount_device', turn, () => unmountStagedDevice(services, volume, turn));
    }
  }

  /** Once. A CSI volume without vol_data.json cannot be unmounted: it stays, and only log and counters tell. */
  #cleanUnknownVolumes(): void {
    const { desired, services } = this.#options;
    const unknown = this.#unknown;
    this.#unknown = [];
    for (const { podUid, specName, plugin, directory } of unknown) {
      if (desired.volumeExistsWithSpecName(podUid, specName)) continue;
      services.count('force_cleaned_failed_volume_operations_total');
      services.count('force_cleaned_failed_volume_operation_errors_total');
      const fields = { podUid, specName, plugin };
      services.log.write('warn', `a volume found on disk is not known and stays: ${directory}`, fields);
    }
  }

  async #confirmFromNodeStatus(turn: Turn): Promise<void> {
    const { services } = this.#options;
    const read = await attempt(() => turn.cluster.get(Nodes, services.nodeName));
    if (read.failed) {
      this.#options.againAfter(0);
      return;
    }
    const attached = new Map(read.value.status.volumesAttached?.map(({ name, devicePath }) => [name, devicePath]));
    for (const name of this.#unconfirmed) services.actual.updateReconstructedVolume(name, attached.get(name));
    this.#unconfirmed = [];
    this.#options.againAfter(0);
  }

  #run(key: OperationKey, name: string, { reason }: Turn, perform: () => Promise<void>): void {
    const answer = this.#options.operations.run(key, { name, reason, perform });
    if (answer.type === 'backoff') this.#options.againAfter(answer.forMs);
  }
}
