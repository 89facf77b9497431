// Volumes without a driver: the kubelet makes them itself. Their content is not modelled; that what they are made from
// exists is checked, because pods wait for it.
import { isApiError } from '../../../kube/api-error.ts';
import { type KubeObject, type Resource, keyFrom } from '../../../kube/object.ts';
import { ConfigMaps } from '../../../kube/resources/config-map.ts';
import { Secrets } from '../../../kube/resources/secret.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { VOLUME_DIRECTORY_MODE } from '../../csiplugin/kubelet-paths.ts';
import { VolumeFailure } from '../../csiplugin/volume-failure.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';

export async function setUpPlain(services: VolumeServices, volume: VolumeToMount, turn: OperationTurn): Promise<void> {
  const { spec, podUid, traits, pod } = volume;
  if (spec.type === 'plain') {
    const { secret, configMap } = spec.source;
    const at = (name: string | undefined) => keyFrom(pod.metadata.namespace, name ?? '');
    if (secret !== undefined && secret.optional !== true) await checkExists(Secrets, at(secret.secretName), turn);
    if (configMap !== undefined && configMap.optional !== true) await checkExists(ConfigMaps, at(configMap.name), turn);
  }
  const directory = services.paths.podVolumeDirectory(podUid, traits.plugin, spec.name);
  await services.mounter.makeDirectory(directory, VOLUME_DIRECTORY_MODE);
}

async function checkExists<T extends KubeObject>(
  resource: Resource<T>,
  key: string,
  turn: OperationTurn,
): Promise<void> {
  try {
    await turn.cluster.get(resource, key);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    const name = key.slice(key.indexOf('/') + 1);
    throw new VolumeFailure(`${resource.kind.toLowerCase()} "${name}" not found`, 'final');
  }
}

export async function tearDownPlain(
  { mounter, paths }: VolumeServices,
  volume: { readonly podUid: string; readonly plugin: string; readonly specName: string },
): Promise<void> {
  await mounter.removeDirectory(paths.podVolumeDirectory(volume.podUid, volume.plugin, volume.specName));
}
