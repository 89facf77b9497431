import {
  type Infer,
  always,
  bool,
  embedded,
  int32,
  int64,
  intOrString,
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
import { LocalObjectReferenceSchema, SecretKeySelectorSchema } from './references.ts';
import { ObjectFieldSelectorSchema, ResourceFieldSelectorSchema } from './volume-source.ts';

const ContainerPortSchema = message('io.k8s.api.core.v1.ContainerPort', {
  name: omitempty(1, string),
  hostPort: omitempty(2, int32),
  containerPort: always(3, int32),
  protocol: omitempty(4, string, { default: 'TCP' }),
  hostIP: omitempty(5, string),
});
export interface ContainerPort extends Infer<typeof ContainerPortSchema> {}

const ConfigMapEnvSourceSchema = message('io.k8s.api.core.v1.ConfigMapEnvSource', {
  ...embedded(1, LocalObjectReferenceSchema),
  optional: pointer(2, bool),
});
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSourceSchema> {}

const SecretEnvSourceSchema = message('io.k8s.api.core.v1.SecretEnvSource', {
  ...embedded(1, LocalObjectReferenceSchema),
  optional: pointer(2, bool),
});
export interface SecretEnvSource extends Infer<typeof SecretEnvSourceSchema> {}

const EnvFromSourceSchema = message('io.k8s.api.core.v1.EnvFromSource', {
  prefix: omitempty(1, string),
  configMapRef: pointer(2, of(ConfigMapEnvSourceSchema)),
  secretRef: pointer(3, of(SecretEnvSourceSchema)),
});
export interface EnvFromSource extends Infer<typeof EnvFromSourceSchema> {}

const ConfigMapKeySelectorSchema = message(
  'io.k8s.api.core.v1.ConfigMapKeySelector',
  {
    ...embedded(1, LocalObjectReferenceSchema),
    key: always(2, string),
    optional: pointer(3, bool),
  },
  { atomic: true },
);
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelectorSchema> {}

const FileKeySelectorSchema = message(
  'io.k8s.api.core.v1.FileKeySelector',
  {
    volumeName: always(1, string),
    path: always(2, string),
    key: always(3, string),
    optional: pointer(4, bool),
  },
  { atomic: true },
);
export interface FileKeySelector extends Infer<typeof FileKeySelectorSchema> {}

const EnvVarSourceSchema = message('io.k8s.api.core.v1.EnvVarSource', {
  fieldRef: pointer(1, of(ObjectFieldSelectorSchema)),
  resourceFieldRef: pointer(2, of(ResourceFieldSelectorSchema)),
  configMapKeyRef: pointer(3, of(ConfigMapKeySelectorSchema)),
  secretKeyRef: pointer(4, of(SecretKeySelectorSchema)),
  fileKeyRef: pointer(5, of(FileKeySelectorSchema)),
});
export interface EnvVarSource extends Infer<typeof EnvVarSourceSchema> {}

const EnvVarSchema = message('io.k8s.api.core.v1.EnvVar', {
  name: always(1, string),
  value: omitempty(2, string),
  valueFrom: pointer(3, of(EnvVarSourceSchema)),
});
export interface EnvVar extends Infer<typeof EnvVarSchema> {}

const ResourceClaimSchema = message('io.k8s.api.core.v1.ResourceClaim', {
  name: always(1, string),
  request: omitempty(2, string),
});
export interface ResourceClaim extends Infer<typeof ResourceClaimSchema> {}

export const ResourceRequirementsSchema = message('io.k8s.api.core.v1.ResourceRequirements', {
  limits: omitempty(1, map(quantity)),
  requests: omitempty(2, map(quantity)),
  claims: omitempty(3, list(of(ResourceClaimSchema), { apply: { type: 'map', keys: ['name'] } })),
});
export interface ResourceRequirements extends Infer<typeof ResourceRequirementsSchema> {}

const ContainerResizePolicySchema = message('io.k8s.api.core.v1.ContainerResizePolicy', {
  resourceName: always(1, string),
  restartPolicy: always(2, string),
});
export interface ContainerResizePolicy extends Infer<typeof ContainerResizePolicySchema> {}

const ContainerRestartRuleOnExitCodesSchema = message('io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes', {
  operator: omitempty(1, string),
  values: omitempty(2, list(int32, { apply: { type: 'set' } })),
});
export interface ContainerRestartRuleOnExitCodes extends Infer<typeof ContainerRestartRuleOnExitCodesSchema> {}

const ContainerRestartRuleSchema = message('io.k8s.api.core.v1.ContainerRestartRule', {
  action: omitempty(1, string),
  exitCodes: pointer(2, of(ContainerRestartRuleOnExitCodesSchema)),
});
export interface ContainerRestartRule extends Infer<typeof ContainerRestartRuleSchema> {}

const VolumeMountSchema = message('io.k8s.api.core.v1.VolumeMount', {
  name: always(1, string),
  readOnly: omitempty(2, bool),
  recursiveReadOnly: pointer(7, string),
  mountPath: always(3, string),
  subPath: omitempty(4, string),
  mountPropagation: pointer(5, string),
  subPathExpr: omitempty(6, string),
});
export interface VolumeMount extends Infer<typeof VolumeMountSchema> {}

const VolumeDeviceSchema = message('io.k8s.api.core.v1.VolumeDevice', {
  name: always(1, string),
  devicePath: always(2, string),
});
export interface VolumeDevice extends Infer<typeof VolumeDeviceSchema> {}

const ExecActionSchema = message('io.k8s.api.core.v1.ExecAction', {
  command: omitempty(1, list(string)),
});
export interface ExecAction extends Infer<typeof ExecActionSchema> {}

const HTTPHeaderSchema = message('io.k8s.api.core.v1.HTTPHeader', {
  name: always(1, string),
  value: always(2, string),
});
export interface HTTPHeader extends Infer<typeof HTTPHeaderSchema> {}

const HTTPGetActionSchema = message('io.k8s.api.core.v1.HTTPGetAction', {
  path: omitempty(1, string),
  port: always(2, intOrString),
  host: omitempty(3, string),
  scheme: omitempty(4, string),
  httpHeaders: omitempty(5, list(of(HTTPHeaderSchema))),
});
export interface HTTPGetAction extends Infer<typeof HTTPGetActionSchema> {}

const TCPSocketActionSchema = message('io.k8s.api.core.v1.TCPSocketAction', {
  port: always(1, intOrString),
  host: omitempty(2, string),
});
export interface TCPSocketAction extends Infer<typeof TCPSocketActionSchema> {}

const GRPCActionSchema = message('io.k8s.api.core.v1.GRPCAction', {
  port: always(1, int32),
  service: nullable(2, string),
});
export interface GRPCAction extends Infer<typeof GRPCActionSchema> {}

const ProbeHandlerSchema = message('io.k8s.api.core.v1.ProbeHandler', {
  exec: pointer(1, of(ExecActionSchema)),
  httpGet: pointer(2, of(HTTPGetActionSchema)),
  tcpSocket: pointer(3, of(TCPSocketActionSchema)),
  grpc: pointer(4, of(GRPCActionSchema)),
});
export interface ProbeHandler extends Infer<typeof ProbeHandlerSchema> {}

const ProbeSchema = message('io.k8s.api.core.v1.Probe', {
  ...embedded(1, ProbeHandlerSchema),
  initialDelaySeconds: omitempty(2, int32),
  timeoutSeconds: omitempty(3, int32),
  periodSeconds: omitempty(4, int32),
  successThreshold: omitempty(5, int32),
  failureThreshold: omitempty(6, int32),
  terminationGracePeriodSeconds: pointer(7, int64),
});
export interface Probe extends Infer<typeof ProbeSchema> {}

const SleepActionSchema = message('io.k8s.api.core.v1.SleepAction', {
  seconds: always(1, int64),
});
export interface SleepAction extends Infer<typeof SleepActionSchema> {}

const LifecycleHandlerSchema = message('io.k8s.api.core.v1.LifecycleHandler', {
  exec: pointer(1, of(ExecActionSchema)),
  httpGet: pointer(2, of(HTTPGetActionSchema)),
  tcpSocket: pointer(3, of(TCPSocketActionSchema)),
  sleep: pointer(4, of(SleepActionSchema)),
});
export interface LifecycleHandler extends Infer<typeof LifecycleHandlerSchema> {}

const LifecycleSchema = message('io.k8s.api.core.v1.Lifecycle', {
  postStart: pointer(1, of(LifecycleHandlerSchema)),
  preStop: pointer(2, of(LifecycleHandlerSchema)),
  stopSignal: pointer(3, string),
});
export interface Lifecycle extends Infer<typeof LifecycleSchema> {}

const CapabilitiesSchema = message('io.k8s.api.core.v1.Capabilities', {
  add: omitempty(1, list(string)),
  drop: omitempty(2, list(string)),
});
export interface Capabilities extends Infer<typeof CapabilitiesSchema> {}

export const SELinuxOptionsSchema = message('io.k8s.api.core.v1.SELinuxOptions', {
  user: omitempty(1, string),
  role: omitempty(2, string),
  type: omitempty(3, string),
  level: omitempty(4, string),
});
export interface SELinuxOptions extends Infer<typeof SELinuxOptionsSchema> {}

export const WindowsSecurityContextOptionsSchema = message('io.k8s.api.core.v1.WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: pointer(1, string),
  gmsaCredentialSpec: pointer(2, string),
  runAsUserName: pointer(3, string),
  hostProcess: pointer(4, bool),
});
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptionsSchema> {}

