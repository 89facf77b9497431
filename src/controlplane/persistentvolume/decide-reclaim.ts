// What happens to a volume whose claim is gone, and who makes a volume for a claim that has none.
// kubernetes:pkg/controller/volume/persistentvolume/pv_controller.go
import { annotationOf } from '../../kube/annotations.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type StorageClass } from '../../kube/resources/storage-class.ts';
import { IN_TREE_PREFIX, MIGRATED_TO, PROVISIONED_BY } from '../../volume/annotations.ts';
import { migratedDriverOf } from '../../volume/migration.ts';
import { PROVISIONING_FAILED, type Saying, VOLUME_UNKNOWN_RECLAIM_POLICY, warning } from './reasons.ts';
import { type VolumePlugin } from './volume-plugin.ts';

export type ReclaimDecision =
  /** Nothing is left to this controller. */
  | { readonly type: 'stand-down'; readonly because: 'migrated' | 'retained' | 'external' }
  | { readonly type: 'delete'; readonly deleter: Deleter }
  | { readonly type: 'recycle'; readonly plugin: VolumePlugin | undefined }
  | { readonly type: 'fail'; readonly event: Saying };

export type Deleter =
  | { readonly type: 'plugin'; readonly plugin: VolumePlugin }
  | { readonly type: 'none'; readonly error: string };

export function decideReclaim(volume: PersistentVolume, plugins: readonly VolumePlugin[]): ReclaimDecision {
  if ((annotationOf(volume, MIGRATED_TO) ?? '') !== '') return { type: 'stand-down', because: 'migrated' };
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case 'Retain':
      return { type: 'stand-down', because: 'retained' };
    case 'Delete': {
      const deleter = deleterOf(volume, plugins);
      return deleter === 'external' ? { type: 'stand-down', because: 'external' } : { type: 'delete', deleter };
    }
    case 'Recycle': {
      const found = pluginFor(volume, plugins);
      const plugin = typeof found !== 'string' && found.recycle !== undefined ? found : undefined;
      return { type: 'recycle', plugin };
    }
    default: {
      const message = 'Volume has unrecognized PersistentVolumeReclaimPolicy';
      return { type: 'fail', event: warning(VOLUME_UNKNOWN_RECLAIM_POLICY, message) };
    }
  }
}

function deleterOf(volume: PersistentVolume, plugins: readonly VolumePlugin[]): Deleter | 'external' {
  const provisioner = annotationOf(volume, PROVISIONED_BY) ?? '';
  if (provisioner !== '') {
    const found = pluginNamed(provisioner, plugins);
    if (typeof found !== 'string' && found.delete !== undefined) return { type: 'plugin', plugin: found };
    if (!provisioner.startsWith(IN_TREE_PREFIX)) return 'external';
    return { type: 'none', error: typeof found === 'string' ? found : NOT_DELETABLE };
  }
  if (annotationOf(volume, MIGRATED_TO) !== undefined || volume.spec.csi !== undefined) return 'external';
  const found = pluginFor(volume, plugins);
  if (typeof found !== 'string' && found.delete !== undefined) return { type: 'plugin', plugin: found };
  const why = typeof found === 'string' ? found : NOT_DELETABLE;
  return { type: 'none', error: `error getting deleter volume plugin for volume "${volume.metadata.name}": ${why}` };
}

// kubernetes:pkg/volume/plugins.go
const NOT_DELETABLE = 'no deletable volume plugin matched';
const NOT_PROVISIONABLE = 'no provisionable volume plugin matched';

/** Or what upstream says if there is none, or more than one. */
function pluginFor(volume: PersistentVolume, plugins: readonly VolumePlugin[]): VolumePlugin | string {
  const [plugin, ...more] = plugins.filter((each) => each.canSupport(volume));
  if (plugin === undefined) return 'no volume plugin matched';
  if (more.length === 0) return plugin;
  return `multiple volume plugins matched: ${[plugin, ...more].map((each) => each.name).join(',')}`;
}

function pluginNamed(name: string, plugins: readonly VolumePlugin[]): VolumePlugin | string {
  return plugins.find((each) => each.name === name) ?? `no volume plugin matched name: ${name}`;
}

export type ProvisionDecision =
  | { readonly type: 'fail'; readonly event: Saying }
  /** `provisioner` is the CSI driver where the class still names the in-tree plugin. */
  | { readonly type: 'external'; readonly provisioner: string }
  | { readonly type: 'internal'; readonly plugin: VolumePlugin; readonly storageClass: StorageClass };

export function decideProvision(
  className: string,
  storageClass: StorageClass | undefined,
  plugins: readonly VolumePlugin[],
): ProvisionDecision {
  const fail = (message: string): ProvisionDecision => ({ type: 'fail', event: warning(PROVISIONING_FAILED, message) });
  if (storageClass === undefined) return fail(`storageclass.storage.k8s.io "${className}" not found`);
  const { provisioner } = storageClass;
  const driver = migratedDriverOf(provisioner);
  if (driver !== undefined) return { type: 'external', provisioner: driver };
  const found = pluginNamed(provisioner, plugins);
  if (typeof found !== 'string' && found.provision !== undefined)
    return { type: 'internal', plugin: found, storageClass };
  if (!provisioner.startsWith(IN_TREE_PREFIX)) return { type: 'external', provisioner };
  return fail(typeof found === 'string' ? found : NOT_PROVISIONABLE);
}
