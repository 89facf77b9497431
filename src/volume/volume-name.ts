// Names of volumes. The unique name is what `node.status.volumesInUse` and `volumesAttached` hold.
// kubernetes:pkg/volume/csi/csi_plugin.go, kubernetes:pkg/volume/util/util.go

const CSI_PLUGIN_PREFIX = 'kubernetes.io/csi/';
const SEPARATOR = '^';

export interface CsiVolumeId {
  readonly driver: string;
  readonly handle: string;
}

export function uniqueVolumeName(volume: CsiVolumeId): string {
  return `${CSI_PLUGIN_PREFIX}${volume.driver}${SEPARATOR}${volume.handle}`;
}

/** Undefined for what is no CSI volume, and for a handle that itself holds a separator: upstream cannot split it either. */
export function splitUniqueVolumeName(name: string): CsiVolumeId | undefined {
  if (!name.startsWith(CSI_PLUGIN_PREFIX)) return undefined;
  const [driver, handle, ...rest] = name.slice(CSI_PLUGIN_PREFIX.length).split(SEPARATOR);
  if (driver === undefined || handle === undefined || rest.length > 0) return undefined;
  return { driver, handle };
}

/** The PV that is provisioned for a claim. */
export function provisionedVolumeName(claimUid: string, prefix = 'pvc'): string {
  return `${prefix}-${claimUid}`;
}
