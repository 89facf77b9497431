// Unstaging a volume that no pod has any more. Refused while something else still refers to the device.
// kubernetes:pkg/volume/util/operationexecutor/operation_generator.go GenerateUnmountDeviceFunc, GenerateUnmapDeviceFunc
import { removeTree, tearDownDevice } from '../../csiplugin/block-device.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { unmountDevice } from '../../csiplugin/unmount-device.ts';
import { VolumeFailure } from '../../csiplugin/volume-failure.ts';
import { persistentCsiId } from '../../csiplugin/volume-spec.ts';
import type { CsiVolumeId } from '../../../volume/volume-name.ts';
import type { Mounter } from '../../mounter/mounter.ts';
import type { AttachedVolume } from '../actual-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import { step } from './operation-message.ts';

const PLUGIN_PREFIX = 'plugins/kubernetes.io/';

/** Throws a StepFailure. */
export async function unmountStagedDevice(
  services: VolumeServices,
  volume: AttachedVolume,
  turn: OperationTurn,
): Promise<void> {
  const { actual, mounter, paths } = services;
  const { volumeName, spec } = volume;
  const id = persistentCsiId(spec);
  if (id !== undefined) {
    const at = (prefix: string) => ({ prefix, specName: spec.name });
    const stagingPath = paths.stagingPath(id);
    await step(at('GetDeviceMountRefs check failed'), () => checkMountReferences(mounter, stagingPath));
    await step(
      at('UnmountDevice failed'),
      () => unmountDevice(services, id, turn),
      () => actual.setDeviceMountState(volumeName, 'uncertain'),
    );
  }
  actual.setDeviceMountState(volumeName, 'not-mounted');
}

/** Mounts of the same storage elsewhere; the kubelet's own place under another root does not count. */
async function checkMountReferences(mounter: Mounter, path: string): Promise<void> {
  const mounts = await mounter.mounts();
  const source = mounts.find(({ target }) => target === path)?.source;
  if (source === undefined) return;
  const references = mounts
    .filter((each) => each.source === source && each.target !== path)
    .map(({ target }) => target);
  const own = path.slice(Math.max(0, path.indexOf(PLUGIN_PREFIX)));
  if (references.every((target) => target.includes(own))) return;
  const text = `the device mount path "${path}" is still mounted by other references [${references.join(' ')}]`;
  throw new VolumeFailure(text, 'final');
}

/** Throws a StepFailure. */
export async function unmapStagedDevice(
  services: VolumeServices,
  volume: AttachedVolume,
  turn: OperationTurn,
): Promise<void> {
  const { actual, mounter, paths } = services;
  const { volumeName, spec } = volume;
  const at = (prefix: string) => ({ prefix, specName: spec.name });
  const globalPath = paths.globalMapPath(spec.name);
  const id = await step(at('UnmapDevice.NewUnmapper failed'), () => blockIdOnDisk(services, spec.name));
  await step(at('UnmapDevice failed'), () => checkBoundDevices(mounter, globalPath));
  actual.setDeviceMountState(volumeName, 'uncertain');
  await step(at('UnmapDevice.TearDownDevice failed'), () => tearDownDevice(services, { id, name: spec.name }, turn));
  await step(at('UnmapDevice.RemoveMapPath failed'), () => removeTree(mounter, globalPath));
  actual.setDeviceMountState(volumeName, 'not-mounted');
}

async function blockIdOnDisk({ mounter, paths }: VolumeServices, name: string): Promise<CsiVolumeId> {
  const data = await mounter.readVolumeData(paths.blockDataDirectory(name));
  if (data !== undefined) return { driver: data.driverName, handle: data.volumeHandle };
  throw new VolumeFailure(`unmapper failed to load volume data file [${paths.blockDataDirectory(name)}]`, 'final');
}

async function checkBoundDevices(mounter: Mounter, globalPath: string): Promise<void> {
  const bound: string[] = [];
  for (const name of await mounter.list(globalPath)) {
    const path = `${globalPath}/${name}`;
    if ((await mounter.stat(path))?.kind === 'block') bound.push(path);
  }
  if (bound.length === 0) return;
  throw new VolumeFailure(
    `the device "${globalPath}" is still referenced from other Pods [${bound.join(' ')}]`,
    'final',
  );
}
