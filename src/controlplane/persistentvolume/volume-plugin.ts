import { type Node } from '../../kube/resources/node.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, type PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { type StorageClass } from '../../kube/resources/storage-class.ts';

/** A plugin inside the controller, as in-tree volumes have them. CSI volumes have none: they are served from outside. */
export interface VolumePlugin {
  /** `kubernetes.io/nfs`: what a class or a `provisioned-by` annotation calls it. */
  readonly name: string;
  canSupport(volume: PersistentVolume): boolean;
  /** Deletes the backing volume; deleting what is gone succeeds. Throws VolumeInUseError if it only needs more time. */
  delete?(volume: PersistentVolume, signal: AbortSignal): Promise<void>;
  /** Empties the volume for the next claim. `tell` passes on what happens meanwhile. */
  recycle?(volume: PersistentVolume, tell: TellRecycling, signal: AbortSignal): Promise<void>;
  /** Makes a backing volume and says what its PV shall hold. Called again with the same name after a failure. */
  provision?(request: ProvisionRequest, signal: AbortSignal): Promise<PersistentVolumeSpec>;
  readonly supportsMountOptions?: boolean;
}

export type TellRecycling = (type: 'Normal' | 'Warning', message: string) => void;

export interface ProvisionRequest {
  readonly volumeName: string;
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** Chosen by the scheduler, if the class waits for it. */
  readonly node?: Node;
}

/** The backing volume is still used; the volume is not Failed for that. */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
}

/** The plugin does not provision at all, whatever is asked. */
export class ProvisionerUnavailableError extends Error {
  override readonly name = 'ProvisionerUnavailableError';
}

/**
 * What kube-controller-manager brings along. They are known by name and source, which shapes its messages; recycling by
 * a pod is deprecated upstream and not done here.
 * kubernetes:cmd/kube-controller-manager/app/plugins.go
 */
export const IN_TREE_PLUGINS: readonly VolumePlugin[] = [
  {
    name: 'kubernetes.io/host-path',
    canSupport: (volume) => volume.spec.hostPath !== undefined,
    // Upstream removes the directory on the machine of the controller, which is hardly ever the one that holds the data;
    // what can be seen through the API is only that paths outside /tmp are refused. kubernetes:pkg/volume/hostpath/host_path.go
    delete: (volume) => {
      const path = volume.spec.hostPath?.path ?? '';
      if (/\/tmp\/.+/.test(path)) return Promise.resolve();
      return Promise.reject(new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`));
    },
    provision: () =>
      Promise.reject(
        new ProvisionerUnavailableError('provisioning in volume plugin "kubernetes.io/host-path" is disabled'),
      ),
  },
  { name: 'kubernetes.io/nfs', canSupport: (volume) => volume.spec.nfs !== undefined },
];
