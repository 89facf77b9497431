// What this kubelet believes is attached, staged and mounted on its node. Uncertain means: an operation was begun and its
// end is not known, or the volume was found on disk by a new process. An uncertain mount is done again while it is wanted
// and undone when it is not.
// kubernetes:pkg/kubelet/volumemanager/cache/actual_state_of_world.go
import { assert } from '../../base/assert.ts';
import { compareQuantities, isZeroQuantity } from '../../kube/quantity.ts';
import type { PluginTraits, VolumeSpec } from '../csiplugin/volume-spec.ts';
import { byPod } from './by-pod.ts';

export type DeviceMountState = 'not-mounted' | 'uncertain' | 'mounted';
export type PodMountState = 'mounted' | 'uncertain';

export interface MountedVolume {
  readonly volumeName: string;
  readonly podUid: string;
  readonly spec: VolumeSpec;
  readonly plugin: string;
  readonly state: PodMountState;
}
export interface AttachedVolume {
  readonly volumeName: string;
  readonly spec: VolumeSpec;
  readonly plugin: string;
  /** Listed in volumesInUse. A volume found on disk is not until the node's status said so. */
  readonly attachable: boolean;
  readonly deviceState: DeviceMountState;
  readonly devicePath: string;
}

/** What to do about one wanted pair of volume and pod, in the order in which the rules are asked. */
export type MountDecision =
  | { readonly type: 'attach' }
  | { readonly type: 'mount'; readonly isRemount: boolean }
  | { readonly type: 'expand'; readonly currentSize: string }
  | { readonly type: 'none' };

interface ActualVolume {
  readonly spec: VolumeSpec;
  readonly plugin: string;
  attachable: 'yes' | 'no' | 'uncertain';
  deviceState: DeviceMountState;
  devicePath: string;
  /** Quantity; undefined if unknown. */
  size: string | undefined;
  /** The driver will not grow it while it is in use: not asked again until it is mounted anew. */
  inUseExpansionError: boolean;
  readonly pods: Map<string, ActualPod>;
}
interface ActualPod {
  readonly spec: VolumeSpec;
  readonly state: PodMountState;
  readonly remountRequired: boolean;
}

interface View {
  readonly mounted: readonly MountedVolume[];
  readonly attached: readonly AttachedVolume[];
  readonly unmounted: readonly AttachedVolume[];
  readonly byPod: ReadonlyMap<string, readonly MountedVolume[]>;
}

export class ActualStateOfWorld {
  readonly #volumes = new Map<string, ActualVolume>();
  /** Pods whose uncertain mount comes from the disk, not from an operation of this process. */
  readonly #reconstructed = new Map<string, Set<string>>();
  readonly #finalExpansionErrors = new Set<string>();
  readonly #tell: (podUid: string) => void;
  /** Volumes in order and mounts by pod, made when asked for and gone with the next change. */
  #view: View | undefined;

  /** `onChange` is told of every change, with the pod it concerns or an empty text. */
  constructor(onChange: (podUid: string) => void) {
    this.#tell = onChange;
  }

