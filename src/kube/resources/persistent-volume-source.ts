import {
  type Infer,
  always,
  bool,
  int32,
  list,
  map,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  string,
} from '../schema.ts';
import { NodeSelectorSchema } from './node-selector.ts';
import { ObjectReferenceSchema, SecretReferenceSchema } from './references.ts';

export const GCEPersistentDiskVolumeSourceSchema = message('io.k8s.api.core.v1.GCEPersistentDiskVolumeSource', {
  pdName: always(1, string),
  fsType: omitempty(2, string),
  partition: omitempty(3, int32),
  readOnly: omitempty(4, bool),
});
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSourceSchema> {}

export const AWSElasticBlockStoreVolumeSourceSchema = message('io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource', {
  volumeID: always(1, string),
  fsType: omitempty(2, string),
  partition: omitempty(3, int32),
  readOnly: omitempty(4, bool),
});
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSourceSchema> {}

export const HostPathVolumeSourceSchema = message('io.k8s.api.core.v1.HostPathVolumeSource', {
  path: always(1, string),
  type: pointer(2, string),
});
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSourceSchema> {}

const GlusterfsPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.GlusterfsPersistentVolumeSource', {
  endpoints: always(1, string),
  path: always(2, string),
  readOnly: omitempty(3, bool),
  endpointsNamespace: pointer(4, string),
});
export interface GlusterfsPersistentVolumeSource extends Infer<typeof GlusterfsPersistentVolumeSourceSchema> {}

export const NFSVolumeSourceSchema = message('io.k8s.api.core.v1.NFSVolumeSource', {
  server: always(1, string),
  path: always(2, string),
  readOnly: omitempty(3, bool),
});
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSourceSchema> {}

const RBDPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.RBDPersistentVolumeSource', {
  monitors: always(1, list(string)),
  image: always(2, string),
  fsType: omitempty(3, string),
  pool: omitempty(4, string),
  user: omitempty(5, string),
  keyring: omitempty(6, string),
  secretRef: pointer(7, of(SecretReferenceSchema)),
  readOnly: omitempty(8, bool),
});
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSourceSchema> {}

const ISCSIPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.ISCSIPersistentVolumeSource', {
  targetPortal: always(1, string),
  iqn: always(2, string),
  lun: always(3, int32),
  iscsiInterface: omitempty(4, string),
  fsType: omitempty(5, string),
  readOnly: omitempty(6, bool),
  portals: omitempty(7, list(string)),
  chapAuthDiscovery: omitempty(8, bool),
  chapAuthSession: omitempty(11, bool),
  secretRef: pointer(10, of(SecretReferenceSchema)),
  initiatorName: pointer(12, string),
});
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSourceSchema> {}

const CinderPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.CinderPersistentVolumeSource', {
  volumeID: always(1, string),
  fsType: omitempty(2, string),
  readOnly: omitempty(3, bool),
  secretRef: pointer(4, of(SecretReferenceSchema)),
});
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSourceSchema> {}

const CephFSPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.CephFSPersistentVolumeSource', {
  monitors: always(1, list(string)),
  path: omitempty(2, string),
  user: omitempty(3, string),
  secretFile: omitempty(4, string),
  secretRef: pointer(5, of(SecretReferenceSchema)),
  readOnly: omitempty(6, bool),
});
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSourceSchema> {}

export const FCVolumeSourceSchema = message('io.k8s.api.core.v1.FCVolumeSource', {
  targetWWNs: omitempty(1, list(string)),
  lun: pointer(2, int32),
  fsType: omitempty(3, string),
  readOnly: omitempty(4, bool),
  wwids: omitempty(5, list(string)),
});
export interface FCVolumeSource extends Infer<typeof FCVolumeSourceSchema> {}

export const FlockerVolumeSourceSchema = message('io.k8s.api.core.v1.FlockerVolumeSource', {
  datasetName: omitempty(1, string),
  datasetUUID: omitempty(2, string),
});
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSourceSchema> {}

const FlexPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.FlexPersistentVolumeSource', {
  driver: always(1, string),
  fsType: omitempty(2, string),
  secretRef: pointer(3, of(SecretReferenceSchema)),
  readOnly: omitempty(4, bool),
  options: omitempty(5, map(string)),
});
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSourceSchema> {}

const AzureFilePersistentVolumeSourceSchema = message('io.k8s.api.core.v1.AzureFilePersistentVolumeSource', {
  secretName: always(1, string),
  shareName: always(2, string),
  readOnly: omitempty(3, bool),
  secretNamespace: nullable(4, string),
});
export interface AzureFilePersistentVolumeSource extends Infer<typeof AzureFilePersistentVolumeSourceSchema> {}

export const VsphereVirtualDiskVolumeSourceSchema = message('io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource', {
  volumePath: always(1, string),
  fsType: omitempty(2, string),
  storagePolicyName: omitempty(3, string),
  storagePolicyID: omitempty(4, string),
});
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSourceSchema> {}

export const QuobyteVolumeSourceSchema = message('io.k8s.api.core.v1.QuobyteVolumeSource', {
  registry: always(1, string),
  volume: always(2, string),
  readOnly: omitempty(3, bool),
  user: omitempty(4, string),
  group: omitempty(5, string),
  tenant: omitempty(6, string),
});
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSourceSchema> {}