export const SeccompProfileSchema = message('io.k8s.api.core.v1.SeccompProfile', {
  type: always(1, string),
  localhostProfile: pointer(2, string),
});
export interface SeccompProfile extends Infer<typeof SeccompProfileSchema> {}

export const AppArmorProfileSchema = message('io.k8s.api.core.v1.AppArmorProfile', {
  type: always(1, string),
  localhostProfile: pointer(2, string),
});
export interface AppArmorProfile extends Infer<typeof AppArmorProfileSchema> {}

const SecurityContextSchema = message('io.k8s.api.core.v1.SecurityContext', {
  capabilities: pointer(1, of(CapabilitiesSchema)),
  privileged: pointer(2, bool),
  seLinuxOptions: pointer(3, of(SELinuxOptionsSchema)),
  windowsOptions: pointer(10, of(WindowsSecurityContextOptionsSchema)),
  runAsUser: pointer(4, int64),
  runAsGroup: pointer(8, int64),
  runAsNonRoot: pointer(5, bool),
  readOnlyRootFilesystem: pointer(6, bool),
  allowPrivilegeEscalation: pointer(7, bool),
  procMount: pointer(9, string),
  seccompProfile: pointer(11, of(SeccompProfileSchema)),
  appArmorProfile: pointer(12, of(AppArmorProfileSchema)),
});
export interface SecurityContext extends Infer<typeof SecurityContextSchema> {}

