// Annotations and finalizers with which the storage components speak to each other through PVs, PVCs and classes.
// Origin: kubernetes:staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go unless said otherwise.

/** On PVC: the claim went through binding once. Its presence, not its value, selects the rules for bound claims. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On PVC and PV: the link on this object was installed by a controller. Absent on a link that a user made. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** The value of the two annotations above. */
export const YES = 'yes';
/** On PV: who provisioned it, an in-tree plugin name or a CSI driver name. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On PVC and PV: the CSI driver that serves a former in-tree plugin; in-tree code stands down. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
/** On PVC: the signal for an external provisioner to begin. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** On PVC: the node for which a WaitForFirstConsumer volume shall be made. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On PVC and PV: the class, before the field existed. Wins over the field. kubernetes:staging/src/k8s.io/api/core/v1/types.go */
export const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
/** On PV: `status.capacity` of the claim before an expansion whose node step is not done. kubernetes:pkg/volume/util/resize_util.go */
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';
/** On PVC: the CSI driver that expands a volume of a former in-tree plugin. kubernetes:pkg/volume/util/types/types.go */
export const STORAGE_RESIZER = 'volume.kubernetes.io/storage-resizer';
/** On PVC: the driver has no node step. kubernetes:pkg/volume/util/types/types.go */
export const NODE_EXPANSION_NOT_REQUIRED = 'volume.kubernetes.io/node-expansion-not-required';
/** On StorageClass. kubernetes:pkg/volume/util/storageclass.go */
export const IS_DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
export const BETA_IS_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class';

/** Keep an object that is in use. kubernetes:pkg/volume/util/finalizer.go */
export const PVC_PROTECTION_FINALIZER = 'kubernetes.io/pvc-protection';
export const PV_PROTECTION_FINALIZER = 'kubernetes.io/pv-protection';
export const VAC_PROTECTION_FINALIZER = 'kubernetes.io/vac-protection';
/** Keep a PV with policy Delete until its backing volume is gone: in-tree, and by the external provisioner. */
export const IN_TREE_DELETION_FINALIZER = 'kubernetes.io/pv-controller';
export const EXTERNAL_DELETION_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** The provisioner of a class whose volumes are only made by hand. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
/** Provisioners with this prefix are in-tree ones: nothing outside serves them. */
export const IN_TREE_PREFIX = 'kubernetes.io/';
