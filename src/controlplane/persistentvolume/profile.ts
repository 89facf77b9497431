// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** Text of the event of a claim that is left to an external provisioner. */
  externalProvisioning(provisioner: string): string;
  /** Claims and volumes are matched by their attributes class. Gate VolumeAttributesClass: on since 1.34. */
  readonly volumeAttributesClass: boolean;
  /** A claim without class gets a default class that came later. Gate RetroactiveDefaultStorageClass: on since 1.26. */
  readonly retroactiveDefaultClass: boolean;
  /** In-tree volumes with policy Delete are kept until their backing volume is gone. Gate HonorPVReclaimPolicy: on since 1.31. */
  readonly deletionFinalizers: boolean;
}

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return {
    externalProvisioning: since(28) ? externalProvisioning : externalProvisioningUntil127,
    volumeAttributesClass: since(34),
    retroactiveDefaultClass: since(26),
    deletionFinalizers: since(31),
  };
}

const externalProvisioning = (provisioner: string): string =>
  `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;

const externalProvisioningUntil127 = (provisioner: string): string =>
  `waiting for a volume to be created, either by external provisioner "${provisioner}" or manually created by system administrator`;
