import {
  type Infer,
  always,
  bool,
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
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { ResourceRequirementsSchema } from './container.ts';
import { metadata } from './meta.ts';
import { PodSpecSchema } from './pod-spec.ts';

const PodConditionSchema = message('io.k8s.api.core.v1.PodCondition', {
  type: always(1, string),
  observedGeneration: omitempty(7, int64),
  status: always(2, string),
  lastProbeTime: nullable(3, time),
  lastTransitionTime: nullable(4, time),
  reason: omitempty(5, string),
  message: omitempty(6, string),
});
export interface PodCondition extends Infer<typeof PodConditionSchema> {}

const HostIPSchema = message('io.k8s.api.core.v1.HostIP', {
  ip: always(1, string),
});
export interface HostIP extends Infer<typeof HostIPSchema> {}

const PodIPSchema = message('io.k8s.api.core.v1.PodIP', {
  ip: always(1, string),
});
export interface PodIP extends Infer<typeof PodIPSchema> {}

const ContainerStateWaitingSchema = message('io.k8s.api.core.v1.ContainerStateWaiting', {
  reason: omitempty(1, string),
  message: omitempty(2, string),
});
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaitingSchema> {}

const ContainerStateRunningSchema = message('io.k8s.api.core.v1.ContainerStateRunning', {
  startedAt: nullable(1, time),
});
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunningSchema> {}

const ContainerStateTerminatedSchema = message('io.k8s.api.core.v1.ContainerStateTerminated', {
  exitCode: always(1, int32),
  signal: omitempty(2, int32),
  reason: omitempty(3, string),
  message: omitempty(4, string),
  startedAt: nullable(5, time),
  finishedAt: nullable(6, time),
  containerID: omitempty(7, string),
});
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminatedSchema> {}

const ContainerStateSchema = message('io.k8s.api.core.v1.ContainerState', {
  waiting: pointer(1, of(ContainerStateWaitingSchema)),
  running: pointer(2, of(ContainerStateRunningSchema)),
  terminated: pointer(3, of(ContainerStateTerminatedSchema)),
});
export interface ContainerState extends Infer<typeof ContainerStateSchema> {}

const ImageVolumeStatusSchema = message('io.k8s.api.core.v1.ImageVolumeStatus', {
  imageRef: omitempty(1, string),
});
export interface ImageVolumeStatus extends Infer<typeof ImageVolumeStatusSchema> {}

const VolumeStatusSchema = message('io.k8s.api.core.v1.VolumeStatus', {
  image: pointer(1, of(ImageVolumeStatusSchema)),
});
export interface VolumeStatus extends Infer<typeof VolumeStatusSchema> {}

const VolumeMountStatusSchema = message('io.k8s.api.core.v1.VolumeMountStatus', {
  name: always(1, string),
  mountPath: always(2, string),
  readOnly: omitempty(3, bool),
  recursiveReadOnly: pointer(4, string),
  volumeStatus: pointer(5, of(VolumeStatusSchema)),
});
export interface VolumeMountStatus extends Infer<typeof VolumeMountStatusSchema> {}

const LinuxContainerUserSchema = message('io.k8s.api.core.v1.LinuxContainerUser', {
  uid: always(1, int64),
  gid: always(2, int64),
  supplementalGroups: omitempty(3, list(int64)),
});
export interface LinuxContainerUser extends Infer<typeof LinuxContainerUserSchema> {}

const ContainerUserSchema = message('io.k8s.api.core.v1.ContainerUser', {
  linux: pointer(1, of(LinuxContainerUserSchema)),
});
export interface ContainerUser extends Infer<typeof ContainerUserSchema> {}

const ResourceHealthSchema = message('io.k8s.api.core.v1.ResourceHealth', {
  resourceID: always(1, string),
  health: omitempty(2, string),
  message: pointer(6, string),
});
export interface ResourceHealth extends Infer<typeof ResourceHealthSchema> {}

const ResourceStatusSchema = message('io.k8s.api.core.v1.ResourceStatus', {
  name: always(1, string),
  resources: omitempty(2, list(of(ResourceHealthSchema), { apply: { type: 'map', keys: ['resourceID'] } })),
});
export interface ResourceStatus extends Infer<typeof ResourceStatusSchema> {}

const ContainerStatusSchema = message('io.k8s.api.core.v1.ContainerStatus', {
  name: always(1, string),
  state: always(2, of(ContainerStateSchema)),
  lastState: always(3, of(ContainerStateSchema)),
  ready: always(4, bool),
  restartCount: always(5, int32),
  image: always(6, string),
  imageID: always(7, string),
  containerID: omitempty(8, string),
  started: pointer(9, bool),
  allocatedResources: omitempty(10, map(quantity)),
  resources: pointer(11, of(ResourceRequirementsSchema)),
  volumeMounts: omitempty(
    12,
    list(of(VolumeMountStatusSchema), { merge: { key: 'mountPath' }, apply: { type: 'map', keys: ['mountPath'] } }),
  ),
  user: pointer(13, of(ContainerUserSchema)),
  allocatedResourcesStatus: omitempty(
    14,
    list(of(ResourceStatusSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
  ),
  stopSignal: pointer(15, string),
});
export interface ContainerStatus extends Infer<typeof ContainerStatusSchema> {}

const PodResourceClaimStatusSchema = message('io.k8s.api.core.v1.PodResourceClaimStatus', {
  name: always(1, string),
  resourceClaimName: pointer(2, string),
});
export interface PodResourceClaimStatus extends Infer<typeof PodResourceClaimStatusSchema> {}

const ContainerExtendedResourceRequestSchema = message('io.k8s.api.core.v1.ContainerExtendedResourceRequest', {
  containerName: always(1, string),
  resourceName: always(2, string),
  requestName: always(3, string),
});
export interface ContainerExtendedResourceRequest extends Infer<typeof ContainerExtendedResourceRequestSchema> {}

const PodExtendedResourceClaimStatusSchema = message('io.k8s.api.core.v1.PodExtendedResourceClaimStatus', {
  requestMappings: nullable(1, list(of(ContainerExtendedResourceRequestSchema))),
  resourceClaimName: always(2, string),
});
export interface PodExtendedResourceClaimStatus extends Infer<typeof PodExtendedResourceClaimStatusSchema> {}

const NodeAllocatableResourceClaimStatusSchema = message('io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus', {
  resourceClaimName: always(1, string),
  containers: omitempty(2, list(string, { apply: { type: 'set' } })),
  resources: nullable(3, map(quantity)),
});
export interface NodeAllocatableResourceClaimStatus extends Infer<typeof NodeAllocatableResourceClaimStatusSchema> {}

const PodStatusSchema = message('io.k8s.api.core.v1.PodStatus', {
  observedGeneration: omitempty(17, int64),
  phase: omitempty(1, string),
  conditions: omitempty(
    2,
    list(of(PodConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  message: omitempty(3, string),
  reason: omitempty(4, string),
  nominatedNodeName: omitempty(11, string),
  hostIP: omitempty(5, string),
  hostIPs: omitempty(16, list(of(HostIPSchema), { merge: { key: 'ip' } })),
  podIP: omitempty(6, string),
  podIPs: omitempty(12, list(of(PodIPSchema), { merge: { key: 'ip' }, apply: { type: 'map', keys: ['ip'] } })),
  startTime: pointer(7, time),
  initContainerStatuses: omitempty(10, list(of(ContainerStatusSchema))),
  containerStatuses: omitempty(8, list(of(ContainerStatusSchema))),
  qosClass: omitempty(9, string),
  ephemeralContainerStatuses: omitempty(13, list(of(ContainerStatusSchema))),
  resize: omitempty(14, string),
  resourceClaimStatuses: omitempty(
    15,
    list(of(PodResourceClaimStatusSchema), { merge: { key: 'name' }, apply: { type: 'map', keys: ['name'] } }),
    { retainKeys: true },
  ),
  extendedResourceClaimStatus: pointer(18, of(PodExtendedResourceClaimStatusSchema)),
  allocatedResources: omitempty(19, map(quantity)),
  resources: pointer(20, of(ResourceRequirementsSchema)),
  nodeAllocatableResourceClaimStatuses: omitempty(21, list(of(NodeAllocatableResourceClaimStatusSchema))),
});
export interface PodStatus extends Infer<typeof PodStatusSchema> {}

const PodSchema = message('io.k8s.api.core.v1.Pod', {
  metadata: always(1, metadata),
  spec: always(2, of(PodSpecSchema)),
  status: always(3, of(PodStatusSchema)),
});

export interface Pod extends Infer<typeof PodSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
}

export const Pods: Resource<Pod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
  schema: PodSchema,
};
