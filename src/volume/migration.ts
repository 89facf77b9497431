import { type PersistentVolumeSpec } from '../kube/resources/persistent-volume.ts';

/** In-tree plugins that CSI drivers serve today. kubernetes:staging/src/k8s.io/csi-translation-lib/translate.go */
const DRIVER_OF_PLUGIN: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** The CSI driver that stands in for an in-tree plugin, undefined if the plugin was not migrated. */
export function migratedDriverOf(plugin: string): string | undefined {
  return DRIVER_OF_PLUGIN.get(plugin);
}

const PLUGIN_OF_SOURCE = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cinder', 'kubernetes.io/cinder'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
] as const;

/** The migrated in-tree plugin of a volume; undefined for a CSI volume and for plugins that stayed in the tree. */
export function migratedPluginOf(spec: PersistentVolumeSpec): string | undefined {
  return PLUGIN_OF_SOURCE.find(([source]) => spec[source] !== undefined)?.[1];
}
