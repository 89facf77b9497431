// What makes, changes and removes volumes. Everything happens at once within a call, so no two calls ever meet half-way
// and ABORTED is never needed.
import { CsiStatusError } from '../../csi-error.ts';
import type { CreateVolumeRequest, CsiController } from '../../driver.ts';
import type { MemoryBackend, MemoryVolume } from './backend.ts';
import {
  checkCapabilities,
  checkMutableParameters,
  checkParameters,
  checkRange,
  isSame,
  requireField,
  requireMessage,
} from './checks.ts';
import { decidePlacement } from './placement.ts';
import { storageOf, toCsi, useRefusal } from './volume-queries.ts';

type VolumeRpcs = Pick<
  CsiController,
  'createVolume' | 'deleteVolume' | 'controllerExpandVolume' | 'controllerModifyVolume'
>;

const GIB = 2n ** 30n;

export function volumeRpcs(backend: MemoryBackend): VolumeRpcs {
  const { settings } = backend;
  return {
    createVolume: async (request) => {
      checkCreate(backend, request);
      const existing = backend.volumeNamed(request.name);
      if (existing === undefined) return { volume: toCsi(createVolume(backend, request)) };
      if (isCompatible(existing, request)) return { volume: toCsi(existing) };
      throw new CsiStatusError('ALREADY_EXISTS', `volume ${request.name} exists and is different`);
    },
    deleteVolume: async ({ volumeId }) => {
      backend.require('CREATE_DELETE_VOLUME');
      requireField(volumeId, 'volume_id');
      const volume = backend.volume(volumeId);
      if (volume === undefined) return {};
      const user = userOf(volume);
      if (user !== undefined)
        throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volumeId} is in use on node ${user}`);
      backend.remove(volume);
      backend.report({ call: 'DeleteVolume', volumeId });
      return {};
    },
    controllerExpandVolume: async ({ volumeId, capacityRange }) => {
      backend.require('EXPAND_VOLUME');
      requireField(volumeId, 'volume_id');
      const range = requireMessage(capacityRange, 'capacity_range');
      checkRange(range);
      const capacityBytes = expandVolume(backend, backend.existing(volumeId), range.requiredBytes);
      return { capacityBytes, nodeExpansionRequired: settings.nodeExpansionRequired };
    },
    controllerModifyVolume: async ({ volumeId, mutableParameters }) => {
      backend.require('MODIFY_VOLUME');
      requireField(volumeId, 'volume_id');
      const volume = backend.existing(volumeId);
      checkMutableParameters(mutableParameters, settings);
      const changed = { ...volume.mutableParameters, ...mutableParameters };
      if (isSame(changed, volume.mutableParameters)) return {};
      backend.put({ ...volume, mutableParameters: changed });
      backend.report({ call: 'ControllerModifyVolume', volumeId });
      return {};
    },
  };
}

function checkCreate(backend: MemoryBackend, request: CreateVolumeRequest): void {
  backend.require('CREATE_DELETE_VOLUME');
  requireField(request.name, 'name');
  checkCapabilities(request.volumeCapabilities, backend.settings);
  if (request.capacityRange !== undefined) checkRange(request.capacityRange);
  checkParameters(request.parameters, backend.settings);
  checkMutableParameters(request.mutableParameters, backend.settings);
}

/**
 * A retry may carry another topology requirement than the call that made the volume; the volume stays where it is, and
 * its accessible topology says so.
 */
function isCompatible(volume: MemoryVolume, request: CreateVolumeRequest): boolean {
  const { requiredBytes = 0n, limitBytes = 0n } = request.capacityRange ?? {};
  const fits = volume.capacityBytes >= requiredBytes && (limitBytes === 0n || volume.capacityBytes <= limitBytes);
  const isSameUse = useRefusal(volume, request.volumeCapabilities) === undefined;
  return (
    fits &&
    isSameUse &&
    isSame(volume.parameters, request.parameters) &&
    isSame(volume.contentSource, request.volumeContentSource)
  );
}

function createVolume(backend: MemoryBackend, request: CreateVolumeRequest): MemoryVolume {
  const sizeBytes = sizeFor(backend, request);
  const { volumeCapabilities, parameters, mutableParameters, name } = request;
  const topology = backend.settings.topology;
  const requirement = topology?.ignoresRequirement === true ? undefined : request.accessibilityRequirements;
  const placement = decidePlacement({ ...storageOf(backend), sizeBytes, parameters, requirement });
  if (placement.type === 'full') throw new CsiStatusError('RESOURCE_EXHAUSTED', placement.message);
  const volume: MemoryVolume = {
    ...backend.blank(backend.newId()),
    name,
    capacityBytes: sizeBytes,
    volumeCapabilities,
    parameters,
    mutableParameters,
    contentSource: request.volumeContentSource,
    segments: placement.segments,
    pool: placement.pool,
  };
  backend.put(volume);
  backend.report({ call: 'CreateVolume', volumeId: volume.volumeId });
  return volume;
}

/** Exact where a limit is given, at least what the source holds, and within what the backend makes. */
function sizeFor(backend: MemoryBackend, request: CreateVolumeRequest): bigint {
  const { minimumBytes, maximumBytes } = backend.settings;
  const { requiredBytes = 0n, limitBytes = 0n } = request.capacityRange ?? {};
  const sourceBytes = sourceSize(backend, request);
  const wanted =
    requiredBytes > 0n ? requiredBytes : maxOf(sourceBytes, limitBytes > 0n ? minOf(limitBytes, GIB) : GIB);
  if (wanted < sourceBytes) {
    throw new CsiStatusError('OUT_OF_RANGE', `${wanted} bytes are less than the ${sourceBytes} bytes of the source`);
  }
  const sizeBytes = maxOf(wanted, minimumBytes);
  if (sizeBytes > maximumBytes) {
    throw new CsiStatusError('OUT_OF_RANGE', `${sizeBytes} bytes exceed the maximum volume size of ${maximumBytes}`);
  }
  if (limitBytes > 0n && sizeBytes > limitBytes) {
    const [limit, least] = [limitBytes, minimumBytes].map((bytes) => `${bytes / 2n ** 20n}Mi`);
    throw new CsiStatusError('OUT_OF_RANGE', `the limit of ${limit} is below the minimum volume size of ${least}`);
  }
  return sizeBytes;
}

const maxOf = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const minOf = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function sourceSize(backend: MemoryBackend, { volumeContentSource: source }: CreateVolumeRequest): bigint {
  if (source === undefined) return 0n;
  const needed = source.case === 'snapshot' ? 'CREATE_DELETE_SNAPSHOT' : 'CLONE_VOLUME';
  if (!backend.settings.controller.has(needed)) {
    throw new CsiStatusError('INVALID_ARGUMENT', `a ${source.case} is not supported as content source`);
  }
  if (source.case === 'volume') return backend.existing(source.volumeId).capacityBytes;
  const snapshot = backend.snapshot(source.snapshotId);
  if (snapshot === undefined) throw new CsiStatusError('NOT_FOUND', `snapshot ${source.snapshotId} does not exist`);
  return snapshot.sizeBytes;
}

function expandVolume(backend: MemoryBackend, volume: MemoryVolume, requiredBytes: bigint): bigint {
  const { volumeExpansion, maximumBytes, pools } = backend.settings;
  if (volumeExpansion === 'OFFLINE' && volume.publications.size > 0) {
    throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volume.volumeId} is published and expands only offline`);
  }
  if (requiredBytes <= volume.capacityBytes) return volume.capacityBytes;
  if (requiredBytes > maximumBytes) {
    throw new CsiStatusError(
      'OUT_OF_RANGE',
      `${requiredBytes} bytes exceed the maximum volume size of ${maximumBytes}`,
    );
  }
  const pool = pools.find(({ name }) => name === volume.pool);
  if (pool !== undefined && backend.usedBytes(pool) - volume.capacityBytes + requiredBytes > pool.capacityBytes) {
    throw new CsiStatusError('RESOURCE_EXHAUSTED', `pool ${pool.name} has no room for ${requiredBytes} bytes`);
  }
  backend.put({ ...volume, capacityBytes: requiredBytes });
  backend.report({ call: 'ControllerExpandVolume', volumeId: volume.volumeId });
  return requiredBytes;
}

/** A node that uses the volume and was not cut off from it. */
function userOf(volume: MemoryVolume): string | undefined {
  const [nodeId] = volume.publications.keys();
  return nodeId ?? [...volume.staged, ...volume.targets].find(({ fenced }) => !fenced)?.nodeName;
}
