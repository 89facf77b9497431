// Reasons of the Events that a kubelet writes. kubernetes:pkg/kubelet/events/event.go
export const FAILED_MOUNT = 'FailedMount';
export const FAILED_MAP_VOLUME = 'FailedMapVolume';
export const SUCCESSFUL_MOUNT_VOLUME = 'SuccessfulMountVolume';
export const VOLUME_RESIZE_FAILED = 'VolumeResizeFailed';
export const FILE_SYSTEM_RESIZE_FAILED = 'FileSystemResizeFailed';
export const FILE_SYSTEM_RESIZE_SUCCESSFUL = 'FileSystemResizeSuccessful';
export const FAILED_MAKE_POD_DATA_DIRECTORIES = 'Failed';
export const VOLUME_CONDITION_ABNORMAL = 'VolumeConditionAbnormal';
export const CREATED = 'Created';
export const STARTED = 'Started';
export const KILLING = 'Killing';
export const NODE_SCHEDULABLE = 'NodeSchedulable';
export const NODE_NOT_SCHEDULABLE = 'NodeNotSchedulable';
/** kubernetes:pkg/kubelet/volumemanager/volume_manager.go */
export const VOLUME_ATTACHMENT_LIMIT_EXCEEDED = 'VolumeAttachmentLimitExceeded';
