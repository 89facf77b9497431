// Event reasons and messages. external-resizer:pkg/util/events.go, pkg/controller, pkg/modifycontroller
export const RESIZING = 'Resizing';
export const VOLUME_RESIZE_FAILED = 'VolumeResizeFailed';
export const VOLUME_RESIZE_SUCCESSFUL = 'VolumeResizeSuccessful';
export const FILE_SYSTEM_RESIZE_REQUIRED = 'FileSystemResizeRequired';
export const VOLUME_MODIFY = 'VolumeModify';
export const VOLUME_MODIFY_FAILED = 'VolumeModifyFailed';
export const VOLUME_MODIFY_SUCCESSFUL = 'VolumeModifySuccessful';
export const VOLUME_MODIFY_CANCELED = 'VolumeModifyCanceled';

export const RESIZED = 'Resize volume succeeded';
export const NODE_STEP_REQUIRED = 'Require file system resize of volume on node';
export const resizingMessage = (volume: string): string => `External resizer is resizing volume ${volume}`;
export const inUseMessage = (claim: string, driver: string): string =>
  `Unable to expand ${claim} because CSI driver ${driver} only supports offline expansion and volume is currently in-use`;
/** Both say the claim's name where they say volume. */
export const modifyingMessage = (claim: string, className: string): string =>
  `external resizer is modifying volume ${claim} with vac ${className}`;
export const modifiedMessage = (claim: string, className: string): string =>
  `external resizer modified volume ${claim} with vac ${className} successfully`;
