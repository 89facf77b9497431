// What a new kubelet finds on disk: volumes of pods that an earlier process mounted. Only the directories of pods are read,
// without the API. A volume that was staged but not yet published, or whose vol_data.json is gone, is not found; upstream
// then lets it be detached while it may still be mounted, and so do we.
// kubernetes:pkg/kubelet/volumemanager/reconciler/{reconstruct,reconstruct_common}.go
import type { Mounter } from '../mounter/mounter.ts';
import { unescapeQualifiedName } from '../csiplugin/kubelet-paths.ts';
import {
  CSI_PLUGIN,
  type PluginTraits,
  reconstructedSpec,
  traitsOf,
  type VolumeMode,
  type VolumeSpec,
} from '../csiplugin/volume-spec.ts';
import type { VolumeServices } from './volume-services.ts';

export interface FoundVolume {
  readonly podUid: string;
  readonly specName: string;
  readonly plugin: string;
  readonly volumeMode: VolumeMode;
  readonly directory: string;
}
export interface ReconstructedVolumes {
  readonly volumeNames: readonly string[];
  readonly unknown: readonly FoundVolume[];
}

type Disk = Pick<VolumeServices, 'mounter' | 'paths'>;

/** Puts what it knows into the actual state, all of it uncertain. */
export async function reconstructVolumes(
  services: Disk & Pick<VolumeServices, 'actual' | 'count'>,
): Promise<ReconstructedVolumes> {
  const { actual, count } = services;
  const names = new Set<string>();
  const unknown: FoundVolume[] = [];
  for (const found of await volumesOnDisk(services)) {
    count('reconstruct_volume_operations_total');
    const spec = await specOnDisk(services, found);
    // The driver's object is not asked: whether the volume is attachable is read from the node's status later.
    const traits: PluginTraits | undefined = spec && traitsOf(spec, found.podUid, () => undefined);
    if (spec === undefined || traits === undefined) {
      count('reconstruct_volume_operations_errors_total');
      unknown.push(found);
      continue;
    }
    actual.addReconstructedVolume(traits, spec, found.podUid);
    names.add(traits.volumeName);
  }
  return { volumeNames: [...names], unknown };
}

async function volumesOnDisk({ mounter, paths }: Disk): Promise<readonly FoundVolume[]> {
  const all: FoundVolume[] = [];
  for (const podUid of await mounter.list(paths.podsDirectory)) {
    const places: readonly (readonly [VolumeMode, string])[] = [
      ['Filesystem', paths.podVolumesDirectory(podUid)],
      ['Block', paths.podDevicesDirectory(podUid)],
    ];
    for (const [volumeMode, place] of places) {
      for (const found of await volumesIn(mounter, place)) all.push({ ...found, podUid, volumeMode });
    }
  }
  return all;
}

/** Below a directory of a pod: one directory a plug-in, and in it one entry a volume. */
async function volumesIn(
  mounter: Mounter,
  place: string,
): Promise<readonly Pick<FoundVolume, 'specName' | 'plugin' | 'directory'>[]> {
  const found: Pick<FoundVolume, 'specName' | 'plugin' | 'directory'>[] = [];
  for (const pluginName of await mounter.list(place)) {
    const plugin = unescapeQualifiedName(pluginName);
    for (const specName of await mounter.list(`${place}/${pluginName}`)) {
      found.push({ specName, plugin, directory: `${place}/${pluginName}/${specName}` });
    }
  }
  return found;
}

async function specOnDisk({ mounter, paths }: Disk, found: FoundVolume): Promise<VolumeSpec | undefined> {
  const { plugin, specName, volumeMode, directory } = found;
  if (plugin !== CSI_PLUGIN) return plainSpec(plugin, specName);
  const data = await mounter.readVolumeData(volumeMode === 'Block' ? paths.blockDataDirectory(specName) : directory);
  if (data === undefined) return undefined;
  const name = data.specVolID ?? specName;
  if (data.volumeLifecycleMode === 'Ephemeral') return { type: 'inline', name, source: { driver: data.driverName } };
  return reconstructedSpec(name, { driver: data.driverName, handle: data.volumeHandle }, volumeMode);
}

const PLAIN_SOURCES: Readonly<Record<string, object>> = {
  'kubernetes.io/empty-dir': { emptyDir: {} },
  'kubernetes.io/secret': { secret: {} },
  'kubernetes.io/configmap': { configMap: {} },
  'kubernetes.io/projected': { projected: {} },
  'kubernetes.io/downward-api': { downwardAPI: {} },
  'kubernetes.io/host-path': { hostPath: {} },
  'kubernetes.io/nfs': { nfs: {} },
};

function plainSpec(plugin: string, name: string): VolumeSpec | undefined {
  const source = PLAIN_SOURCES[plugin];
  return source === undefined ? undefined : { type: 'plain', name, source: { name, ...source } };
}