  #onChange(podUid: string): void {
    this.#view = undefined;
    this.#tell(podUid);
  }

  // ---- attaching

  markVolumeAsAttached(traits: PluginTraits, spec: VolumeSpec, devicePath: string): void {
    const { volumeName, plugin, attachable } = traits;
    const known = this.#volumes.get(volumeName);
    if (known === undefined) this.#add(volumeName, { spec, plugin, attachable: attachable ? 'yes' : 'no', devicePath });
    else known.devicePath = devicePath;
    this.#onChange('');
  }

  #add(name: string, volume: Pick<ActualVolume, 'spec' | 'plugin' | 'attachable' | 'devicePath'>): void {
    this.#volumes.set(name, {
      ...volume,
      deviceState: 'not-mounted',
      size: undefined,
      inUseExpansionError: false,
      pods: new Map(),
    });
  }

  volumeExists(volumeName: string): boolean {
    return this.#volumes.has(volumeName);
  }

  /** Only a volume that no pod has any more. */
  markVolumeAsDetached(volumeName: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    assert(volume.pods.size === 0, 'a volume that a pod has is not forgotten');
    this.#volumes.delete(volumeName);
    this.#reconstructed.delete(volumeName);
    this.#onChange('');
  }

  // ---- devices

  setDeviceMountState(volumeName: string, deviceState: DeviceMountState, devicePath = ''): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    volume.deviceState = deviceState;
    if (devicePath !== '') volume.devicePath = devicePath;
    this.#onChange('');
  }

  deviceMountState(volumeName: string): DeviceMountState {
    return this.#volumes.get(volumeName)?.deviceState ?? 'not-mounted';
  }

  // ---- pods

  markVolumeAsMounted(volumeName: string, podUid: string, spec: VolumeSpec): void {
    this.#setPod(volumeName, podUid, { spec, state: 'mounted', remountRequired: false });
    this.#reconstructed.get(volumeName)?.delete(podUid);
  }

  markVolumeMountAsUncertain(volumeName: string, podUid: string, spec: VolumeSpec): void {
    this.#setPod(volumeName, podUid, { spec, state: 'uncertain', remountRequired: false });
  }

  #setPod(volumeName: string, podUid: string, pod: ActualPod): void {
    const volume = this.#volumes.get(volumeName);
    assert(volume !== undefined, 'a pod has only volumes that are attached');
    const before = volume.pods.get(podUid);
    volume.pods.set(podUid, before?.state === 'mounted' ? { ...pod, spec: before.spec } : pod);
    this.#onChange(podUid);
  }

  markVolumeAsUnmounted(volumeName: string, podUid: string): void {
    this.#reconstructed.get(volumeName)?.delete(podUid);
    if (this.#volumes.get(volumeName)?.pods.delete(podUid) === true) this.#onChange(podUid);
  }

  /** Volumes of the pod whose plug-in wants them set up again and again. */
  markRemountRequired(podUid: string, requiresRemount: (spec: VolumeSpec) => boolean): void {
    for (const volume of this.#volumes.values()) {
      const pod = volume.pods.get(podUid);
      if (pod === undefined || !requiresRemount(pod.spec)) continue;
      volume.pods.set(podUid, { ...pod, remountRequired: true });
      this.#onChange(podUid);
    }
  }

  podMountState(volumeName: string, podUid: string): PodMountState | 'not-mounted' {
    return this.#volumes.get(volumeName)?.pods.get(podUid)?.state ?? 'not-mounted';
  }

  /** Mounted or perhaps mounted for another pod. */
  isMountedElsewhere(volumeName: string, podUid: string): boolean {
    return [...(this.#volumes.get(volumeName)?.pods.keys() ?? [])].some((other) => other !== podUid);
  }

  decideMount(volumeName: string, podUid: string, desiredSize: string | undefined): MountDecision {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return { type: 'attach' };
    const pod = volume.pods.get(podUid);
    if (pod === undefined || pod.state === 'uncertain') return { type: 'mount', isRemount: false };
    if (pod.remountRequired) return { type: 'mount', isRemount: true };
    const currentSize = expansionFrom(volume, desiredSize);
    return currentSize === undefined ? { type: 'none' } : { type: 'expand', currentSize };
  }

  // ---- sizes

  initializeClaimSize(volumeName: string, size: string | undefined): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined || size === undefined || volume.size !== undefined || isZeroQuantity(size)) return;
    volume.size = size;
    this.#onChange('');
  }

  claimSize(volumeName: string): string | undefined {
    return this.#volumes.get(volumeName)?.size;
  }

  markVolumeAsResized(volumeName: string, size: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume !== undefined) volume.size = size;
    this.#onChange('');
  }

  markForInUseExpansionError(volumeName: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume !== undefined) volume.inUseExpansionError = true;
  }

  setFinalExpansionError(volumeName: string): void {
    this.#finalExpansionErrors.add(volumeName);
  }

  hasFinalExpansionError(volumeName: string): boolean {
    return this.#finalExpansionErrors.has(volumeName);
  }

  // ---- questions

  /** Mounted or uncertain, by volume and pod. */
  allMountedVolumes(): readonly MountedVolume[] {
    return this.#known().mounted;
  }

  mountedVolumesOfPod(podUid: string): readonly MountedVolume[] {
    return this.possiblyMountedVolumesOfPod(podUid).filter(({ state }) => state === 'mounted');
  }

  possiblyMountedVolumesOfPod(podUid: string): readonly MountedVolume[] {
    return this.#known().byPod.get(podUid) ?? [];
  }

  attachedVolumes(): readonly AttachedVolume[] {
    return this.#known().attached;
  }

  /** Volumes that no pod has, not even perhaps. */
  unmountedVolumes(): readonly AttachedVolume[] {
    return this.#known().unmounted;
  }

  #known(): View {
    if (this.#view !== undefined) return this.#view;
    const sorted = [...this.#volumes].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const mounted = sorted.flatMap(([volumeName, { plugin, pods }]) =>
      [...pods]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([podUid, { spec, state }]) => ({ volumeName, podUid, spec, plugin, state })),
    );
    const attached = sorted.map(([volumeName, volume]) => attachedVolume(volumeName, volume));
    const unmounted = attached.filter(({ volumeName }) => this.#volumes.get(volumeName)?.pods.size === 0);
    this.#view = { mounted, attached, unmounted, byPod: byPod(mounted) };
    return this.#view;
  }

  // ---- what was found on disk

  addReconstructedVolume(traits: PluginTraits, spec: VolumeSpec, podUid: string): void {
    const { volumeName, plugin, deviceMountable } = traits;
    if (!this.#volumes.has(volumeName))
      this.#add(volumeName, { spec, plugin, attachable: 'uncertain', devicePath: '' });
    this.#setPod(volumeName, podUid, { spec, state: 'uncertain', remountRequired: false });
    if (deviceMountable) this.setDeviceMountState(volumeName, 'uncertain');
    const pods = this.#reconstructed.get(volumeName) ?? new Set();
    pods.add(podUid);
    this.#reconstructed.set(volumeName, pods);
  }

  /** From `node.status.volumesAttached`: the path there, or undefined if the volume is not listed. */
  updateReconstructedVolume(volumeName: string, devicePath: string | undefined): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    if (devicePath !== undefined && volume.deviceState === 'uncertain') volume.devicePath = devicePath;
    if (volume.attachable === 'uncertain') volume.attachable = devicePath === undefined ? 'no' : 'yes';
    this.#onChange('');
  }

  isVolumeReconstructed(volumeName: string, podUid: string): boolean {
    const isFound = this.#reconstructed.get(volumeName)?.has(podUid) === true;
    return isFound && this.podMountState(volumeName, podUid) === 'uncertain';
  }

  isDeviceReconstructed(volumeName: string): boolean {
    return this.#reconstructed.has(volumeName);
  }
}

function attachedVolume(volumeName: string, volume: ActualVolume): AttachedVolume {
  const { spec, plugin, attachable, deviceState, devicePath } = volume;
  return { volumeName, spec, plugin, attachable: attachable === 'yes', deviceState, devicePath };
}

/** The size to grow from; undefined if the volume need not or cannot grow here. */
function expansionFrom(
  { size, spec, inUseExpansionError }: ActualVolume,
  desired: string | undefined,
): string | undefined {
  if (inUseExpansionError || size === undefined || desired === undefined || isZeroQuantity(desired)) return undefined;
  // Of our plug-ins only CSI grows on the node.
  if (spec.type !== 'persistent' || spec.spec.csi === undefined) return undefined;
  return compareQuantities(desired, size) > 0 ? size : undefined;
}