export const AzureDiskVolumeSourceSchema = message('io.k8s.api.core.v1.AzureDiskVolumeSource', {
  diskName: always(1, string),
  diskURI: always(2, string),
  cachingMode: pointer(3, string),
  fsType: pointer(4, string),
  readOnly: pointer(5, bool),
  kind: pointer(6, string),
});
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSourceSchema> {}

export const PhotonPersistentDiskVolumeSourceSchema = message('io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource', {
  pdID: always(1, string),
  fsType: omitempty(2, string),
});
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSourceSchema> {}

export const PortworxVolumeSourceSchema = message('io.k8s.api.core.v1.PortworxVolumeSource', {
  volumeID: always(1, string),
  fsType: omitempty(2, string),
  readOnly: omitempty(3, bool),
});
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSourceSchema> {}

const ScaleIOPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.ScaleIOPersistentVolumeSource', {
  gateway: always(1, string),
  system: always(2, string),
  secretRef: nullable(3, of(SecretReferenceSchema)),
  sslEnabled: omitempty(4, bool),
  protectionDomain: omitempty(5, string),
  storagePool: omitempty(6, string),
  storageMode: omitempty(7, string),
  volumeName: omitempty(8, string),
  fsType: omitempty(9, string),
  readOnly: omitempty(10, bool),
});
export interface ScaleIOPersistentVolumeSource extends Infer<typeof ScaleIOPersistentVolumeSourceSchema> {}

const LocalVolumeSourceSchema = message('io.k8s.api.core.v1.LocalVolumeSource', {
  path: always(1, string),
  fsType: pointer(2, string),
});
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSourceSchema> {}

const StorageOSPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.StorageOSPersistentVolumeSource', {
  volumeName: omitempty(1, string),
  volumeNamespace: omitempty(2, string),
  fsType: omitempty(3, string),
  readOnly: omitempty(4, bool),
  secretRef: pointer(5, of(ObjectReferenceSchema)),
});
export interface StorageOSPersistentVolumeSource extends Infer<typeof StorageOSPersistentVolumeSourceSchema> {}

const CSIPersistentVolumeSourceSchema = message('io.k8s.api.core.v1.CSIPersistentVolumeSource', {
  driver: always(1, string),
  volumeHandle: always(2, string),
  readOnly: omitempty(3, bool),
  fsType: omitempty(4, string),
  volumeAttributes: omitempty(5, map(string)),
  controllerPublishSecretRef: pointer(6, of(SecretReferenceSchema)),
  nodeStageSecretRef: pointer(7, of(SecretReferenceSchema)),
  nodePublishSecretRef: pointer(8, of(SecretReferenceSchema)),
  controllerExpandSecretRef: pointer(9, of(SecretReferenceSchema)),
  nodeExpandSecretRef: pointer(10, of(SecretReferenceSchema)),
});
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSourceSchema> {}

export const PersistentVolumeSourceSchema = message('io.k8s.api.core.v1.PersistentVolumeSource', {
  gcePersistentDisk: pointer(1, of(GCEPersistentDiskVolumeSourceSchema)),
  awsElasticBlockStore: pointer(2, of(AWSElasticBlockStoreVolumeSourceSchema)),
  hostPath: pointer(3, of(HostPathVolumeSourceSchema)),
  glusterfs: pointer(4, of(GlusterfsPersistentVolumeSourceSchema)),
  nfs: pointer(5, of(NFSVolumeSourceSchema)),
  rbd: pointer(6, of(RBDPersistentVolumeSourceSchema)),
  iscsi: pointer(7, of(ISCSIPersistentVolumeSourceSchema)),
  cinder: pointer(8, of(CinderPersistentVolumeSourceSchema)),
  cephfs: pointer(9, of(CephFSPersistentVolumeSourceSchema)),
  fc: pointer(10, of(FCVolumeSourceSchema)),
  flocker: pointer(11, of(FlockerVolumeSourceSchema)),
  flexVolume: pointer(12, of(FlexPersistentVolumeSourceSchema)),
  azureFile: pointer(13, of(AzureFilePersistentVolumeSourceSchema)),
  vsphereVolume: pointer(14, of(VsphereVirtualDiskVolumeSourceSchema)),
  quobyte: pointer(15, of(QuobyteVolumeSourceSchema)),
  azureDisk: pointer(16, of(AzureDiskVolumeSourceSchema)),
  photonPersistentDisk: pointer(17, of(PhotonPersistentDiskVolumeSourceSchema)),
  portworxVolume: pointer(18, of(PortworxVolumeSourceSchema)),
  scaleIO: pointer(19, of(ScaleIOPersistentVolumeSourceSchema)),
  local: pointer(20, of(LocalVolumeSourceSchema)),
  storageos: pointer(21, of(StorageOSPersistentVolumeSourceSchema)),
  csi: pointer(22, of(CSIPersistentVolumeSourceSchema)),
});
export interface PersistentVolumeSource extends Infer<typeof PersistentVolumeSourceSchema> {}

export const VolumeNodeAffinitySchema = message('io.k8s.api.core.v1.VolumeNodeAffinity', {
  required: pointer(1, of(NodeSelectorSchema)),
});
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinitySchema> {}
