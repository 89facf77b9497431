// Whether, and how, the group of a pod becomes the owner of a volume. kubernetes:pkg/volume/csi/csi_mounter.go
// supportsFSGroup, kubernetes:pkg/volume/volume_linux.go
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { FileStat } from '../mounter/mounter.ts';
import type { VolumeSpec } from './volume-spec.ts';

const WRITING_MODES: readonly string[] = ['ReadWriteOnce', 'ReadWriteOncePod'];
const GROUP_BITS = 0o2770;

export interface FsGroupFacts {
  readonly spec: VolumeSpec;
  readonly readOnly: boolean;
  readonly fsGroup: number | undefined;
  readonly driverObject: CSIDriver | undefined;
}

export function appliesFsGroup({ spec, readOnly, fsGroup, driverObject }: FsGroupFacts): boolean {
  const policy = driverObject?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  if (fsGroup === undefined || policy === 'None' || readOnly) return false;
  if (policy === 'File') return true;
  if (spec.type === 'inline') return (spec.source.fsType ?? '') !== '';
  if (spec.type === 'plain' || (spec.spec.csi?.fsType ?? '') === '') return false;
  return spec.spec.accessModes?.some((mode) => WRITING_MODES.includes(mode)) === true;
}

/** With OnRootMismatch a tree whose root already has the group, the group's rights and the setgid bit is left alone. */
export function needsOwnershipChange(policy: string | undefined, root: FileStat | undefined, fsGroup: number): boolean {
  if (policy !== 'OnRootMismatch' || root === undefined) return true;
  return root.gid !== fsGroup || (root.mode & GROUP_BITS) !== GROUP_BITS;
}
