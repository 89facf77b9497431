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
  of,
  omitempty,
  pointer,
  quantity,
  string,
} from '../schema.ts';
import {
  AppArmorProfileSchema,
  ContainerSchema,
  EphemeralContainerSchema,
  ResourceRequirementsSchema,
  SELinuxOptionsSchema,
  SeccompProfileSchema,
  WindowsSecurityContextOptionsSchema,
} from './container.ts';
import { LabelSelectorSchema, templateMetadata } from './meta.ts';
import { NodeSelectorSchema, PreferredSchedulingTermSchema, TolerationSchema } from './node-selector.ts';
import { LocalObjectReferenceSchema } from './references.ts';
import { VolumeSourceSchema } from './volume-source.ts';

const VolumeSchema = message('io.k8s.api.core.v1.Volume', {
  name: always(1, string),
  ...embedded(2, VolumeSourceSchema),
});
export interface Volume extends Infer<typeof VolumeSchema> {}

const SysctlSchema = message('io.k8s.api.core.v1.Sysctl', {
  name: always(1, string),
  value: always(2, string),
});
export interface Sysctl extends Infer<typeof SysctlSchema> {}

const PodSecurityContextSchema = message('io.k8s.api.core.v1.PodSecurityContext', {
  seLinuxOptions: pointer(1, of(SELinuxOptionsSchema)),
  windowsOptions: pointer(8, of(WindowsSecurityContextOptionsSchema)),
  runAsUser: pointer(2, int64),
  runAsGroup: pointer(6, int64),
  runAsNonRoot: pointer(3, bool),
  supplementalGroups: omitempty(4, list(int64)),
  supplementalGroupsPolicy: pointer(12, string),
  fsGroup: pointer(5, int64),
  sysctls: omitempty(7, list(of(SysctlSchema))),
  fsGroupChangePolicy: pointer(9, string),
  seccompProfile: pointer(10, of(SeccompProfileSchema)),
  appArmorProfile: pointer(11, of(AppArmorProfileSchema)),
  seLinuxChangePolicy: pointer(13, string),
});
export interface PodSecurityContext extends Infer<typeof PodSecurityContextSchema> {}

const NodeAffinitySchema = message('io.k8s.api.core.v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: pointer(1, of(NodeSelectorSchema)),
  preferredDuringSchedulingIgnoredDuringExecution: omitempty(2, list(of(PreferredSchedulingTermSchema))),
});
export interface NodeAffinity extends Infer<typeof NodeAffinitySchema> {}

const PodAffinityTermSchema = message('io.k8s.api.core.v1.PodAffinityTerm', {
  labelSelector: pointer(1, of(LabelSelectorSchema)),
  namespaces: omitempty(2, list(string)),
  topologyKey: always(3, string),
  namespaceSelector: pointer(4, of(LabelSelectorSchema)),
  matchLabelKeys: omitempty(5, list(string)),
  mismatchLabelKeys: omitempty(6, list(string)),
});
export interface PodAffinityTerm extends Infer<typeof PodAffinityTermSchema> {}

const WeightedPodAffinityTermSchema = message('io.k8s.api.core.v1.WeightedPodAffinityTerm', {
  weight: always(1, int32),
  podAffinityTerm: always(2, of(PodAffinityTermSchema)),
});
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTermSchema> {}

const PodAffinitySchema = message('io.k8s.api.core.v1.PodAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: omitempty(1, list(of(PodAffinityTermSchema))),
  preferredDuringSchedulingIgnoredDuringExecution: omitempty(2, list(of(WeightedPodAffinityTermSchema))),
});
export interface PodAffinity extends Infer<typeof PodAffinitySchema> {}

const PodAntiAffinitySchema = message('io.k8s.api.core.v1.PodAntiAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: omitempty(1, list(of(PodAffinityTermSchema))),
  preferredDuringSchedulingIgnoredDuringExecution: omitempty(2, list(of(WeightedPodAffinityTermSchema))),
});
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinitySchema> {}

const AffinitySchema = message('io.k8s.api.core.v1.Affinity', {
  nodeAffinity: pointer(1, of(NodeAffinitySchema)),
  podAffinity: pointer(2, of(PodAffinitySchema)),
  podAntiAffinity: pointer(3, of(PodAntiAffinitySchema)),
});
export interface Affinity extends Infer<typeof AffinitySchema> {}

const HostAliasSchema = message('io.k8s.api.core.v1.HostAlias', {
  ip: always(1, string),
  hostnames: omitempty(2, list(string)),
});
export interface HostAlias extends Infer<typeof HostAliasSchema> {}

const PodDNSConfigOptionSchema = message('io.k8s.api.core.v1.PodDNSConfigOption', {
  name: omitempty(1, string),
  value: pointer(2, string),
});
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOptionSchema> {}

const PodDNSConfigSchema = message('io.k8s.api.core.v1.PodDNSConfig', {
  nameservers: omitempty(1, list(string)),
  searches: omitempty(2, list(string)),
  options: omitempty(3, list(of(PodDNSConfigOptionSchema))),
});
export interface PodDNSConfig extends Infer<typeof PodDNSConfigSchema> {}

