// Questions about volumes: none of them changes anything.
import { CsiStatusError } from '../../csi-error.ts';
import type { CsiController, CsiVolume, VolumeCapability, VolumeStatus } from '../../driver.ts';
import type { MemoryBackend, MemoryVolume } from './backend.ts';
import { capabilityRefusal, page, requireField } from './checks.ts';
import { type PlacementFacts, availableBytes } from './placement.ts';

type QueryRpcs = Pick<
  CsiController,
  'validateVolumeCapabilities' | 'listVolumes' | 'controllerGetVolume' | 'getCapacity'
>;

export function volumeQueryRpcs(backend: MemoryBackend): QueryRpcs {
  const { settings } = backend;
  return {
    validateVolumeCapabilities: async ({
      volumeId,
      volumeContext,
      volumeCapabilities,
      parameters,
      mutableParameters,
    }) => {
      requireField(volumeId, 'volume_id');
      if (volumeCapabilities.length === 0)
        throw new CsiStatusError('INVALID_ARGUMENT', 'volume_capabilities is missing');
      const volume = backend.existing(volumeId);
      const refusal = useRefusal(volume, volumeCapabilities) ?? capabilityRefusal(volumeCapabilities, settings);
      if (refusal !== undefined) return { message: refusal };
      return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters }, message: '' };
    },
    listVolumes: async (request) => {
      backend.require('LIST_VOLUMES');
      const { items, nextToken } = page(backend.volumes(), request);
      return {
        entries: items.map((volume) => ({ volume: toCsi(volume), status: statusOf(backend, volume) })),
        nextToken,
      };
    },
    controllerGetVolume: async ({ volumeId }) => {
      backend.require('GET_VOLUME');
      requireField(volumeId, 'volume_id');
      const volume = backend.existing(volumeId);
      return { volume: toCsi(volume), status: statusOf(backend, volume) };
    },
    getCapacity: async ({ parameters, accessibleTopology, volumeCapabilities }) => {
      backend.require('GET_CAPACITY');
      const usable = volumeCapabilities.length === 0 || capabilityRefusal(volumeCapabilities, settings) === undefined;
      const available = availableBytes({ ...storageOf(backend), parameters }, accessibleTopology);
      return {
        availableCapacity: !usable ? 0n : available === 'unlimited' ? settings.maximumBytes : available,
        maximumVolumeSize: settings.maximumBytes,
        minimumVolumeSize: settings.minimumBytes,
      };
    },
  };
}

export function storageOf(backend: MemoryBackend): Pick<PlacementFacts, 'places' | 'pools' | 'usedBytes'> {
  const usedBytes: PlacementFacts['usedBytes'] = (pool) => backend.usedBytes(pool);
  return { places: backend.places(), pools: backend.settings.pools, usedBytes };
}

/** A volume can be used as it was made to be: the same access type, and no mode it was not made for. */
export function useRefusal(volume: MemoryVolume, wanted: readonly VolumeCapability[]): string | undefined {
  const refused = wanted.find(
    (capability) =>
      !volume.volumeCapabilities.some(
        (own) => own.accessMode === capability.accessMode && own.accessType.case === capability.accessType.case,
      ),
  );
  if (refused === undefined) return undefined;
  return `volume ${volume.volumeId} was not made for ${refused.accessType.case} ${refused.accessMode}`;
}

export function toCsi(volume: MemoryVolume): CsiVolume {
  return {
    volumeId: volume.volumeId,
    capacityBytes: volume.capacityBytes,
    volumeContext: volume.parameters,
    ...(volume.contentSource === undefined ? {} : { contentSource: volume.contentSource }),
    accessibleTopology: volume.segments === undefined ? [] : [{ segments: volume.segments }],
  };
}

function statusOf(backend: MemoryBackend, volume: MemoryVolume): VolumeStatus {
  const { controller } = backend.settings;
  return {
    publishedNodeIds: controller.has('LIST_VOLUMES_PUBLISHED_NODES') ? [...volume.publications.keys()] : [],
    ...(controller.has('VOLUME_CONDITION')
      ? { volumeCondition: volume.condition ?? { abnormal: false, message: '' } }
      : {}),
  };
}
