// A volume of a pod as its plug-in sees it, and what follows from the plug-in: names, whether it is attached and staged.
// kubernetes:pkg/volume/plugins.go, kubernetes:pkg/volume/util/util.go
import { createHash } from 'node:crypto';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { type CsiVolumeId, uniqueVolumeName } from '../../volume/volume-name.ts';

export type VolumeSpec =
  /** Behind a claim. A volume found on disk has only its name, driver and handle. */
  | {
      readonly type: 'persistent';
      readonly name: string;
      readonly spec: PersistentVolumeSpec;
      readonly readOnly: boolean;
    }
  /** A CSI volume that lives and dies with its pod. */
  | { readonly type: 'inline'; readonly name: string; readonly source: NonNullable<Volume['csi']> }
  /** Everything else that a pod can name: what the kubelet makes by itself, without a driver. */
  | { readonly type: 'plain'; readonly name: string; readonly source: Volume };

export const CSI_PLUGIN = 'kubernetes.io/csi';

/** Plug-ins of a kubelet for the sources of pods and persistent volumes, by field. kubernetes:pkg/volume/<plugin> */
const PLAIN_PLUGINS: Readonly<Record<string, string>> = {
  emptyDir: 'kubernetes.io/empty-dir',
  hostPath: 'kubernetes.io/host-path',
  secret: 'kubernetes.io/secret',
  configMap: 'kubernetes.io/configmap',
  projected: 'kubernetes.io/projected',
  downwardAPI: 'kubernetes.io/downward-api',
  nfs: 'kubernetes.io/nfs',
  local: 'kubernetes.io/local-volume',
  iscsi: 'kubernetes.io/iscsi',
  fc: 'kubernetes.io/fc',
  image: 'kubernetes.io/image',
};

export type VolumeMode = 'Filesystem' | 'Block';

export interface PluginTraits {
  readonly plugin: string;
  readonly attachable: boolean;
  readonly deviceMountable: boolean;
  readonly volumeName: string;
}

/** Undefined if no plug-in serves the source. */
export function traitsOf(
  spec: VolumeSpec,
  podUid: string,
  driverObjectOf: (driver: string) => CSIDriver | undefined,
): PluginTraits | undefined {
  const id = persistentCsiId(spec);
  if (id !== undefined) {
    const attachable = driverObjectOf(id.driver)?.spec.attachRequired !== false;
    return { plugin: CSI_PLUGIN, attachable, deviceMountable: true, volumeName: uniqueVolumeName(id) };
  }
  const plugin = spec.type === 'inline' ? CSI_PLUGIN : plainPluginOf(spec);
  if (plugin === undefined) return undefined;
  return { plugin, attachable: false, deviceMountable: false, volumeName: `${plugin}/${podUid}-${spec.name}` };
}

function plainPluginOf(spec: Exclude<VolumeSpec, { readonly type: 'inline' }>): string | undefined {
  const source: object = spec.type === 'persistent' ? spec.spec : spec.source;
  const field = Object.keys(PLAIN_PLUGINS).find((each) => each in source);
  return field === undefined ? undefined : PLAIN_PLUGINS[field];
}

/** Driver and handle of a CSI volume behind a claim. */
export function persistentCsiId(spec: VolumeSpec): CsiVolumeId | undefined {
  if (spec.type !== 'persistent' || spec.spec.csi === undefined) return undefined;
  return { driver: spec.spec.csi.driver, handle: spec.spec.csi.volumeHandle };
}

/** Driver and handle of any CSI volume; an inline one has a handle made from pod and name. */
export function csiIdOf(spec: VolumeSpec, podUid: string): CsiVolumeId | undefined {
  if (spec.type !== 'inline') return persistentCsiId(spec);
  const hash = createHash('sha256').update(`${podUid}${spec.name}`).digest('hex');
  return { driver: spec.source.driver, handle: `csi-${hash}` };
}

export function volumeModeOf(spec: VolumeSpec): VolumeMode {
  return spec.type === 'persistent' && spec.spec.volumeMode === 'Block' ? 'Block' : 'Filesystem';
}

/** What vol_data.json is enough for. */
export function reconstructedSpec(
  name: string,
  { driver, handle }: CsiVolumeId,
  volumeMode: VolumeMode,
): VolumeSpec & { readonly type: 'persistent' } {
  return { type: 'persistent', name, spec: { csi: { driver, volumeHandle: handle }, volumeMode }, readOnly: false };
}

export function claimKeyOf(spec: VolumeSpec): string | undefined {
  if (spec.type !== 'persistent' || spec.spec.claimRef?.name === undefined) return undefined;
  return `${spec.spec.claimRef.namespace ?? ''}/${spec.spec.claimRef.name}`;
}
