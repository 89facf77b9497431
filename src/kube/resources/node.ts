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
import { metadata } from './meta.ts';
import { TaintSchema } from './node-selector.ts';

const ConfigMapNodeConfigSourceSchema = message('io.k8s.api.core.v1.ConfigMapNodeConfigSource', {
  namespace: always(1, string),
  name: always(2, string),
  uid: omitempty(3, string),
  resourceVersion: omitempty(4, string),
  kubeletConfigKey: always(5, string),
});
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSourceSchema> {}

const NodeConfigSourceSchema = message('io.k8s.api.core.v1.NodeConfigSource', {
  configMap: pointer(2, of(ConfigMapNodeConfigSourceSchema)),
});
export interface NodeConfigSource extends Infer<typeof NodeConfigSourceSchema> {}

const NodeSpecSchema = message('io.k8s.api.core.v1.NodeSpec', {
  podCIDR: omitempty(1, string),
  podCIDRs: omitempty(7, list(string, { merge: {}, apply: { type: 'set' } })),
  providerID: omitempty(3, string),
  unschedulable: omitempty(4, bool),
  taints: omitempty(5, list(of(TaintSchema))),
  configSource: pointer(6, of(NodeConfigSourceSchema)),
  externalID: omitempty(2, string),
});
export interface NodeSpec extends Infer<typeof NodeSpecSchema> {}

const NodeConditionSchema = message('io.k8s.api.core.v1.NodeCondition', {
  type: always(1, string),
  status: always(2, string),
  lastHeartbeatTime: nullable(3, time),
  lastTransitionTime: nullable(4, time),
  reason: omitempty(5, string),
  message: omitempty(6, string),
});
export interface NodeCondition extends Infer<typeof NodeConditionSchema> {}

const NodeAddressSchema = message('io.k8s.api.core.v1.NodeAddress', {
  type: always(1, string),
  address: always(2, string),
});
export interface NodeAddress extends Infer<typeof NodeAddressSchema> {}

const DaemonEndpointSchema = message('io.k8s.api.core.v1.DaemonEndpoint', {
  Port: always(1, int32),
});
export interface DaemonEndpoint extends Infer<typeof DaemonEndpointSchema> {}

const NodeDaemonEndpointsSchema = message('io.k8s.api.core.v1.NodeDaemonEndpoints', {
  kubeletEndpoint: always(1, of(DaemonEndpointSchema)),
});
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpointsSchema> {}

const NodeSwapStatusSchema = message('io.k8s.api.core.v1.NodeSwapStatus', {
  capacity: pointer(1, int64),
});
export interface NodeSwapStatus extends Infer<typeof NodeSwapStatusSchema> {}

const NodeSystemInfoSchema = message('io.k8s.api.core.v1.NodeSystemInfo', {
  machineID: always(1, string),
  systemUUID: always(2, string),
  bootID: always(3, string),
  kernelVersion: always(4, string),
  osImage: always(5, string),
  containerRuntimeVersion: always(6, string),
  kubeletVersion: always(7, string),
  kubeProxyVersion: always(8, string),
  operatingSystem: always(9, string),
  architecture: always(10, string),
  swap: pointer(11, of(NodeSwapStatusSchema)),
});
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfoSchema> {}

const ContainerImageSchema = message('io.k8s.api.core.v1.ContainerImage', {
  names: always(1, list(string)),
  sizeBytes: omitempty(2, int64),
});
export interface ContainerImage extends Infer<typeof ContainerImageSchema> {}

const AttachedVolumeSchema = message('io.k8s.api.core.v1.AttachedVolume', {
  name: always(1, string),
  devicePath: always(2, string),
});
export interface AttachedVolume extends Infer<typeof AttachedVolumeSchema> {}

const NodeConfigStatusSchema = message('io.k8s.api.core.v1.NodeConfigStatus', {
  assigned: pointer(1, of(NodeConfigSourceSchema)),
  active: pointer(2, of(NodeConfigSourceSchema)),
  lastKnownGood: pointer(3, of(NodeConfigSourceSchema)),
  error: omitempty(4, string),
});
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatusSchema> {}

const NodeRuntimeHandlerFeaturesSchema = message('io.k8s.api.core.v1.NodeRuntimeHandlerFeatures', {
  recursiveReadOnlyMounts: pointer(1, bool),
  userNamespaces: pointer(2, bool),
});
export interface NodeRuntimeHandlerFeatures extends Infer<typeof NodeRuntimeHandlerFeaturesSchema> {}

const NodeRuntimeHandlerSchema = message('io.k8s.api.core.v1.NodeRuntimeHandler', {
  name: always(1, string),
  features: pointer(2, of(NodeRuntimeHandlerFeaturesSchema)),
});
export interface NodeRuntimeHandler extends Infer<typeof NodeRuntimeHandlerSchema> {}

const NodeFeaturesSchema = message('io.k8s.api.core.v1.NodeFeatures', {
  supplementalGroupsPolicy: pointer(1, bool),
});
export interface NodeFeatures extends Infer<typeof NodeFeaturesSchema> {}

const NodeStatusSchema = message('io.k8s.api.core.v1.NodeStatus', {
  capacity: omitempty(1, map(quantity)),
  allocatable: omitempty(2, map(quantity)),
  phase: omitempty(3, string),
  conditions: omitempty(
    4,
    list(of(NodeConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  addresses: omitempty(
    5,
    list(of(NodeAddressSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
  daemonEndpoints: always(6, of(NodeDaemonEndpointsSchema)),
  nodeInfo: always(7, of(NodeSystemInfoSchema)),
  images: omitempty(8, list(of(ContainerImageSchema))),
  volumesInUse: omitempty(9, list(string)),
  volumesAttached: omitempty(10, list(of(AttachedVolumeSchema))),
  config: pointer(11, of(NodeConfigStatusSchema)),
  runtimeHandlers: omitempty(12, list(of(NodeRuntimeHandlerSchema))),
  features: pointer(13, of(NodeFeaturesSchema)),
  declaredFeatures: omitempty(14, list(string)),
});
export interface NodeStatus extends Infer<typeof NodeStatusSchema> {}

const NodeSchema = message('io.k8s.api.core.v1.Node', {
  metadata: always(1, metadata),
  spec: always(2, of(NodeSpecSchema)),
  status: always(3, of(NodeStatusSchema)),
});

export interface Node extends Infer<typeof NodeSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Node';
}

export const Nodes: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  schema: NodeSchema,
};
