// Learning from the node's status that the controller attached a volume. The kubelet attaches nothing itself.
// kubernetes:pkg/volume/util/operationexecutor/operation_generator.go GenerateVerifyControllerAttachedVolumeFunc
import { Nodes } from '../../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../../kube/resources/persistent-volume-claim.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { claimKeyOf } from '../../csiplugin/volume-spec.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import { step, volumeMessage } from './operation-message.ts';

/** Whether the operation is worth starting: what the cached node does not list is not asked about, and costs no back-off. */
export function mayBeAttached(services: VolumeServices, { traits, volumeName }: VolumeToMount): boolean {
  const node = services.cachedNode();
  if (!traits.attachable || node === undefined) return true;
  return node.status.volumesAttached?.some(({ name }) => name === volumeName) === true;
}

/** Throws a StepFailure, which is no event, or an Error. */
export async function verifyControllerAttached(
  services: VolumeServices,
  volume: VolumeToMount,
  turn: OperationTurn,
): Promise<void> {
  const { actual, nodeName } = services;
  const { spec, traits, volumeName } = volume;
  const at = (prefix: string) => ({ prefix, specName: spec.name });
  const size = await step(at('VerifyControllerAttachedVolume fetching pvc failed'), () =>
    claimSize(services, volume, turn),
  );
  if (!traits.attachable) {
    actual.markVolumeAsAttached(traits, spec, '');
    actual.initializeClaimSize(volumeName, size);
    return;
  }
  const fetching = at('VerifyControllerAttachedVolume failed fetching node from API server');
  const node = await step(fetching, () => turn.cluster.get(Nodes, nodeName));
  const attached = node.status.volumesAttached?.find(({ name }) => name === volumeName);
  if (attached === undefined) {
    throw new Error(volumeMessage('Volume not attached according to node status', spec.name, ''));
  }
  actual.markVolumeAsAttached(traits, spec, attached.devicePath);
  actual.initializeClaimSize(volumeName, size);
}

/** The size that the claim shows, unless it is known already. */
async function claimSize(
  { actual }: VolumeServices,
  { spec, volumeName }: VolumeToMount,
  turn: OperationTurn,
): Promise<string | undefined> {
  const key = claimKeyOf(spec);
  if (key === undefined) return undefined;
  const known = actual.claimSize(volumeName);
  if (known !== undefined) return known;
  const claim = await turn.cluster.get(PersistentVolumeClaims, key);
  return claim.status.capacity?.['storage'];
}
