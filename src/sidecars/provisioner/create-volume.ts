// What CreateVolume is asked and what its answer must hold. external-provisioner:pkg/controller/controller.go
import { csiAccessMode } from '../../csi/access-mode.ts';
import type { CreateVolumeRequest, CsiVolume, VolumeCapability } from '../../csi/driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { provisionedVolumeName } from '../../volume/volume-name.ts';
import type { Found } from './class-parameters.ts';
import type { ProvisionerSettings } from './settings.ts';

/** The name of the volume, for the API and for the driver. */
export function volumeNameFor(
  claimUid: string,
  settings: Pick<ProvisionerSettings, 'volumeNamePrefix' | 'volumeNameUuidLength'>,
): string {
  const { volumeNamePrefix, volumeNameUuidLength } = settings;
  const id = volumeNameUuidLength < 0 ? claimUid : claimUid.replaceAll('-', '').slice(0, volumeNameUuidLength);
  return provisionedVolumeName(id, volumeNamePrefix);
}

export interface CapabilityFacts {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly fsType: string;
  readonly supportsSingleNodeMultiWriter: boolean;
}

/** One for each access mode of the claim, although a volume is later used in one mode only. */
export function volumeCapabilities(facts: CapabilityFacts): Found<readonly VolumeCapability[]> {
  const { claim, storageClass, fsType, supportsSingleNodeMultiWriter } = facts;
  const accessType: VolumeCapability['accessType'] =
    claim.spec.volumeMode === 'Block'
      ? { case: 'block' }
      : { case: 'mount', fsType, mountFlags: storageClass.mountOptions ?? [] };
  const capabilities: VolumeCapability[] = [];
  for (const accessMode of claim.spec.accessModes ?? []) {
    const found = csiAccessMode([accessMode], supportsSingleNodeMultiWriter);
    if (found.type === 'impossible') return { type: 'wrong', message: found.message };
    capabilities.push({ accessType, accessMode: found.mode });
  }
  return { type: 'found', value: capabilities };
}

export type AnswerDecision =
  | { readonly type: 'accept'; readonly capacityBytes: bigint }
  /** Not what was asked for: it is deleted and asked for again. */
  | { readonly type: 'discard'; readonly message: string };

/** A driver that does not know a size answers 0, which the API would not take. */
export function decideAnswer(
  request: CreateVolumeRequest,
  volume: CsiVolume,
  claim: Pick<PersistentVolumeClaim, 'spec'>,
): AnswerDecision {
  const wanted = request.capacityRange?.requiredBytes ?? 0n;
  const capacityBytes = volume.capacityBytes === 0n ? wanted : volume.capacityBytes;
  if (capacityBytes < wanted) {
    const message = `created volume capacity ${capacityBytes} less than requested capacity ${wanted}`;
    return { type: 'discard', message };
  }
  if (claim.spec.dataSource !== undefined && volume.contentSource === undefined) {
    return { type: 'discard', message: 'volume content source missing' };
  }
  return { type: 'accept', capacityBytes };
}
