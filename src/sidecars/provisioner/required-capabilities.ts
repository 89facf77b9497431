import type { DriverCapabilities } from '../../csi/capabilities.ts';
import type { ControllerCapability } from '../../csi/driver.ts';

export interface CapabilityNeeds {
  readonly snapshot: boolean;
  readonly clone: boolean;
  readonly modifyVolume: boolean;
}
export const NO_SPECIAL_NEEDS: CapabilityNeeds = { snapshot: false, clone: false, modifyVolume: false };

/** Why the driver cannot do it; undefined if it can. external-provisioner:pkg/controller/controller.go */
export function missingCapability(
  { plugin, controller }: DriverCapabilities,
  needs: CapabilityNeeds,
): string | undefined {
  if (!plugin.has('CONTROLLER_SERVICE')) {
    return sentence('dynamic provisioning', 'plugin CONTROLLER_SERVICE');
  }
  const required: readonly [boolean, string, ControllerCapability][] = [
    [true, 'dynamic provisioning', 'CREATE_DELETE_VOLUME'],
    [needs.snapshot, 'snapshot restore', 'CREATE_DELETE_SNAPSHOT'],
    [needs.clone, 'clone operations', 'CLONE_VOLUME'],
    [needs.modifyVolume, 'VolumeAttributesClass', 'MODIFY_VOLUME'],
  ];
  const missing = required.find(([isNeeded, , capability]) => isNeeded && !controller.has(capability));
  return missing === undefined ? undefined : sentence(missing[1], `controller ${missing[2]}`);
}

const sentence = (what: string, capability: string): string =>
  `CSI driver does not support ${what}: ${capability} capability is not reported`;
