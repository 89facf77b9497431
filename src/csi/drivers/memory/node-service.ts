// The node side: what is staged and published where on one node. Nothing is mounted; a path is only remembered.
import { bytesOf } from '../../../kube/quantity.ts';
import { CsiStatusError } from '../../csi-error.ts';
import type {
  CsiNode,
  NodeCapability,
  NodeGetInfoResponse,
  NodeGetVolumeStatsResponse,
  NodePublishVolumeRequest,
  NodeStageVolumeRequest,
  VolumeCapability,
} from '../../driver.ts';
import type { MemoryBackend, MemoryVolume, NodeUse } from './backend.ts';
import { checkRange, fingerprintOf, requireField, requireMessage } from './checks.ts';

/** kubernetes:pkg/volume/csi/csi_mounter.go puts it into the volume context of inline volumes. */
const EPHEMERAL_KEY = 'csi.storage.k8s.io/ephemeral';
const EPHEMERAL_SIZE = '1Gi';
/** One inode for so many bytes, as mkfs.ext4 makes them. */
const BYTES_PER_INODE = 16_384n;
/** What lies in a file, so to say. */
const BYTES_PER_FILE = 1_048_576n;

export function nodeService(backend: MemoryBackend, nodeName: string): CsiNode {
  const node = new MemoryNode(backend, nodeName);
  return {
    nodeGetCapabilities: async () => ({
      capabilities: [...backend.settings.node].map((type) => ({ case: 'rpc' as const, type })),
    }),
    nodeGetInfo: async () => node.info(),
    nodeStageVolume: async (request) => node.stage(request),
    nodeUnstageVolume: async ({ volumeId, stagingTargetPath }) => node.unstage(volumeId, stagingTargetPath),
    nodePublishVolume: async (request) => node.publish(request),
    nodeUnpublishVolume: async ({ volumeId, targetPath }) => node.unpublish(volumeId, targetPath),
    nodeExpandVolume: async ({ volumeId, volumePath, capacityRange }) => {
      node.require('EXPAND_VOLUME');
      if (capacityRange !== undefined) checkRange(capacityRange);
      return { capacityBytes: node.expand(volumeId, volumePath, capacityRange?.requiredBytes ?? 0n) };
    },
    nodeGetVolumeStats: async ({ volumeId, volumePath }) => node.stats(volumeId, volumePath),
  };
}

class MemoryNode {
  readonly #backend: MemoryBackend;
  readonly #nodeName: string;

  constructor(backend: MemoryBackend, nodeName: string) {
    this.#backend = backend;
    this.#nodeName = nodeName;
    backend.meetNode(nodeName);
  }

  require(capability: NodeCapability): void {
    if (this.#backend.settings.node.has(capability)) return;
    throw new CsiStatusError('UNIMPLEMENTED', `${capability} is not offered`);
  }

  info(): NodeGetInfoResponse {
    const { plugin, maxVolumesPerNode } = this.#backend.settings;
    const segments = this.#backend.placeOfNode(this.#nodeName);
    return {
      nodeId: this.#backend.nodeIdOf(this.#nodeName),
      maxVolumesPerNode: BigInt(maxVolumesPerNode),
      ...(plugin.has('VOLUME_ACCESSIBILITY_CONSTRAINTS') && segments !== undefined
        ? { accessibleTopology: { segments } }
        : {}),
    };
  }

  stage(request: NodeStageVolumeRequest): Record<string, never> {
    this.require('STAGE_UNSTAGE_VOLUME');
    requireField(request.volumeId, 'volume_id');
    requireField(request.stagingTargetPath, 'staging_target_path');
    const volumeCapability = requireMessage(request.volumeCapability, 'volume_capability');
    const volume = this.#backend.existing(request.volumeId);
    this.#checkAttached(volume);
    const use = this.#use(request, volumeCapability, { path: request.stagingTargetPath, readonly: false });
    const before = volume.staged.find((each) => each.nodeName === this.#nodeName && !each.fenced);
    if (before !== undefined && before.path !== use.path) {
      throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volume.volumeId} is staged at ${before.path}`);
    }
    if (before !== undefined && before.fingerprint !== use.fingerprint) {
      throw new CsiStatusError('ALREADY_EXISTS', `volume ${volume.volumeId} is staged at ${before.path} differently`);
    }
    if (before !== undefined) return {};
    this.#backend.put({
      ...volume,
      staged: [...volume.staged.filter((each) => each.nodeName !== this.#nodeName), use],
      filesystemBytes: this.#formatted(volume, volumeCapability),
    });
    this.#report('NodeStageVolume', volume.volumeId, { path: use.path });
    return {};
  }

  unstage(volumeId: string, path: string): Record<string, never> {
    this.require('STAGE_UNSTAGE_VOLUME');
    requireField(volumeId, 'volume_id');
    requireField(path, 'staging_target_path');
    const volume = this.#backend.volume(volumeId);
    if (volume?.staged.some((each) => each.nodeName === this.#nodeName && each.path === path) !== true) return {};
    const target = volume.targets.find((each) => each.nodeName === this.#nodeName);
    if (target !== undefined) {
      throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volumeId} is still published at ${target.path}`);
    }
    this.#backend.put({ ...volume, staged: volume.staged.filter((each) => each.nodeName !== this.#nodeName) });
    this.#report('NodeUnstageVolume', volumeId, { path });
    return {};
  }

