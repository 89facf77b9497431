// From a volume of a pod to the volume behind it, or why there is none. The texts are what a waiting pod's event says.
// kubernetes:pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go
import type { Cluster } from '../../kube/cluster.ts';
import { keyFrom } from '../../kube/object.ts';
import { PersistentVolumes, type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { attempt } from '../../runtime/attempt.ts';
import { PVC_PROTECTION_FINALIZER } from '../../volume/annotations.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';
import { volumeModeOf, type VolumeSpec } from '../csiplugin/volume-spec.ts';
import type { UsedVolumes } from './pod-volumes.ts';

export type ResolvedVolume =
  | { readonly type: 'found'; readonly spec: VolumeSpec; readonly claim: PersistentVolumeClaim | undefined }
  | { readonly type: 'wrong'; readonly message: string };

const wrong = (message: string): ResolvedVolume => ({ type: 'wrong', message });

export async function resolveVolume(
  cluster: Cluster,
  pod: Pod,
  volume: Volume,
  used: UsedVolumes,
): Promise<ResolvedVolume> {
  const claimName = claimNameOf(pod, volume);
  if (claimName === undefined) return { type: 'found', spec: ownSpecOf(volume), claim: undefined };
  const namespace = pod.metadata.namespace ?? '';
  const inClaim = (cause: string): ResolvedVolume => wrong(`error processing PVC ${namespace}/${claimName}: ${cause}`);
  const read = await attempt(() => cluster.get(PersistentVolumeClaims, keyFrom(namespace, claimName)));
  if (read.failed) return inClaim(`failed to fetch PVC from API server: ${read.error.message}`);
  const claim = read.value;
  const claimFault = faultOfClaim(claim);
  if (claimFault !== undefined) return inClaim(claimFault);
  if (volume.persistentVolumeClaim === undefined && !isClaimMadeFor(claim, pod)) {
    const name = `${namespace}/${pod.metadata.name}`;
    return wrong(`PVC ${namespace}/${claimName} was not created for pod ${name} (pod is not owner)`);
  }
  const volumeName = claim.spec.volumeName ?? '';
  const found = await attempt(() => cluster.get(PersistentVolumes, volumeName));
  if (found.failed) return inClaim(`failed to fetch PV ${volumeName} from API server: ${found.error.message}`);
  const volumeFault = faultOfVolume(found.value, claim);
  if (volumeFault !== undefined) return inClaim(volumeFault);
  const readOnly = volume.persistentVolumeClaim?.readOnly === true;
  const spec: VolumeSpec = { type: 'persistent', name: volumeName, spec: found.value.spec, readOnly };
  const modeFault = faultOfMode(volume.name, spec, used);
  return modeFault === undefined ? { type: 'found', spec, claim } : wrong(modeFault);
}

function ownSpecOf(volume: Volume): VolumeSpec {
  if (volume.csi !== undefined) return { type: 'inline', name: volume.name, source: volume.csi };
  return { type: 'plain', name: volume.name, source: volume };
}

export function faultOfClaim(claim: PersistentVolumeClaim): string | undefined {
  const { deletionTimestamp, finalizers = [] } = claim.metadata;
  if (deletionTimestamp !== undefined && !finalizers.includes(PVC_PROTECTION_FINALIZER)) return 'PVC is being deleted';
  if (claim.status.phase !== 'Bound') return 'PVC is not bound';
  return (claim.spec.volumeName ?? '') === '' ? 'PVC has empty pvc.Spec.VolumeName' : undefined;
}

export function faultOfVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { name } = volume.metadata;
  const reference = volume.spec.claimRef;
  if (reference === undefined) {
    return `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`;
  }
  if (reference.uid === claim.metadata.uid) return undefined;
  const uid = reference.uid ?? '';
  return `found PV object ${name} but its pv.Spec.ClaimRef.UID ${uid} does not point to claim.UID ${claim.metadata.uid}`;
}

export function faultOfMode(outerName: string, spec: VolumeSpec, { mounts, devices }: UsedVolumes): string | undefined {
  const mode = volumeModeOf(spec);
  const found = `volume ${outerName} has volumeMode ${mode}, but is specified in`;
  if (mounts.has(outerName) && mode !== 'Filesystem') return `${found} volumeMounts`;
  return devices.has(outerName) && mode !== 'Block' ? `${found} volumeDevices` : undefined;
}
