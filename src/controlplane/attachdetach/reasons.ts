// Event reasons and texts. kubernetes:pkg/kubelet/events/event.go, kubernetes:pkg/volume/util/operationexecutor
export const SUCCESSFUL_ATTACH_VOLUME = 'SuccessfulAttachVolume';
export const FAILED_ATTACH_VOLUME = 'FailedAttachVolume';

/** Upstream leaves the space at the end. */
export const attachSucceeded = (volumeName: string): string =>
  `AttachVolume.Attach succeeded for volume "${volumeName}" `;
export const attachFailed = (volumeName: string, error: string): string =>
  `AttachVolume.Attach failed for volume "${volumeName}" : ${error}`;

export const STILL_IN_USE = 'volume is still in use by node, according to Node status';
export const BEING_DELETED = 'volume attachment is being deleted';
export const NAME_NOT_SPLIT = 'volumeName missing expected data';
export const attachTimedOut = (driver: string, handle: string): string =>
  `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${handle}`;
/** Upstream does not know the driver here. */
export const detachTimedOut = (handle: string): string =>
  `timed out waiting for external-attacher of unknown CSI driver to detach volume ${handle}`;
export const createFailed = (error: string): string => `kubernetes.io/csi: attacher.Attach failed: ${error}`;
export const deleteFailed = (attachment: string, error: string): string =>
  `kubernetes.io/csi: detacher.Detach failed to delete VolumeAttachment [${attachment}]: ${error}`;