const PodReadinessGateSchema = message('io.k8s.api.core.v1.PodReadinessGate', {
  conditionType: always(1, string),
});
export interface PodReadinessGate extends Infer<typeof PodReadinessGateSchema> {}

const TopologySpreadConstraintSchema = message('io.k8s.api.core.v1.TopologySpreadConstraint', {
  maxSkew: always(1, int32),
  topologyKey: always(2, string),
  whenUnsatisfiable: always(3, string),
  labelSelector: pointer(4, of(LabelSelectorSchema)),
  minDomains: pointer(5, int32),
  nodeAffinityPolicy: pointer(6, string),
  nodeTaintsPolicy: pointer(7, string),
  matchLabelKeys: omitempty(8, list(string)),
});
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraintSchema> {}

const PodOSSchema = message('io.k8s.api.core.v1.PodOS', {
  name: always(1, string),
});
export interface PodOS extends Infer<typeof PodOSSchema> {}

const PodSchedulingGateSchema = message('io.k8s.api.core.v1.PodSchedulingGate', {
  name: always(1, string),
});
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGateSchema> {}

const PodResourceClaimSchema = message('io.k8s.api.core.v1.PodResourceClaim', {
  name: always(1, string),
  resourceClaimName: pointer(3, string),
  resourceClaimTemplateName: pointer(4, string),
});
export interface PodResourceClaim extends Infer<typeof PodResourceClaimSchema> {}

const PodSchedulingGroupSchema = message('io.k8s.api.core.v1.PodSchedulingGroup', {
  podGroupName: pointer(1, string),
});
export interface PodSchedulingGroup extends Infer<typeof PodSchedulingGroupSchema> {}

export const PodSpecSchema = message('io.k8s.api.core.v1.PodSpec', {
  volumes: omitempty(1, list(of(VolumeSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }), {
    retainKeys: true,
  }),
  initContainers: omitempty(
    20,
    list(of(ContainerSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  containers: always(2, list(of(ContainerSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } })),
  ephemeralContainers: omitempty(
    34,
    list(of(EphemeralContainerSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  restartPolicy: omitempty(3, string),
  terminationGracePeriodSeconds: pointer(4, int64),
  activeDeadlineSeconds: pointer(5, int64),
  dnsPolicy: omitempty(6, string),
  nodeSelector: omitempty(7, map(string), { atomic: true }),
  serviceAccountName: omitempty(8, string),
  serviceAccount: omitempty(9, string),
  automountServiceAccountToken: pointer(21, bool),
  nodeName: omitempty(10, string),
  hostNetwork: omitempty(11, bool),
  hostPID: omitempty(12, bool),
  hostIPC: omitempty(13, bool),
  shareProcessNamespace: pointer(27, bool),
  securityContext: pointer(14, of(PodSecurityContextSchema)),
  imagePullSecrets: omitempty(
    15,
    list(of(LocalObjectReferenceSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  hostname: omitempty(16, string),
  subdomain: omitempty(17, string),
  affinity: pointer(18, of(AffinitySchema)),
  schedulerName: omitempty(19, string),
  tolerations: omitempty(22, list(of(TolerationSchema))),
  hostAliases: omitempty(23, list(of(HostAliasSchema), { merge: { key: 'ip' }, apply: { type: 'map', keys: ['ip'] } })),
  priorityClassName: omitempty(24, string),
  priority: pointer(25, int32),
  dnsConfig: pointer(26, of(PodDNSConfigSchema)),
  readinessGates: omitempty(28, list(of(PodReadinessGateSchema))),
  runtimeClassName: pointer(29, string),
  enableServiceLinks: pointer(30, bool),
  preemptionPolicy: pointer(31, string),
  overhead: omitempty(32, map(quantity)),
  topologySpreadConstraints: omitempty(
    33,
    list(of(TopologySpreadConstraintSchema), {
      merge: { key: 'topologyKey' },
      apply: { type: 'map', keys: ['topologyKey', 'whenUnsatisfiable'] },
    }),
  ),
  setHostnameAsFQDN: pointer(35, bool),
  os: pointer(36, of(PodOSSchema)),
  hostUsers: pointer(37, bool),
  schedulingGates: omitempty(
    38,
    list(of(PodSchedulingGateSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  resourceClaims: omitempty(
    39,
    list(of(PodResourceClaimSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
    { retainKeys: true },
  ),
  resources: pointer(40, of(ResourceRequirementsSchema)),
  hostnameOverride: pointer(41, string),
  schedulingGroup: pointer(43, of(PodSchedulingGroupSchema)),
});
export interface PodSpec extends Infer<typeof PodSpecSchema> {}

export const PodTemplateSpecSchema = message('io.k8s.api.core.v1.PodTemplateSpec', {
  metadata: always(1, templateMetadata),
  spec: always(2, of(PodSpecSchema)),
});
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpecSchema> {}
