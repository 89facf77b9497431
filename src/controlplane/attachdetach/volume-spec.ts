// The volumes of a pod that are attached to its node: persistent CSI volumes whose driver wants it, and those of the
// built-in plugins that upstream counts as attached although their attaching does nothing (iSCSI, Fibre Channel).
// Upstream: kubernetes:pkg/controller/volume/attachdetach/util/util.go.
import { type ObjectKey, keyFrom } from '../../kube/object.ts';
import { type CSIDriver } from '../../kube/resources/csi-driver.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, type PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type Volume } from '../../kube/resources/pod-spec.ts';
import { claimNameOf, isClaimMadeFor } from '../../volume/claim-of-pod.ts';
import { type CsiVolumeId, uniqueVolumeName } from '../../volume/volume-name.ts';

export interface VolumeSpec {
  /** Unique name. */
  readonly volume: string;
  /** As events call it: the name of the PersistentVolume, or of the pod's volume if it has none. */
  readonly name: string;
  /** May be on one node only. */
  readonly isExclusive: boolean;
  /** Undefined for a built-in plugin: then there is nothing to do but to keep account. */
  readonly csi: CsiVolumeId | undefined;
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
const NOT_ATTACHABLE: Resolved = { type: 'not-attachable' };

export function resolveVolume(pod: Pod, volume: Volume, catalogue: Catalogue): Resolved {
  const name = claimNameOf(pod, volume);
  if (name === undefined || name === '') return builtIn(volume, { name: volume.name, isExclusive: false });
  const claim = catalogue.claim(keyFrom(pod.metadata.namespace, name));
  if (claim === undefined || claim.status.phase !== 'Bound') return UNRESOLVED;
  if (volume.ephemeral !== undefined && !isClaimMadeFor(claim, pod)) return UNRESOLVED;
  const persistentVolume = catalogue.persistentVolume(claim.spec.volumeName ?? '');
  if (persistentVolume?.spec.claimRef?.uid !== claim.metadata.uid) return UNRESOLVED;
  return resolvePersistentVolume(persistentVolume, catalogue);
}

export function resolvePersistentVolume(
  { metadata: { name }, spec }: PersistentVolume,
  catalogue: Pick<Catalogue, 'csiDriver'>,
): Resolved {
  const about = { name, isExclusive: !isMultiAttachAllowed(spec.accessModes) };
  if (spec.csi === undefined) return builtIn(spec, about);
  const csi = { driver: spec.csi.driver, handle: spec.csi.volumeHandle };
  if (!isAttachRequired(catalogue.csiDriver(csi.driver))) return NOT_ATTACHABLE;
  return { type: 'attachable', spec: { volume: uniqueVolumeName(csi), ...about, csi } };
}

/** kubernetes:pkg/volume/iscsi/iscsi.go, kubernetes:pkg/volume/fc/fc.go */
function builtIn(
  source: Pick<PersistentVolumeSpec, 'iscsi' | 'fc'>,
  about: Pick<VolumeSpec, 'name' | 'isExclusive'>,
): Resolved {
  const { iscsi, fc } = source;
  const attachable = (volume: string): Resolved => ({ type: 'attachable', spec: { volume, ...about, csi: undefined } });
  if (iscsi !== undefined) return attachable(`${ISCSI}${iscsi.targetPortal}:${iscsi.iqn}:${iscsi.lun}`);
  if (fc === undefined) return NOT_ATTACHABLE;
  const { targetWWNs = [], lun, wwids = [] } = fc;
  const byTarget = targetWWNs.length > 0 && lun !== undefined;
  return attachable(byTarget ? `${FC}[${targetWWNs.join(' ')}]:${lun}` : `${FC}[${wwids.join(' ')}]`);
}

const CSI = 'kubernetes.io/csi/';
const ISCSI = 'kubernetes.io/iscsi/';
const FC = 'kubernetes.io/fc/';

export type Plugin = 'csi' | 'built-in' | 'unknown';

/** Nodes may list volumes of plugins that are not known here. They are no concern of ours: they stay where they are. */
export function pluginOf(volume: string): Plugin {
  if (volume.startsWith(CSI)) return 'csi';
  return volume.startsWith(ISCSI) || volume.startsWith(FC) ? 'built-in' : 'unknown';
}

/** A driver without a CSIDriver object wants it. */
export const isAttachRequired = (driver: CSIDriver | undefined): boolean => driver?.spec.attachRequired !== false;

/**
 * May be attached to several nodes at once, by the modes of the volume, not of the claim. Of a volume without modes
 * nothing is known: the driver will refuse. kubernetes:pkg/volume/util/util.go
 */
export function isMultiAttachAllowed(modes: readonly string[] = []): boolean {
  return modes.length === 0 || modes.includes('ReadWriteMany') || modes.includes('ReadOnlyMany');
}