  publish(request: NodePublishVolumeRequest): Record<string, never> {
    requireField(request.volumeId, 'volume_id');
    requireField(request.targetPath, 'target_path');
    const volumeCapability = requireMessage(request.volumeCapability, 'volume_capability');
    const isEphemeral = request.volumeContext[EPHEMERAL_KEY] === 'true';
    if (isEphemeral) this.#createEphemeral(request, volumeCapability);
    const volume = this.#backend.existing(request.volumeId);
    const use = this.#use(request, volumeCapability, { path: request.targetPath, readonly: request.readonly });
    const before = volume.targets.find((each) => each.nodeName === this.#nodeName && each.path === use.path);
    if (before !== undefined && before.fingerprint !== use.fingerprint) {
      throw new CsiStatusError('ALREADY_EXISTS', `volume ${volume.volumeId} is published at ${use.path} differently`);
    }
    if (before !== undefined) return {};
    if (!isEphemeral) this.#checkReady(volume, request.stagingTargetPath);
    this.#checkSecondTarget(volume, volumeCapability);
    const filesystemBytes = this.#formatted(volume, volumeCapability);
    this.#backend.put({ ...volume, targets: [...volume.targets, use], filesystemBytes });
    this.#report('NodePublishVolume', volume.volumeId, { path: use.path, readonly: use.readonly });
    return {};
  }

  unpublish(volumeId: string, path: string): Record<string, never> {
    requireField(volumeId, 'volume_id');
    requireField(path, 'target_path');
    const volume = this.#backend.volume(volumeId);
    if (volume?.targets.some((each) => each.nodeName === this.#nodeName && each.path === path) !== true) return {};
    const targets = volume.targets.filter((each) => each.nodeName !== this.#nodeName || each.path !== path);
    if (volume.ephemeral && targets.length === 0) this.#backend.remove(volume);
    else this.#backend.put({ ...volume, targets });
    this.#report('NodeUnpublishVolume', volumeId, { path });
    return {};
  }

  /** Grows to the device, which the controller made larger before; asking for more than the device is out of range. */
  expand(volumeId: string, path: string, requiredBytes: bigint): bigint {
    const volume = this.#usedAt(volumeId, path);
    const { capacityBytes } = volume;
    if (requiredBytes > capacityBytes) {
      throw new CsiStatusError('OUT_OF_RANGE', `${requiredBytes} bytes exceed the device's ${capacityBytes}`);
    }
    if (volume.filesystemBytes < capacityBytes) {
      this.#backend.put({ ...volume, filesystemBytes: capacityBytes });
      this.#report('NodeExpandVolume', volumeId, { path });
    }
    return capacityBytes;
  }

  stats(volumeId: string, path: string): NodeGetVolumeStatsResponse {
    this.require('GET_VOLUME_STATS');
    const volume = this.#usedAt(volumeId, path);
    const total = volume.filesystemBytes;
    const isBlock = volume.volumeCapabilities.every(({ accessType }) => accessType.case === 'block');
    const inodes = total / BYTES_PER_INODE;
    const { fillBytes } = this.#backend.settings;
    const written = volume.usedBytes === 0n ? fillBytes : volume.usedBytes;
    const used = written < total ? written : total;
    const inodesUsed = (used + BYTES_PER_FILE - 1n) / BYTES_PER_FILE;
    const bytes = isBlock
      ? { available: 0n, total: volume.capacityBytes, used: 0n, unit: 'BYTES' as const }
      : { available: total - used, total, used, unit: 'BYTES' as const };
    return {
      usage: isBlock
        ? [bytes]
        : [bytes, { available: inodes - inodesUsed, total: inodes, used: inodesUsed, unit: 'INODES' }],
      ...(this.#backend.settings.node.has('VOLUME_CONDITION')
        ? { volumeCondition: volume.condition ?? { abnormal: false, message: '' } }
        : {}),
    };
  }

  #usedAt(volumeId: string, path: string): MemoryVolume {
    requireField(volumeId, 'volume_id');
    requireField(path, 'volume_path');
    const volume = this.#backend.existing(volumeId);
    const uses = [...volume.staged, ...volume.targets];
    if (uses.some((each) => each.nodeName === this.#nodeName && each.path === path)) return volume;
    throw new CsiStatusError('NOT_FOUND', `volume ${volumeId} is not at ${path}`);
  }

  #use(
    request: NodeStageVolumeRequest,
    volumeCapability: VolumeCapability,
    at: Pick<NodeUse, 'path' | 'readonly'>,
  ): NodeUse {
    const { publishContext, volumeContext, stagingTargetPath } = request;
    const fingerprint = fingerprintOf([
      volumeCapability,
      publishContext,
      volumeContext,
      stagingTargetPath,
      at.readonly,
    ]);
    return { nodeName: this.#nodeName, ...at, volumeCapability, fingerprint, fenced: false };
  }

  #checkAttached(volume: MemoryVolume): void {
    const { plugin, controller } = this.#backend.settings;
    if (!plugin.has('CONTROLLER_SERVICE') || !controller.has('PUBLISH_UNPUBLISH_VOLUME')) return;
    if (volume.publications.has(this.#backend.nodeIdOf(this.#nodeName))) return;
    throw new CsiStatusError(
      'FAILED_PRECONDITION',
      `volume ${volume.volumeId} is not attached to node ${this.#nodeName}`,
    );
  }

  #checkReady(volume: MemoryVolume, stagingPath: string): void {
    this.#checkAttached(volume);
    if (!this.#backend.settings.node.has('STAGE_UNSTAGE_VOLUME')) return;
    const staged = volume.staged.find((each) => each.nodeName === this.#nodeName && !each.fenced);
    if (staged !== undefined && staged.path === stagingPath) return;
    throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volume.volumeId} is not staged at ${stagingPath}`);
  }

  /**
   * SINGLE_NODE_WRITER is lenient against the letter of the specification: container orchestrators without the newer
   * modes send it for volumes that several pods of one node share.
   */
  #checkSecondTarget(volume: MemoryVolume, { accessMode }: VolumeCapability): void {
    if (accessMode !== 'SINGLE_NODE_SINGLE_WRITER' && accessMode !== 'SINGLE_NODE_READER_ONLY') return;
    const other = volume.targets.find((each) => each.nodeName === this.#nodeName && !each.fenced);
    if (other === undefined) return;
    throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volume.volumeId} is published at ${other.path}`);
  }

  #createEphemeral(request: NodePublishVolumeRequest, volumeCapability: VolumeCapability): void {
    if (this.#backend.volume(request.volumeId) !== undefined) return;
    const capacityBytes = BigInt(bytesOf(request.volumeContext['size'] ?? EPHEMERAL_SIZE));
    const volumeCapabilities = [volumeCapability];
    const blank = this.#backend.blank(request.volumeId);
    this.#backend.put({ ...blank, ephemeral: true, capacityBytes, volumeCapabilities });
  }

  /** A blank device is formatted whole, and a file system smaller than its device grows while nothing uses it. */
  #formatted(volume: MemoryVolume, { accessType }: VolumeCapability): bigint {
    if (accessType.case === 'block') return volume.filesystemBytes;
    const isIdle = volume.staged.length + volume.targets.length === 0;
    return isIdle ? volume.capacityBytes : volume.filesystemBytes;
  }

  #report(call: string, volumeId: string, at: { readonly path: string; readonly readonly?: boolean }): void {
    const nodeName = this.#nodeName;
    this.#backend.report({ call, volumeId, nodeId: this.#backend.nodeIdOf(nodeName), nodeName, ...at });
  }
}
