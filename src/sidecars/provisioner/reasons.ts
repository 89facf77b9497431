// Event reasons and messages. external-provisioner:pkg/controller/controller.go,
// sig-storage-lib-external-provisioner:controller/{controller,volume_store}.go
export const PROVISIONING = 'Provisioning';
export const PROVISIONING_FAILED = 'ProvisioningFailed';
export const PROVISIONING_SUCCEEDED = 'ProvisioningSucceeded';
export const VOLUME_FAILED_DELETE = 'VolumeFailedDelete';

export const provisioningMessage = (claimKey: string): string =>
  `External provisioner is provisioning volume for claim "${claimKey}"`;
export const succeededMessage = (volumeName: string): string => `Successfully provisioned volume ${volumeName}`;
export const infeasibleMessage = (error: string): string =>
  `Volume provisioning failed with infeasible error. Retries will be delayed. ${error}`;
export const POPULATOR_MESSAGE = 'Assuming an external populator will provision the volume';
/** The populator's event has this source, unlike all others. */
export const POPULATOR_COMPONENT = 'external-provisioner';
