// Which volumes shall be mounted for which pods of this node, as the populator found it.
// kubernetes:pkg/kubelet/volumemanager/cache/desired_state_of_world.go
import type { DurationMs } from '../../base/clock.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PluginTraits, VolumeSpec } from '../csiplugin/volume-spec.ts';
import { byPod } from './by-pod.ts';

/** An insertion is refused only beyond this many, so one more is kept. */
const POD_ERRORS_MAX = 10;

export interface VolumeToMount {
  readonly volumeName: string;
  readonly podUid: string;
  readonly pod: Pod;
  readonly spec: VolumeSpec;
  readonly traits: PluginTraits;
  /** Names by which the pod calls it. */
  readonly outerNames: readonly string[];
  /** `node.status.volumesInUse` lists it: the controller will not take it away unasked. */
  readonly reportedInUse: boolean;
  /** Size of the PersistentVolume as a quantity; undefined if unknown. */
  readonly desiredSize: string | undefined;
  readonly mountRequestedAt: DurationMs;
}

interface DesiredVolume {
  traits: PluginTraits;
  reportedInUse: boolean;
  desiredSize: string | undefined;
  readonly pods: Map<string, DesiredPod>;
}
interface DesiredPod {
  readonly pod: Pod;
  readonly spec: VolumeSpec;
  readonly outerNames: readonly string[];
  readonly mountRequestedAt: DurationMs;
}

interface Pairs {
  readonly all: readonly VolumeToMount[];
  readonly byPod: ReadonlyMap<string, readonly VolumeToMount[]>;
}

export interface DesiredAddition {
  readonly pod: Pod;
  readonly spec: VolumeSpec;
  readonly traits: PluginTraits;
  readonly outerName: string;
  readonly mountRequestedAt: DurationMs;
}

export class DesiredStateOfWorld {
  readonly #volumes = new Map<string, DesiredVolume>();
  readonly #podErrors = new Map<string, Set<string>>();
  readonly #tell: (podUid: string) => void;
  /** All pairs in order and by pod, made when asked for and gone with the next change. */
  #pairs: Pairs | undefined;

  /** `onChange` is told of every change, with the pod it concerns. */
  constructor(onChange: (podUid: string) => void) {
    this.#tell = onChange;
  }

  #onChange(podUid: string): void {
    this.#pairs = undefined;
    this.#tell(podUid);
  }

  /** Pod and spec are replaced if they are others; the names by which the pod calls the volume add up. */
  addPodToVolume({ pod, spec, traits, outerName, mountRequestedAt }: DesiredAddition): void {
    const volume = this.#volumes.get(traits.volumeName) ?? this.#newVolume(traits, spec);
    const podUid = pod.metadata.uid;
    const before = volume.pods.get(podUid);
    const outerNames = before?.outerNames ?? [];
    if (before?.pod === pod && outerNames.includes(outerName) && isSameSpec(before.spec, spec)) return;
    volume.pods.set(podUid, {
      pod,
      spec,
      outerNames: outerNames.includes(outerName) ? outerNames : [...outerNames, outerName],
      mountRequestedAt: before?.mountRequestedAt ?? mountRequestedAt,
    });
    this.#onChange(podUid);
  }

  #newVolume(traits: PluginTraits, spec: VolumeSpec): DesiredVolume {
    const desiredSize = spec.type === 'persistent' ? spec.spec.capacity?.['storage'] : undefined;
    const volume = { traits, reportedInUse: false, desiredSize, pods: new Map() };
    this.#volumes.set(traits.volumeName, volume);
    return volume;
  }

  deletePodFromVolume(podUid: string, volumeName: string): void {
    this.#podErrors.delete(podUid);
    const volume = this.#volumes.get(volumeName);
    if (volume?.pods.delete(podUid) !== true) return;
    if (volume.pods.size === 0) this.#volumes.delete(volumeName);
    this.#onChange(podUid);
  }

  /** Sets every volume to whether it is listed. */
  markVolumesReportedInUse(reported: ReadonlySet<string>): void {
    for (const [name, volume] of this.#volumes) {
      const reportedInUse = reported.has(name);
      if (volume.reportedInUse === reportedInUse) continue;
      volume.reportedInUse = reportedInUse;
      for (const podUid of volume.pods.keys()) this.#onChange(podUid);
    }
  }

  updatePersistentVolumeSize(volumeName: string, size: string | undefined): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined || volume.desiredSize === size) return;
    volume.desiredSize = size;
    for (const podUid of volume.pods.keys()) this.#onChange(podUid);
  }

  markVolumeUnattachable(volumeName: string): void {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return;
    volume.traits = { ...volume.traits, attachable: false };
    for (const podUid of volume.pods.keys()) this.#onChange(podUid);
  }

  volumeExists(volumeName: string): boolean {
    return this.#volumes.has(volumeName);
  }

  podExistsInVolume(podUid: string, volumeName: string): boolean {
    return this.#volumes.get(volumeName)?.pods.has(podUid) === true;
  }

  volumeExistsWithSpecName(podUid: string, specName: string): boolean {
    return this.volumesOfPod(podUid).some(({ spec }) => spec.name === specName);
  }

  /** By volume, then by pod: upstream's order is any, ours is always the same. */
  volumesToMount(): readonly VolumeToMount[] {
    return this.#known().all;
  }

  volumesOfPod(podUid: string): readonly VolumeToMount[] {
    return this.#known().byPod.get(podUid) ?? [];
  }

  #known(): Pairs {
    if (this.#pairs !== undefined) return this.#pairs;
    const names = [...this.#volumes.keys()].toSorted();
    const all = names.flatMap((name) => this.#podsOf(name));
    this.#pairs = { all, byPod: byPod(all) };
    return this.#pairs;
  }

  #podsOf(volumeName: string): readonly VolumeToMount[] {
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return [];
    const { traits, reportedInUse, desiredSize } = volume;
    return [...volume.pods]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([podUid, pod]) => ({ volumeName, podUid, traits, reportedInUse, desiredSize, ...pod }));
  }

  addErrorToPod(podUid: string, message: string): void {
    const errors = this.#podErrors.get(podUid) ?? new Set();
    if (errors.size > POD_ERRORS_MAX) return;
    errors.add(message);
    this.#podErrors.set(podUid, errors);
    this.#onChange(podUid);
  }

  popPodErrors(podUid: string): readonly string[] {
    const errors = [...(this.#podErrors.get(podUid) ?? [])].toSorted();
    this.#podErrors.delete(podUid);
    return errors;
  }

  podsWithErrors(): readonly string[] {
    return [...this.#podErrors.keys()];
  }
}

/** By identity of what lies in it: objects are shared, so a part that did not change is the same part. */
function isSameSpec(before: VolumeSpec, after: VolumeSpec): boolean {
  if (before.name !== after.name) return false;
  if (before.type === 'persistent')
    return after.type === 'persistent' && before.spec === after.spec && before.readOnly === after.readOnly;
  return after.type === before.type && before.source === after.source;
}
