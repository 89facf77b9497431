// What the parameters of a class mean to the sidecar, and what is left of them for the driver.
// external-provisioner:pkg/controller/controller.go
import type { StringMap } from '../../csi/driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { PARAMETER_PREFIX } from './marks.ts';
import { SECRET_PARAMETERS } from './secret-reference.ts';

const FSTYPE = `${PARAMETER_PREFIX}fstype`;
const KNOWN: ReadonlySet<string> = new Set([FSTYPE, ...SECRET_PARAMETERS]);

export type Found<T> =
  | { readonly type: 'found'; readonly value: T }
  | { readonly type: 'wrong'; readonly message: string };

/** The old key is read in any case. */
export function fsTypeOf(parameters: StringMap, defaultFsType: string): Found<string> {
  const given = Object.entries(parameters).filter(([key]) => key === FSTYPE || key.toLowerCase() === 'fstype');
  if (given.length > 1) {
    return { type: 'wrong', message: `fstype specified in parameters with both "fstype" and "${FSTYPE}" keys` };
  }
  const fsType = given[0]?.[1] ?? '';
  return { type: 'found', value: fsType === '' ? defaultFsType : fsType };
}

/** Deprecated keys of ours have no prefix and reach the driver, as they always did. */
export function driverParameters(parameters: StringMap): Found<StringMap> {
  const unknown = Object.keys(parameters).find((key) => key.startsWith(PARAMETER_PREFIX) && !KNOWN.has(key));
  if (unknown !== undefined) {
    const message = `found unknown parameter key "${unknown}" with reserved namespace ${PARAMETER_PREFIX}`;
    return { type: 'wrong', message: `failed to strip CSI Parameters of prefixed keys: ${message}` };
  }
  const rest = Object.entries(parameters).filter(([key]) => !key.startsWith(PARAMETER_PREFIX));
  return { type: 'found', value: Object.fromEntries(rest) };
}

/** What `--extra-create-metadata` tells the driver about the objects it works for. */
export function objectMetadata(claim: PersistentVolumeClaim, volumeName: string): StringMap {
  return {
    [`${PARAMETER_PREFIX}pvc/name`]: claim.metadata.name,
    [`${PARAMETER_PREFIX}pvc/namespace`]: claim.metadata.namespace ?? '',
    [`${PARAMETER_PREFIX}pv/name`]: volumeName,
  };
}
