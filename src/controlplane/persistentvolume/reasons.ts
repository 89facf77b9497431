// Reasons of the events that this controller writes. kubernetes:pkg/controller/volume/events/event.go
export const CLAIM_LOST = 'ClaimLost';
export const CLAIM_MISBOUND = 'ClaimMisbound';
export const EXTERNAL_PROVISIONING = 'ExternalProvisioning';
export const FAILED_BINDING = 'FailedBinding';
export const PROVISIONING_CLEANUP_FAILED = 'ProvisioningCleanupFailed';
export const PROVISIONING_FAILED = 'ProvisioningFailed';
export const PROVISIONING_SUCCEEDED = 'ProvisioningSucceeded';
export const RECYCLER_POD = 'RecyclerPod';
export const VOLUME_DELETE = 'VolumeDelete';
export const VOLUME_FAILED_DELETE = 'VolumeFailedDelete';
export const VOLUME_FAILED_RECYCLE = 'VolumeFailedRecycle';
export const VOLUME_MISMATCH = 'VolumeMismatch';
export const VOLUME_RECYCLED = 'VolumeRecycled';
export const VOLUME_UNKNOWN_RECLAIM_POLICY = 'VolumeUnknownReclaimPolicy';
export const WAIT_FOR_FIRST_CONSUMER = 'WaitForFirstConsumer';
export const WAIT_FOR_POD_SCHEDULED = 'WaitForPodScheduled';

/** What an event says; about whom is told where it is written. */
export interface Saying {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export const normal = (reason: string, message: string): Saying => ({ type: 'Normal', reason, message });
export const warning = (reason: string, message: string): Saying => ({ type: 'Warning', reason, message });
