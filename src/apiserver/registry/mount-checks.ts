// Mounts and devices of a container. kubernetes:pkg/apis/core/validation/validation.go (ValidateVolumeMounts, ValidateVolumeDevices)
import { type FieldError, forbidden, invalid, notFound, required } from '../../kube/field-error.ts';
import type { Container, VolumeDevice, VolumeMount } from '../../kube/resources/container.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { checkOneOf } from './field-checks.ts';
import { checkDescendingPath } from './source-checks.ts';

type Faults = readonly FieldError[];

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'] as const;
const RECURSIVE_MODES = ['Disabled', 'Enabled', 'IfPossible'] as const;

export function checkMounts(container: Container, volumes: ReadonlyMap<string, Volume>, path: string): Faults {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const isRepeated = mounts.slice(0, index).some(({ mountPath }) => mountPath === mount.mountPath);
    return [
      ...(mount.name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.has(mount.name) ? [] : [notFound(`${at}.name`, mount.name)]),
      ...(mount.mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(isRepeated ? [invalid(`${at}.mountPath`, mount.mountPath, 'must be unique')] : []),
      ...(devices.some(({ name }) => name === mount.name)
        ? [invalid(`${at}.name`, mount.name, 'must not already exist in volumeDevices')]
        : []),
      ...(devices.some(({ devicePath }) => devicePath === mount.mountPath)
        ? [invalid(`${at}.mountPath`, mount.mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      ...checkSubPaths(mount, path, at),
      ...checkPropagation(mount, container, `${path}.mountPropagation`),
      ...checkRecursive(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

/** Upstream leaves the index out of most of these paths. */
function checkSubPaths(mount: VolumeMount, path: string, at: string): Faults {
  const { subPath = '', subPathExpr = '' } = mount;
  return [
    ...(subPath === '' ? [] : checkDescendingPath(`${path}.subPath`, subPath)),
    ...(subPath !== '' && subPathExpr !== ''
      ? [invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...(subPathExpr === '' ? [] : checkDescendingPath(`${path}.subPathExpr`, subPathExpr)),
  ];
}

function checkPropagation(mount: VolumeMount, container: Container, path: string): Faults {
  const mode = mount.mountPropagation;
  if (mode === undefined) return [];
  const isRefused = mode === 'Bidirectional' && container.securityContext?.privileged !== true;
  return [
    ...checkOneOf(path, mode, PROPAGATIONS),
    ...(isRefused
      ? [forbidden(path, 'Bidirectional mount propagation is available only to privileged containers')]
      : []),
  ];
}

function checkRecursive(mount: VolumeMount, path: string): Faults {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return [];
  if (mode !== 'Enabled' && mode !== 'IfPossible') return checkOneOf(path, mode, RECURSIVE_MODES);
  const propagation = mount.mountPropagation ?? 'None';
  return [
    ...(mount.readOnly === true ? [] : [forbidden(path, 'may only be specified when readOnly is true')]),
    ...(propagation === 'None'
      ? []
      : [forbidden(path, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

export function checkDevices(container: Container, volumes: ReadonlyMap<string, Volume>, path: string): Faults {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  return devices.flatMap((device, index) => {
    const at = `${path}[${index}]`;
    const earlier = devices.slice(0, index);
    return [
      ...(device.name === '' ? [required(`${at}.name`)] : []),
      ...(earlier.some(({ name }) => name === device.name && name !== '')
        ? [invalid(`${at}.name`, device.name, 'must be unique')]
        : []),
      ...checkDeviceVolume(volumes.get(device.name), device, at),
      ...checkDevicePath(device, earlier, at),
      ...(mounts.some(({ name }) => name === device.name)
        ? [invalid(`${at}.name`, device.name, 'must not already exist in volumeMounts')]
        : []),
      ...(mounts.some(({ mountPath }) => mountPath === device.devicePath)
        ? [invalid(`${at}.devicePath`, device.devicePath, 'must not already exist as a path in volumeMounts')]
        : []),
    ];
  });
}

function checkDeviceVolume(volume: Volume | undefined, device: VolumeDevice, path: string): Faults {
  if (volume === undefined) return [notFound(`${path}.name`, device.name)];
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) return [];
  const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [invalid(`${path}.name`, device.name, detail)];
}

function checkDevicePath(device: VolumeDevice, earlier: readonly VolumeDevice[], path: string): Faults {
  const { devicePath } = device;
  return [
    ...(devicePath === '' ? [required(`${path}.devicePath`)] : []),
    ...(earlier.some((other) => other.devicePath === devicePath)
      ? [invalid(`${path}.devicePath`, devicePath, 'must be unique')]
      : []),
    ...(devicePath.split('/').includes('..')
      ? [invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')")]
      : []),
  ];
}