export const ContainerSchema = message('io.k8s.api.core.v1.Container', {
  name: always(1, string),
  image: omitempty(2, string),
  command: omitempty(3, list(string)),
  args: omitempty(4, list(string)),
  workingDir: omitempty(5, string),
  ports: omitempty(
    6,
    list(of(ContainerPortSchema), {
      merge: { key: 'containerPort' },
      apply: { type: 'map', keys: ['containerPort', 'protocol'] },
    }),
  ),
  envFrom: omitempty(19, list(of(EnvFromSourceSchema))),
  env: omitempty(7, list(of(EnvVarSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } })),
  resources: always(8, of(ResourceRequirementsSchema)),
  resizePolicy: omitempty(23, list(of(ContainerResizePolicySchema))),
  restartPolicy: pointer(24, string),
  restartPolicyRules: omitempty(25, list(of(ContainerRestartRuleSchema))),
  volumeMounts: omitempty(
    9,
    list(of(VolumeMountSchema), { merge: { key: 'mountPath' }, apply: { type: 'map', keys: ['mountPath'] } }),
  ),
  volumeDevices: omitempty(
    21,
    list(of(VolumeDeviceSchema), { merge: { key: 'devicePath' }, apply: { type: 'map', keys: ['devicePath'] } }),
  ),
  livenessProbe: pointer(10, of(ProbeSchema)),
  readinessProbe: pointer(11, of(ProbeSchema)),
  startupProbe: pointer(22, of(ProbeSchema)),
  lifecycle: pointer(12, of(LifecycleSchema)),
  terminationMessagePath: omitempty(13, string),
  terminationMessagePolicy: omitempty(20, string),
  imagePullPolicy: omitempty(14, string),
  securityContext: pointer(15, of(SecurityContextSchema)),
  stdin: omitempty(16, bool),
  stdinOnce: omitempty(17, bool),
  tty: omitempty(18, bool),
});
export interface Container extends Infer<typeof ContainerSchema> {}

const EphemeralContainerCommonSchema = message('io.k8s.api.core.v1.EphemeralContainerCommon', {
  name: always(1, string),
  image: omitempty(2, string),
  command: omitempty(3, list(string)),
  args: omitempty(4, list(string)),
  workingDir: omitempty(5, string),
  ports: omitempty(
    6,
    list(of(ContainerPortSchema), {
      merge: { key: 'containerPort' },
      apply: { type: 'map', keys: ['containerPort', 'protocol'] },
    }),
  ),
  envFrom: omitempty(19, list(of(EnvFromSourceSchema))),
  env: omitempty(7, list(of(EnvVarSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } })),
  resources: always(8, of(ResourceRequirementsSchema)),
  resizePolicy: omitempty(23, list(of(ContainerResizePolicySchema))),
  restartPolicy: pointer(24, string),
  restartPolicyRules: omitempty(25, list(of(ContainerRestartRuleSchema))),
  volumeMounts: omitempty(
    9,
    list(of(VolumeMountSchema), { merge: { key: 'mountPath' }, apply: { type: 'map', keys: ['mountPath'] } }),
  ),
  volumeDevices: omitempty(
    21,
    list(of(VolumeDeviceSchema), { merge: { key: 'devicePath' }, apply: { type: 'map', keys: ['devicePath'] } }),
  ),
  livenessProbe: pointer(10, of(ProbeSchema)),
  readinessProbe: pointer(11, of(ProbeSchema)),
  startupProbe: pointer(22, of(ProbeSchema)),
  lifecycle: pointer(12, of(LifecycleSchema)),
  terminationMessagePath: omitempty(13, string),
  terminationMessagePolicy: omitempty(20, string),
  imagePullPolicy: omitempty(14, string),
  securityContext: pointer(15, of(SecurityContextSchema)),
  stdin: omitempty(16, bool),
  stdinOnce: omitempty(17, bool),
  tty: omitempty(18, bool),
});
export interface EphemeralContainerCommon extends Infer<typeof EphemeralContainerCommonSchema> {}

export const EphemeralContainerSchema = message('io.k8s.api.core.v1.EphemeralContainer', {
  ...embedded(1, EphemeralContainerCommonSchema),
  targetContainerName: omitempty(2, string),
});
export interface EphemeralContainer extends Infer<typeof EphemeralContainerSchema> {}
