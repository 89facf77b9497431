// The one question to the driver: ControllerExpandVolume. external-resizer:pkg/resizer/{csi_resizer,trivial_resizer}.go
import { csiAccessMode } from '../../csi/access-mode.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import type { ControllerCapability, CsiCode, VolumeCapability } from '../../csi/driver.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Turn } from '../../runtime/controller.ts';
import { readCredentials } from './credentials.ts';
import { type Services, csiCall } from './services.ts';

export type Expanded =
  | { readonly type: 'grown'; readonly size: string; readonly nodeStepRequired: boolean }
  /** Without a code the driver was not asked. */
  | { readonly type: 'failed'; readonly message: string; readonly code?: CsiCode };

const failed = (message: string): Expanded => ({ type: 'failed', message });

export async function expandVolume(
  volume: PersistentVolume,
  size: string,
  services: Services,
  turn: Turn,
): Promise<Expanded> {
  const { driver, capabilities } = services;
  // Such a driver grows its volumes on the node alone: the controller has nothing to do, and the size is what was wished.
  if (!capabilities.has('EXPAND_VOLUME')) return { type: 'grown', size, nodeStepRequired: true };
  const { csi } = volume.spec;
  if (csi === undefined || csi.volumeHandle === '') return failed('empty volume handle');
  const credentials = await readCredentials(turn.cluster, csi.controllerExpandSecretRef);
  if ('wrong' in credentials) return failed(credentials.wrong);
  const capability = capabilityOf(volume.spec, capabilities);
  if ('wrong' in capability) {
    return failed(`failed to get capabilities of volume ${volume.metadata.name} with ${capability.wrong}`);
  }
  const request = {
    volumeId: csi.volumeHandle,
    capacityRange: { requiredBytes: BigInt(bytesOf(size)), limitBytes: 0n },
    secrets: credentials.secrets,
    volumeCapability: capability,
  };
  const asked = await attempt(
    () => driver.controller.controllerExpandVolume(request, csiCall(services, turn)),
    isCsiError,
  );
  if (asked.failed) return { type: 'failed', message: asked.error.message, code: asked.error.code };
  const { capacityBytes, nodeExpansionRequired } = asked.value;
  return { type: 'grown', size: formatBytes(capacityBytes), nodeStepRequired: nodeExpansionRequired };
}

export function capabilityOf(
  { csi, accessModes = [], mountOptions = [], volumeMode }: PersistentVolumeSpec,
  capabilities: ReadonlySet<ControllerCapability>,
): VolumeCapability | { readonly wrong: string } {
  const mode = csiAccessMode(accessModes, capabilities.has('SINGLE_NODE_MULTI_WRITER'));
  if (mode.type === 'impossible') return { wrong: mode.message };
  const mount = { case: 'mount' as const, fsType: csi?.fsType ?? '', mountFlags: mountOptions };
  return { accessType: volumeMode === 'Block' ? { case: 'block' } : mount, accessMode: mode.mode };
}
