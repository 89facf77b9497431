// Where a kubelet keeps what under its root. The layout is part of the contract: a restarted kubelet finds its volumes by
// it, and drivers are told paths made from it.
// kubernetes:pkg/kubelet/kubelet_getters.go, kubernetes:pkg/volume/csi/{csi_attacher,csi_mounter,csi_block}.go
import { createHash } from 'node:crypto';
import type { CsiVolumeId } from '../../volume/volume-name.ts';

export const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';
/** Of every directory that the kubelet makes for a volume. */
export const VOLUME_DIRECTORY_MODE = 0o750;

const CSI_DIRECTORY = escapeQualifiedName('kubernetes.io/csi');

export class KubeletPaths {
  readonly #root: string;
  readonly podsDirectory: string;
  readonly csiPluginDirectory: string;

  constructor(root: string) {
    this.#root = root;
    this.podsDirectory = `${root}/pods`;
    this.csiPluginDirectory = `${root}/plugins/kubernetes.io/csi`;
  }

  podDirectory(podUid: string): string {
    return `${this.podsDirectory}/${podUid}`;
  }

  podVolumesDirectory(podUid: string): string {
    return `${this.podDirectory(podUid)}/volumes`;
  }

  podDevicesDirectory(podUid: string): string {
    return `${this.podDirectory(podUid)}/volumeDevices`;
  }

  /** The directory of one volume of a pod; for CSI it holds vol_data.json and the target. */
  podVolumeDirectory(podUid: string, plugin: string, specName: string): string {
    return `${this.podVolumesDirectory(podUid)}/${escapeQualifiedName(plugin)}/${escapeQualifiedName(specName)}`;
  }

  csiVolumeDirectory(podUid: string, specName: string): string {
    return `${this.podVolumesDirectory(podUid)}/${CSI_DIRECTORY}/${escapeQualifiedName(specName)}`;
  }

  /** target_path of NodePublishVolume for file systems. */
  csiTarget(podUid: string, specName: string): string {
    return `${this.csiVolumeDirectory(podUid, specName)}/mount`;
  }

  /** Beside the staging path lies its vol_data.json. */
  stagingDirectory({ driver, handle }: CsiVolumeId): string {
    return `${this.csiPluginDirectory}/${driver}/${createHash('sha256').update(handle).digest('hex')}`;
  }

  stagingPath(volume: CsiVolumeId): string {
    return `${this.stagingDirectory(volume)}/globalmount`;
  }

  subPathsDirectory(podUid: string): string {
    return `${this.podDirectory(podUid)}/volume-subpaths`;
  }

  subPath(
    podUid: string,
    at: { readonly specName: string; readonly container: string; readonly index: number },
  ): string {
    return `${this.subPathsDirectory(podUid)}/${at.specName}/${at.container}/${at.index}`;
  }

  get #devices(): string {
    return `${this.csiPluginDirectory}/volumeDevices`;
  }

  /** All that belongs to one block volume beside its staging and publish paths. */
  blockDirectory(specName: string): string {
    return `${this.#devices}/${specName}`;
  }

  blockDataDirectory(specName: string): string {
    return `${this.blockDirectory(specName)}/data`;
  }

  /** Holds one bind of the device for each pod, named by its uid. */
  globalMapPath(specName: string): string {
    return `${this.blockDirectory(specName)}/dev`;
  }

  blockStagingPath(specName: string): string {
    return `${this.#devices}/staging/${specName}`;
  }

  blockPublishDirectory(specName: string): string {
    return `${this.#devices}/publish/${specName}`;
  }

  /** target_path of NodePublishVolume for block volumes. */
  blockPublishPath(specName: string, podUid: string): string {
    return `${this.blockPublishDirectory(specName)}/${podUid}`;
  }

  /** Holds a link for each block volume of a pod. */
  podDeviceMapDirectory(podUid: string): string {
    return `${this.podDevicesDirectory(podUid)}/${CSI_DIRECTORY}`;
  }

  csiSocket(driver: string): string {
    return `${this.#root}/plugins/${driver}/csi.sock`;
  }
}

/** kubernetes:staging/src/k8s.io/utils/strings: a name with a slash as one directory name. */
export function escapeQualifiedName(name: string): string {
  return name.replaceAll('/', '~');
}

export function unescapeQualifiedName(name: string): string {
  return name.replaceAll('~', '/');
}
