import {
  type Infer,
  always,
  bool,
  embedded,
  int32,
  int64,
  list,
  map,
  message,
  nullable,
  of,
  omitempty,
  pointer,
  quantity,
  string,
} from '../schema.ts';
import { LabelSelectorSchema, templateMetadata } from './meta.ts';
import { PersistentVolumeClaimSpecSchema } from './persistent-volume-claim.ts';
import {
  AWSElasticBlockStoreVolumeSourceSchema,
  AzureDiskVolumeSourceSchema,
  FCVolumeSourceSchema,
  FlockerVolumeSourceSchema,
  GCEPersistentDiskVolumeSourceSchema,
  HostPathVolumeSourceSchema,
  NFSVolumeSourceSchema,
  PhotonPersistentDiskVolumeSourceSchema,
  PortworxVolumeSourceSchema,
  QuobyteVolumeSourceSchema,
  VsphereVirtualDiskVolumeSourceSchema,
} from './persistent-volume-source.ts';
import { LocalObjectReferenceSchema } from './references.ts';

const EmptyDirVolumeSourceSchema = message('io.k8s.api.core.v1.EmptyDirVolumeSource', {
  medium: omitempty(1, string),
  sizeLimit: pointer(2, quantity),
});
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSourceSchema> {}

const GitRepoVolumeSourceSchema = message('io.k8s.api.core.v1.GitRepoVolumeSource', {
  repository: always(1, string),
  revision: omitempty(2, string),
  directory: omitempty(3, string),
});
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSourceSchema> {}

const KeyToPathSchema = message('io.k8s.api.core.v1.KeyToPath', {
  key: always(1, string),
  path: always(2, string),
  mode: pointer(3, int32),
});
export interface KeyToPath extends Infer<typeof KeyToPathSchema> {}

