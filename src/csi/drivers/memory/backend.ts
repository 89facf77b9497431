// The disks of a memory driver: what a storage array would know. Records are immutable and replaced whole, so a reader
// (a checker, a test) may keep one. Volumes and snapshots iterate in the order they were made.
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import { bytesOf } from '../../../kube/quantity.ts';
import { CsiStatusError } from '../../csi-error.ts';
import type {
  AccessMode,
  ControllerCapability,
  CsiSnapshot,
  StringMap,
  VolumeCapability,
  VolumeCondition,
  VolumeContentSource,
} from '../../driver.ts';
import { type MemoryDriverConfig, type MemoryPool, type MemorySettings, settingsOf } from './config.ts';

/** ControllerPublish: the node id may use the volume. */
export interface Publication {
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
}
/** One use of the volume on one node: staged (by staging path) or node-published (by target path). */
export interface NodeUse {
  readonly nodeName: string;
  readonly path: string;
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
  /** All other arguments, for the question whether a repeated call is the same. */
  readonly fingerprint: string;
  /** Cut off by a ControllerUnpublish that came before the node let go: it can no longer write. */
  readonly fenced: boolean;
}
export interface MemoryVolume {
  readonly volumeId: string;
  /** Grows with every volume; pages of a list are cut by it. */
  readonly sequence: number;
  /** Of CreateVolume; empty for volumes that were there from the start and for ephemeral ones. */
  readonly name: string;
  readonly capacityBytes: bigint;
  /** 0 until a first NodeStage or NodePublish formats it. */
  readonly filesystemBytes: bigint;
  readonly usedBytes: bigint;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly mutableParameters: StringMap;
  readonly contentSource: VolumeContentSource | undefined;
  readonly segments: StringMap | undefined;
  readonly pool: string | undefined;
  readonly ephemeral: boolean;
  readonly condition: VolumeCondition | undefined;
  readonly publications: ReadonlyMap<string, Publication>;
  readonly staged: readonly NodeUse[];
  readonly targets: readonly NodeUse[];
}
export interface MemorySnapshot extends CsiSnapshot {
  readonly sequence: number;
  readonly name: string;
  /** Answers to CreateSnapshot that will still say it is not ready. */
  readonly unreadyAnswers: number;
}

/** Something that happened in the backend. A call that changed nothing has no effect. */
export interface CsiEffect {
  readonly driver: string;
  readonly call: string;
  readonly volumeId: string;
  readonly nodeId?: string;
  /** For calls of the node service; with a shared node id only this tells the node. */
  readonly nodeName?: string;
  readonly snapshotId?: string;
  readonly path?: string;
  readonly readonly?: boolean;
}
export interface MemoryDriverSurroundings {
  readonly random: Random;
  readonly clock: Clock;
  readonly effects?: (effect: CsiEffect) => void;
}

export class MemoryBackend {
  readonly settings: MemorySettings;
  readonly #volumes = new Map<string, MemoryVolume>();
  readonly #volumesByName = new Map<string, string>();
  readonly #snapshots = new Map<string, MemorySnapshot>();
  readonly #snapshotsByName = new Map<string, string>();
  /** Sums over #volumes, kept by every change of it. */
  readonly #usedByPool = new Map<string, bigint>();
  readonly #publishedByNode = new Map<string, number>();
  /** Nodes on which the driver runs. Never shrinks: a backend does not forget a node that went away. */
  readonly #nodes: Set<string>;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #effects: (effect: CsiEffect) => void;
  #sequence = 0;

  constructor(config: MemoryDriverConfig, surroundings: MemoryDriverSurroundings) {
    this.settings = settingsOf(config);
    this.#random = surroundings.random;
    this.#clock = surroundings.clock;
    this.#effects = surroundings.effects ?? (() => undefined);
    this.#nodes = new Set(config.nodes);
    for (const volume of config.volumes ?? []) {
      this.put({
        ...this.blank(volume.volumeId),
        capacityBytes: BigInt(bytesOf(volume.capacity)),
        volumeCapabilities: everyUse(volume.accessModes ?? this.settings.accessModes),
        segments: volume.segments,
      });
    }
  }

  volumes(): IterableIterator<MemoryVolume> {
    return this.#volumes.values();
  }

  snapshots(): IterableIterator<MemorySnapshot> {
    return this.#snapshots.values();
  }

  volume(volumeId: string): MemoryVolume | undefined {
    return this.#volumes.get(volumeId);
  }

  snapshot(snapshotId: string): MemorySnapshot | undefined {
    return this.#snapshots.get(snapshotId);
  }

  volumeNamed(name: string): MemoryVolume | undefined {
    return this.#volumes.get(this.#volumesByName.get(name) ?? '');
  }

  snapshotNamed(name: string): MemorySnapshot | undefined {
    return this.#snapshots.get(this.#snapshotsByName.get(name) ?? '');
  }

  /** What an application wrote, for stories about full disks. */
  setUsedBytes(volumeId: string, usedBytes: bigint): void {
    this.put({ ...this.existing(volumeId), usedBytes });
  }

  setCondition(volumeId: string, condition: VolumeCondition | undefined): void {
    this.put({ ...this.existing(volumeId), condition });
  }

  existing(volumeId: string): MemoryVolume {
    const volume = this.#volumes.get(volumeId);
    if (volume === undefined) throw new CsiStatusError('NOT_FOUND', `volume ${volumeId} does not exist`);
    return volume;
  }

