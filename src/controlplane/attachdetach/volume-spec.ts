// The volumes of a pod as far as they are attached to its node by this controller: persistent CSI volumes whose driver
// wants it. Upstream resolves the same way: kubernetes:pkg/controller/volume/attachdetach/util/util.go.
import { type ObjectKey, keyFrom } from '../../kube/object.ts';
import { type CSIDriver } from '../../kube/resources/csi-driver.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type Volume } from '../../kube/resources/pod-spec.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';
import { uniqueVolumeName } from '../../volume/volume-name.ts';

export interface VolumeSpec {
  /** Unique name. */
  readonly volume: string;
  readonly persistentVolume: PersistentVolume;
  readonly driver: string;
  readonly handle: string;
}

export type Resolved =
  | { readonly type: 'attachable'; readonly spec: VolumeSpec }
  /** Nothing to attach, whatever comes. */
  | { readonly type: 'not-attachable' }
  /** A claim or volume is missing or not bound. Nobody is told; the pod is looked at again. */
  | { readonly type: 'unresolved' };

/** Where the objects are looked up. */
export interface Catalogue {
  claim(key: ObjectKey): PersistentVolumeClaim | undefined;
  persistentVolume(name: string): PersistentVolume | undefined;
  csiDriver(name: string): CSIDriver | undefined;
}

const UNRESOLVED: Resolved = { type: 'unresolved' };

export function resolveVolume(pod: Pod, volume: Volume, catalogue: Catalogue): Resolved {
  const name = claimNameOf(pod, volume);
  if (name === undefined || name === '') return { type: 'not-attachable' };
  const claim = catalogue.claim(keyFrom(pod.metadata.namespace, name));
  if (claim === undefined || claim.status.phase !== 'Bound') return UNRESOLVED;
  if (volume.ephemeral !== undefined && !isClaimMadeFor(claim, pod)) return UNRESOLVED;
  const persistentVolume = catalogue.persistentVolume(claim.spec.volumeName ?? '');
  if (persistentVolume?.spec.claimRef?.uid !== claim.metadata.uid) return UNRESOLVED;
  return resolvePersistentVolume(persistentVolume, catalogue);
}

export function resolvePersistentVolume(
  persistentVolume: PersistentVolume,
  catalogue: Pick<Catalogue, 'csiDriver'>,
): Resolved {
  const source = persistentVolume.spec.csi;
  if (source === undefined || !isAttachRequired(catalogue.csiDriver(source.driver))) return { type: 'not-attachable' };
  const id = { driver: source.driver, handle: source.volumeHandle };
  return { type: 'attachable', spec: { volume: uniqueVolumeName(id), persistentVolume, ...id } };
}

/** Nodes may list volumes of other plugins. They are no concern of ours: they stay on the list and where they are. */
export const isCsiVolume = (volume: string): boolean => volume.startsWith('kubernetes.io/csi/');

/** A driver without a CSIDriver object wants it. */
export const isAttachRequired = (driver: CSIDriver | undefined): boolean => driver?.spec.attachRequired !== false;

/**
 * May be attached to several nodes at once, by the modes of the volume, not of the claim. Of a volume without modes, and
 * of one known by name alone, nothing is known: the driver will refuse. kubernetes:pkg/volume/util/util.go
 */
export function isMultiAttachAllowed(spec: Pick<VolumeSpec, 'persistentVolume'> | undefined): boolean {
  const modes = spec?.persistentVolume.spec.accessModes ?? [];
  return modes.length === 0 || modes.includes('ReadWriteMany') || modes.includes('ReadOnlyMany');
}
