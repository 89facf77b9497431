// The disks behind a memory driver, found again in what the cluster says of them. They are gone with the process that held
// them; a PersistentVolume tells how large a disk is and where, a VolumeAttachment which node may use it.
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import type { MemoryBackend } from '../csi/drivers/memory/backend.ts';
import type { MemoryVolumeConfig } from '../csi/drivers/memory/config.ts';
import type { StringMap } from '../csi/driver.ts';
import { isOf } from '../kube/object.ts';
import { type PersistentVolume, PersistentVolumes } from '../kube/resources/persistent-volume.ts';
import { VolumeAttachments } from '../kube/resources/volume-attachment.ts';
import { prepareRequest } from '../sidecars/attacher/publish-request.ts';
import { storedObjects } from './stored-objects.ts';

/** What a driver had made or was given, from the volumes that name it. */
export function knownDisks(store: ObjectStore, driver: string): readonly MemoryVolumeConfig[] {
  const disks = storedObjects(store, PersistentVolumes).flatMap(({ spec }): readonly MemoryVolumeConfig[] => {
    if (spec.csi?.driver !== driver) return [];
    const segments = segmentsOf(spec);
    const disk = { volumeId: spec.csi.volumeHandle, capacity: spec.capacity?.['storage'] ?? '0' };
    return [segments === undefined ? disk : { ...disk, segments }];
  });
  return [...new Map(disks.map((disk) => [disk.volumeId, disk])).values()];
}

/** The one place that the volume can be used from; undefined where it has none or several. */
function segmentsOf({ nodeAffinity }: PersistentVolume['spec']): StringMap | undefined {
  const [term, ...others] = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (term === undefined || others.length > 0) return undefined;
  const pairs = (term.matchExpressions ?? []).map(({ key, values = [] }) => [key, values[0] ?? ''] as const);
  return Object.fromEntries(pairs);
}

/** Gives nodes the use of the disks that are attached to them. */
export function reattach(backend: MemoryBackend, store: ObjectStore): void {
  const { name, controller } = backend.settings;
  for (const { spec, status } of storedObjects(store, VolumeAttachments)) {
    if (spec.attacher !== name || status.attached !== true) continue;
    const volume = store.get(PersistentVolumes, spec.source.persistentVolumeName ?? '');
    const isKnown = volume !== undefined && isOf(PersistentVolumes, volume);
    const volumeSpec = isKnown ? volume.spec : spec.source.inlineVolumeSpec;
    if (volumeSpec === undefined) continue;
    const request = prepareRequest(volumeSpec, { capabilities: controller, defaultFstype: '' });
    if (request.type === 'wrong') continue;
    const { volumeId, volumeCapability, readonly } = request.value;
    const disk = backend.volume(volumeId);
    if (disk === undefined || volumeCapability === undefined) continue;
    const publications = new Map([...disk.publications, [spec.nodeName, { volumeCapability, readonly }]]);
    backend.put({ ...disk, publications });
  }
}
