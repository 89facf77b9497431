// ControllerPublishVolume and its undoing: which node ids may use a volume. The record is the truth, so unpublishing what
// is not published is always fine, and a node that still uses an unpublished volume is cut off from it.
import { CsiStatusError } from '../../csi-error.ts';
import type { ControllerPublishVolumeRequest, CsiController, StringMap, VolumeCapability } from '../../driver.ts';
import type { MemoryBackend, MemoryVolume, NodeUse } from './backend.ts';
import { isMultiNode, isSame, requireField, requireMessage } from './checks.ts';
import { isSubset } from './placement.ts';

type PublicationRpcs = Pick<CsiController, 'controllerPublishVolume' | 'controllerUnpublishVolume'>;

export function publicationRpcs(backend: MemoryBackend): PublicationRpcs {
  return {
    controllerPublishVolume: async (request) => {
      backend.require('PUBLISH_UNPUBLISH_VOLUME');
      const volumeCapability = checkFields(backend, request);
      const volume = backend.existing(request.volumeId);
      if (!backend.knowsNodeId(request.nodeId))
        throw new CsiStatusError('NOT_FOUND', `node ${request.nodeId} does not exist`);
      if (!isPublishedSo(volume, request)) publish(backend, volume, { ...request, volumeCapability });
      return { publishContext: publishContextOf(backend, volume) };
    },
    controllerUnpublishVolume: async ({ volumeId, nodeId }) => {
      backend.require('PUBLISH_UNPUBLISH_VOLUME');
      requireField(volumeId, 'volume_id');
      const volume = backend.volume(volumeId);
      if (volume !== undefined) unpublish(backend, volume, nodeId);
      return {};
    },
  };
}

function checkFields(backend: MemoryBackend, request: ControllerPublishVolumeRequest): VolumeCapability {
  requireField(request.volumeId, 'volume_id');
  requireField(request.nodeId, 'node_id');
  const volumeCapability = requireMessage(request.volumeCapability, 'volume_capability');
  if (request.readonly && !backend.settings.controller.has('PUBLISH_READONLY')) {
    throw new CsiStatusError('INVALID_ARGUMENT', 'readonly needs PUBLISH_READONLY');
  }
  return volumeCapability;
}

function isPublishedSo(volume: MemoryVolume, request: ControllerPublishVolumeRequest): boolean {
  const here = volume.publications.get(request.nodeId);
  if (here === undefined) return false;
  if (here.readonly === request.readonly && isSame(here.volumeCapability, request.volumeCapability)) return true;
  throw new CsiStatusError(
    'ALREADY_EXISTS',
    `volume ${volume.volumeId} is published to node ${request.nodeId} differently`,
  );
}

function publish(
  backend: MemoryBackend,
  volume: MemoryVolume,
  request: ControllerPublishVolumeRequest & { readonly volumeCapability: VolumeCapability },
): void {
  const { volumeId, nodeId, volumeCapability, readonly } = request;
  const isMulti = isMultiNode(volumeCapability.accessMode);
  if (isMulti && !volume.volumeCapabilities.some(({ accessMode }) => isMultiNode(accessMode))) {
    throw new CsiStatusError('INVALID_ARGUMENT', `volume ${volumeId} was not made for ${volumeCapability.accessMode}`);
  }
  const exclusive = [...volume.publications].find(
    ([, other]) => !isMulti || !isMultiNode(other.volumeCapability.accessMode),
  );
  if (exclusive !== undefined) {
    throw new CsiStatusError('FAILED_PRECONDITION', `volume ${volumeId} is already attached to node ${exclusive[0]}`);
  }
  checkPlace(backend, volume, nodeId);
  const limit = backend.settings.maxVolumesPerNode;
  if (limit > 0 && backend.publishedTo(nodeId) >= limit) {
    throw new CsiStatusError('RESOURCE_EXHAUSTED', `node ${nodeId} has its limit of ${limit} volumes`);
  }
  const publications = new Map([...volume.publications, [nodeId, { volumeCapability, readonly }]]);
  backend.put({ ...volume, publications });
  backend.report({ call: 'ControllerPublishVolume', volumeId, nodeId, readonly });
}

function checkPlace(backend: MemoryBackend, volume: MemoryVolume, nodeId: string): void {
  const place = backend.placeOfNodeId(nodeId);
  if (place === undefined || volume.segments === undefined || isSubset(volume.segments, place)) return;
  const [here, there] = [volume.segments, place].map(textOf);
  throw new CsiStatusError(
    'FAILED_PRECONDITION',
    `volume ${volume.volumeId} is in ${here}, node ${nodeId} in ${there}`,
  );
}

const textOf = (segments: StringMap): string =>
  Object.entries(segments)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

function unpublish(backend: MemoryBackend, volume: MemoryVolume, nodeId: string): void {
  const gone = [...volume.publications.keys()].filter((each) => nodeId === '' || each === nodeId);
  if (gone.length === 0) return;
  const isCutOff = ({ nodeName }: NodeUse): boolean => gone.includes(backend.nodeIdOf(nodeName));
  const fence = (use: NodeUse): NodeUse => (isCutOff(use) ? { ...use, fenced: true } : use);
  backend.put({
    ...volume,
    publications: new Map([...volume.publications].filter(([each]) => !gone.includes(each))),
    staged: volume.staged.map(fence),
    targets: volume.targets.map(fence),
  });
  for (const each of gone)
    backend.report({ call: 'ControllerUnpublishVolume', volumeId: volume.volumeId, nodeId: each });
}

function publishContextOf(backend: MemoryBackend, volume: MemoryVolume): StringMap {
  return { devicePath: `/dev/disk/by-id/${backend.settings.name}-${volume.volumeId}` };
}