const SecretVolumeSourceSchema = message('io.k8s.api.core.v1.SecretVolumeSource', {
  secretName: omitempty(1, string),
  items: omitempty(2, list(of(KeyToPathSchema))),
  defaultMode: pointer(3, int32),
  optional: pointer(4, bool),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSourceSchema> {}

const ISCSIVolumeSourceSchema = message('io.k8s.api.core.v1.ISCSIVolumeSource', {
  targetPortal: always(1, string),
  iqn: always(2, string),
  lun: always(3, int32),
  iscsiInterface: omitempty(4, string),
  fsType: omitempty(5, string),
  readOnly: omitempty(6, bool),
  portals: omitempty(7, list(string)),
  chapAuthDiscovery: omitempty(8, bool),
  chapAuthSession: omitempty(11, bool),
  secretRef: pointer(10, of(LocalObjectReferenceSchema)),
  initiatorName: pointer(12, string),
});
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSourceSchema> {}

const GlusterfsVolumeSourceSchema = message('io.k8s.api.core.v1.GlusterfsVolumeSource', {
  endpoints: always(1, string),
  path: always(2, string),
  readOnly: omitempty(3, bool),
});
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSourceSchema> {}

const PersistentVolumeClaimVolumeSourceSchema = message('io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource', {
  claimName: always(1, string),
  readOnly: omitempty(2, bool),
});
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSourceSchema> {}

const RBDVolumeSourceSchema = message('io.k8s.api.core.v1.RBDVolumeSource', {
  monitors: always(1, list(string)),
  image: always(2, string),
  fsType: omitempty(3, string),
  pool: omitempty(4, string),
  user: omitempty(5, string),
  keyring: omitempty(6, string),
  secretRef: pointer(7, of(LocalObjectReferenceSchema)),
  readOnly: omitempty(8, bool),
});
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSourceSchema> {}

const FlexVolumeSourceSchema = message('io.k8s.api.core.v1.FlexVolumeSource', {
  driver: always(1, string),
  fsType: omitempty(2, string),
  secretRef: pointer(3, of(LocalObjectReferenceSchema)),
  readOnly: omitempty(4, bool),
  options: omitempty(5, map(string)),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSourceSchema> {}

const CinderVolumeSourceSchema = message('io.k8s.api.core.v1.CinderVolumeSource', {
  volumeID: always(1, string),
  fsType: omitempty(2, string),
  readOnly: omitempty(3, bool),
  secretRef: pointer(4, of(LocalObjectReferenceSchema)),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSourceSchema> {}

const CephFSVolumeSourceSchema = message('io.k8s.api.core.v1.CephFSVolumeSource', {
  monitors: always(1, list(string)),
  path: omitempty(2, string),
  user: omitempty(3, string),
  secretFile: omitempty(4, string),
  secretRef: pointer(5, of(LocalObjectReferenceSchema)),
  readOnly: omitempty(6, bool),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSourceSchema> {}

export const ObjectFieldSelectorSchema = message(
  'io.k8s.api.core.v1.ObjectFieldSelector',
  {
    apiVersion: omitempty(1, string),
    fieldPath: always(2, string),
  },
  { atomic: true },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelectorSchema> {}

export const ResourceFieldSelectorSchema = message(
  'io.k8s.api.core.v1.ResourceFieldSelector',
  {
    containerName: omitempty(1, string),
    resource: always(2, string),
    divisor: always(3, quantity),
  },
  { atomic: true },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelectorSchema> {}

const DownwardAPIVolumeFileSchema = message('io.k8s.api.core.v1.DownwardAPIVolumeFile', {
  path: always(1, string),
  fieldRef: pointer(2, of(ObjectFieldSelectorSchema)),
  resourceFieldRef: pointer(3, of(ResourceFieldSelectorSchema)),
  mode: pointer(4, int32),
});
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFileSchema> {}

const DownwardAPIVolumeSourceSchema = message('io.k8s.api.core.v1.DownwardAPIVolumeSource', {
  items: omitempty(1, list(of(DownwardAPIVolumeFileSchema))),
  defaultMode: pointer(2, int32),
});
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSourceSchema> {}

const AzureFileVolumeSourceSchema = message('io.k8s.api.core.v1.AzureFileVolumeSource', {
  secretName: always(1, string),
  shareName: always(2, string),
  readOnly: omitempty(3, bool),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSourceSchema> {}

const ConfigMapVolumeSourceSchema = message('io.k8s.api.core.v1.ConfigMapVolumeSource', {
  ...embedded(1, LocalObjectReferenceSchema),
  items: omitempty(2, list(of(KeyToPathSchema))),
  defaultMode: pointer(3, int32),
  optional: pointer(4, bool),
});
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSourceSchema> {}

const SecretProjectionSchema = message('io.k8s.api.core.v1.SecretProjection', {
  ...embedded(1, LocalObjectReferenceSchema),
  items: omitempty(2, list(of(KeyToPathSchema))),
  optional: pointer(4, bool),
});
export interface SecretProjection extends Infer<typeof SecretProjectionSchema> {}

const DownwardAPIProjectionSchema = message('io.k8s.api.core.v1.DownwardAPIProjection', {
  items: omitempty(1, list(of(DownwardAPIVolumeFileSchema))),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjectionSchema> {}

const ConfigMapProjectionSchema = message('io.k8s.api.core.v1.ConfigMapProjection', {
  ...embedded(1, LocalObjectReferenceSchema),
  items: omitempty(2, list(of(KeyToPathSchema))),
  optional: pointer(4, bool),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjectionSchema> {}

const ServiceAccountTokenProjectionSchema = message('io.k8s.api.core.v1.ServiceAccountTokenProjection', {
  audience: omitempty(1, string),
  expirationSeconds: pointer(2, int64),
  path: always(3, string),
});
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjectionSchema> {}

const ClusterTrustBundleProjectionSchema = message('io.k8s.api.core.v1.ClusterTrustBundleProjection', {
  name: pointer(1, string),
  signerName: pointer(2, string),
  labelSelector: pointer(3, of(LabelSelectorSchema)),
  optional: pointer(5, bool),
  path: always(4, string),
});
export interface ClusterTrustBundleProjection extends Infer<typeof ClusterTrustBundleProjectionSchema> {}

const PodCertificateProjectionSchema = message('io.k8s.api.core.v1.PodCertificateProjection', {
  signerName: omitempty(1, string),
  keyType: omitempty(2, string),
  maxExpirationSeconds: pointer(3, int32),
  credentialBundlePath: omitempty(4, string),
  keyPath: omitempty(5, string),
  certificateChainPath: omitempty(6, string),
  userAnnotations: omitempty(7, map(string)),
});
export interface PodCertificateProjection extends Infer<typeof PodCertificateProjectionSchema> {}

const VolumeProjectionSchema = message('io.k8s.api.core.v1.VolumeProjection', {
  secret: pointer(1, of(SecretProjectionSchema)),
  downwardAPI: pointer(2, of(DownwardAPIProjectionSchema)),
  configMap: pointer(3, of(ConfigMapProjectionSchema)),
  serviceAccountToken: pointer(4, of(ServiceAccountTokenProjectionSchema)),
  clusterTrustBundle: pointer(5, of(ClusterTrustBundleProjectionSchema)),
  podCertificate: pointer(6, of(PodCertificateProjectionSchema)),
});
export interface VolumeProjection extends Infer<typeof VolumeProjectionSchema> {}

const ProjectedVolumeSourceSchema = message('io.k8s.api.core.v1.ProjectedVolumeSource', {
  sources: always(1, list(of(VolumeProjectionSchema))),
  defaultMode: pointer(2, int32),
});
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSourceSchema> {}

const ScaleIOVolumeSourceSchema = message('io.k8s.api.core.v1.ScaleIOVolumeSource', {
  gateway: always(1, string),
  system: always(2, string),
  secretRef: nullable(3, of(LocalObjectReferenceSchema)),
  sslEnabled: omitempty(4, bool),
  protectionDomain: omitempty(5, string),
  storagePool: omitempty(6, string),
  storageMode: omitempty(7, string),
  volumeName: omitempty(8, string),
  fsType: omitempty(9, string),
  readOnly: omitempty(10, bool),
});
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSourceSchema> {}

const StorageOSVolumeSourceSchema = message('io.k8s.api.core.v1.StorageOSVolumeSource', {
  volumeName: omitempty(1, string),
  volumeNamespace: omitempty(2, string),
  fsType: omitempty(3, string),
  readOnly: omitempty(4, bool),
  secretRef: pointer(5, of(LocalObjectReferenceSchema)),
});
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSourceSchema> {}

const CSIVolumeSourceSchema = message('io.k8s.api.core.v1.CSIVolumeSource', {
  driver: always(1, string),
  readOnly: pointer(2, bool),
  fsType: pointer(3, string),
  volumeAttributes: omitempty(4, map(string)),
  nodePublishSecretRef: pointer(5, of(LocalObjectReferenceSchema)),
});
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSourceSchema> {}

const PersistentVolumeClaimTemplateSchema = message('io.k8s.api.core.v1.PersistentVolumeClaimTemplate', {
  metadata: always(1, templateMetadata),
  spec: always(2, of(PersistentVolumeClaimSpecSchema)),
});
export interface PersistentVolumeClaimTemplate extends Infer<typeof PersistentVolumeClaimTemplateSchema> {}

const EphemeralVolumeSourceSchema = message('io.k8s.api.core.v1.EphemeralVolumeSource', {
  volumeClaimTemplate: pointer(1, of(PersistentVolumeClaimTemplateSchema)),
});
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSourceSchema> {}

const ImageVolumeSourceSchema = message('io.k8s.api.core.v1.ImageVolumeSource', {
  reference: omitempty(1, string),
  pullPolicy: omitempty(2, string),
});
export interface ImageVolumeSource extends Infer<typeof ImageVolumeSourceSchema> {}

export const VolumeSourceSchema = message('io.k8s.api.core.v1.VolumeSource', {
  hostPath: pointer(1, of(HostPathVolumeSourceSchema)),
  emptyDir: pointer(2, of(EmptyDirVolumeSourceSchema)),
  gcePersistentDisk: pointer(3, of(GCEPersistentDiskVolumeSourceSchema)),
  awsElasticBlockStore: pointer(4, of(AWSElasticBlockStoreVolumeSourceSchema)),
  gitRepo: pointer(5, of(GitRepoVolumeSourceSchema)),
  secret: pointer(6, of(SecretVolumeSourceSchema)),
  nfs: pointer(7, of(NFSVolumeSourceSchema)),
  iscsi: pointer(8, of(ISCSIVolumeSourceSchema)),
  glusterfs: pointer(9, of(GlusterfsVolumeSourceSchema)),
  persistentVolumeClaim: pointer(10, of(PersistentVolumeClaimVolumeSourceSchema)),
  rbd: pointer(11, of(RBDVolumeSourceSchema)),
  flexVolume: pointer(12, of(FlexVolumeSourceSchema)),
  cinder: pointer(13, of(CinderVolumeSourceSchema)),
  cephfs: pointer(14, of(CephFSVolumeSourceSchema)),
  flocker: pointer(15, of(FlockerVolumeSourceSchema)),
  downwardAPI: pointer(16, of(DownwardAPIVolumeSourceSchema)),
  fc: pointer(17, of(FCVolumeSourceSchema)),
  azureFile: pointer(18, of(AzureFileVolumeSourceSchema)),
  configMap: pointer(19, of(ConfigMapVolumeSourceSchema)),
  vsphereVolume: pointer(20, of(VsphereVirtualDiskVolumeSourceSchema)),
  quobyte: pointer(21, of(QuobyteVolumeSourceSchema)),
  azureDisk: pointer(22, of(AzureDiskVolumeSourceSchema)),
  photonPersistentDisk: pointer(23, of(PhotonPersistentDiskVolumeSourceSchema)),
  projected: pointer(26, of(ProjectedVolumeSourceSchema)),
  portworxVolume: pointer(24, of(PortworxVolumeSourceSchema)),
  scaleIO: pointer(25, of(ScaleIOVolumeSourceSchema)),
  storageos: pointer(27, of(StorageOSVolumeSourceSchema)),
  csi: pointer(28, of(CSIVolumeSourceSchema)),
  ephemeral: pointer(29, of(EphemeralVolumeSourceSchema)),
  image: pointer(30, of(ImageVolumeSourceSchema)),
});
export interface VolumeSource extends Infer<typeof VolumeSourceSchema> {}