  blank(volumeId: string): MemoryVolume {
    return {
      volumeId,
      sequence: ++this.#sequence,
      name: '',
      capacityBytes: 0n,
      filesystemBytes: 0n,
      usedBytes: 0n,
      volumeCapabilities: [],
      parameters: {},
      mutableParameters: {},
      contentSource: undefined,
      segments: undefined,
      pool: undefined,
      ephemeral: false,
      condition: undefined,
      publications: new Map(),
      staged: [],
      targets: [],
    };
  }

  newId(): string {
    return this.#random.uid();
  }

  put(volume: MemoryVolume): void {
    const before = this.#volumes.get(volume.volumeId);
    if (before !== undefined) this.#count(before, -1);
    this.#count(volume, 1);
    this.#volumes.set(volume.volumeId, volume);
    if (volume.name !== '') this.#volumesByName.set(volume.name, volume.volumeId);
  }

  remove(volume: MemoryVolume): void {
    this.#count(volume, -1);
    this.#volumes.delete(volume.volumeId);
    if (volume.name !== '') this.#volumesByName.delete(volume.name);
  }

  /** The cut is now. */
  cut(source: MemoryVolume, name: string): MemorySnapshot {
    const now = this.#clock.now();
    const snapshot: MemorySnapshot = {
      sequence: ++this.#sequence,
      name,
      snapshotId: this.newId(),
      sourceVolumeId: source.volumeId,
      sizeBytes: source.capacityBytes,
      creationTime: { seconds: BigInt(Math.floor(now / 1000)), nanos: Math.floor(now % 1000) * 1_000_000 },
      readyToUse: this.settings.unreadySnapshotAnswers === 0,
      unreadyAnswers: this.settings.unreadySnapshotAnswers,
      groupSnapshotId: '',
    };
    this.putSnapshot(snapshot);
    return snapshot;
  }

  putSnapshot(snapshot: MemorySnapshot): void {
    this.#snapshots.set(snapshot.snapshotId, snapshot);
    this.#snapshotsByName.set(snapshot.name, snapshot.snapshotId);
  }

  removeSnapshot(snapshot: MemorySnapshot): void {
    this.#snapshots.delete(snapshot.snapshotId);
    this.#snapshotsByName.delete(snapshot.name);
  }

  usedBytes(pool: MemoryPool): bigint {
    return this.#usedByPool.get(pool.name) ?? 0n;
  }

  /** How many volumes the node id may use. */
  publishedTo(nodeId: string): number {
    return this.#publishedByNode.get(nodeId) ?? 0;
  }

  #count(volume: MemoryVolume, sign: 1 | -1): void {
    const { pool, capacityBytes, publications } = volume;
    if (pool !== undefined) {
      this.#usedByPool.set(pool, (this.#usedByPool.get(pool) ?? 0n) + BigInt(sign) * capacityBytes);
    }
    for (const nodeId of publications.keys()) this.#publishedByNode.set(nodeId, this.publishedTo(nodeId) + sign);
  }

  meetNode(nodeName: string): void {
    this.#nodes.add(nodeName);
  }

  nodeIdOf(nodeName: string): string {
    return this.settings.sharedNodeId ?? nodeName;
  }

  knowsNodeId(nodeId: string): boolean {
    return (
      nodeId === this.settings.sharedNodeId || (this.settings.sharedNodeId === undefined && this.#nodes.has(nodeId))
    );
  }

  /** A node's own place, as it reports it; undefined without topology or with a shared node id, which has no place. */
  placeOfNodeId(nodeId: string): StringMap | undefined {
    return this.settings.sharedNodeId === undefined ? this.placeOfNode(nodeId) : undefined;
  }

  placeOfNode(nodeName: string): StringMap | undefined {
    const segments = this.settings.topology?.segments;
    if (segments === undefined) return undefined;
    const entries = Object.entries(segments).flatMap(([key, value]) => {
      const own = typeof value === 'string' ? value.replaceAll('${node}', nodeName) : value[nodeName];
      return own === undefined ? [] : [[key, own] as const];
    });
    return Object.fromEntries(entries);
  }

  /** Where storage is; undefined for a driver without topology. */
  places(): readonly StringMap[] | undefined {
    const topology = this.settings.topology;
    if (topology === undefined || !this.settings.plugin.has('VOLUME_ACCESSIBILITY_CONSTRAINTS')) return undefined;
    if (topology.accessibleFrom !== undefined) return topology.accessibleFrom;
    const named = Object.values(topology.segments).flatMap((value) =>
      typeof value === 'string' ? [] : Object.keys(value),
    );
    const places = [...new Set([...this.#nodes, ...named])].map((node) => this.placeOfNode(node) ?? {});
    return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
  }

  require(capability: ControllerCapability): void {
    if (this.settings.plugin.has('CONTROLLER_SERVICE') && this.settings.controller.has(capability)) return;
    throw new CsiStatusError('UNIMPLEMENTED', `${capability} is not offered`);
  }

  report(effect: Omit<CsiEffect, 'driver'>): void {
    this.#effects({ driver: this.settings.name, ...effect });
  }
}

/** A volume that was there from the start may be used as a file system and as a device. */
function everyUse(modes: readonly AccessMode[]): readonly VolumeCapability[] {
  return modes.flatMap((accessMode): readonly VolumeCapability[] => [
    { accessType: { case: 'mount', fsType: '', mountFlags: [] }, accessMode },
    { accessType: { case: 'block' }, accessMode },
  ]);
}
