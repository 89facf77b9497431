// Annotations and finalizers that only this room writes. external-provisioner:pkg/controller/controller.go

/** On PV: the secret DeleteVolume is called with. Both are always written, empty where there is none. */
export const DELETION_SECRET_NAME = 'volume.kubernetes.io/provisioner-deletion-secret-name';
export const DELETION_SECRET_NAMESPACE = 'volume.kubernetes.io/provisioner-deletion-secret-namespace';
/** On PV: the secret ControllerModifyVolume is called with; only where one is configured. */
export const MODIFY_SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name';
export const MODIFY_SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace';
/** On VolumeSnapshotContent: a restore may change the volume mode. */
export const ALLOW_VOLUME_MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
/** In spec.csi.volumeAttributes of a PV: which provisioner process made it. */
export const PROVISIONER_IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity';

/** On the claim that is cloned. */
export const CLONING_PROTECTION_FINALIZER = 'provisioner.storage.kubernetes.io/cloning-protection';
/** On the snapshot that is restored. Not the snapshotter's finalizer of nearly the same name. */
export const SNAPSHOT_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';

/** Class parameters with this prefix are for the sidecars and never reach the driver. */
export const PARAMETER_PREFIX = 'csi.storage.k8s.io/';
