import {
  type Infer,
  always,
  bool,
  int32,
  intOrString,
  list,
  map,
  message,
  of,
  omitempty,
  pointer,
  string,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { ConditionSchema, metadata } from './meta.ts';

const ServicePortSchema = message('io.k8s.api.core.v1.ServicePort', {
  name: omitempty(1, string),
  protocol: omitempty(2, string, { default: 'TCP' }),
  appProtocol: pointer(6, string),
  port: always(3, int32),
  targetPort: always(4, intOrString),
  nodePort: omitempty(5, int32),
});
export interface ServicePort extends Infer<typeof ServicePortSchema> {}

const ClientIPConfigSchema = message('io.k8s.api.core.v1.ClientIPConfig', {
  timeoutSeconds: pointer(1, int32),
});
export interface ClientIPConfig extends Infer<typeof ClientIPConfigSchema> {}

const SessionAffinityConfigSchema = message('io.k8s.api.core.v1.SessionAffinityConfig', {
  clientIP: pointer(1, of(ClientIPConfigSchema)),
});
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfigSchema> {}

const ServiceSpecSchema = message('io.k8s.api.core.v1.ServiceSpec', {
  ports: omitempty(
    1,
    list(of(ServicePortSchema), { merge: { key: 'port' }, apply: { type: 'map', keys: ['port', 'protocol'] } }),
  ),
  selector: omitempty(2, map(string), { atomic: true }),
  clusterIP: omitempty(3, string),
  clusterIPs: omitempty(18, list(string)),
  type: omitempty(4, string),
  externalIPs: omitempty(5, list(string)),
  sessionAffinity: omitempty(7, string),
  loadBalancerIP: omitempty(8, string),
  loadBalancerSourceRanges: omitempty(9, list(string)),
  externalName: omitempty(10, string),
  externalTrafficPolicy: omitempty(11, string),
  healthCheckNodePort: omitempty(12, int32),
  publishNotReadyAddresses: omitempty(13, bool),
  sessionAffinityConfig: pointer(14, of(SessionAffinityConfigSchema)),
  ipFamilies: omitempty(19, list(string)),
  ipFamilyPolicy: pointer(17, string),
  allocateLoadBalancerNodePorts: pointer(20, bool),
  loadBalancerClass: pointer(21, string),
  internalTrafficPolicy: pointer(22, string),
  trafficDistribution: pointer(23, string),
});
export interface ServiceSpec extends Infer<typeof ServiceSpecSchema> {}

const PortStatusSchema = message('io.k8s.api.core.v1.PortStatus', {
  port: always(1, int32),
  protocol: always(2, string),
  error: pointer(3, string),
});
export interface PortStatus extends Infer<typeof PortStatusSchema> {}

const LoadBalancerIngressSchema = message('io.k8s.api.core.v1.LoadBalancerIngress', {
  ip: omitempty(1, string),
  hostname: omitempty(2, string),
  ipMode: pointer(3, string),
  ports: omitempty(4, list(of(PortStatusSchema))),
});
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngressSchema> {}

const LoadBalancerStatusSchema = message('io.k8s.api.core.v1.LoadBalancerStatus', {
  ingress: omitempty(1, list(of(LoadBalancerIngressSchema))),
});
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatusSchema> {}

const ServiceStatusSchema = message('io.k8s.api.core.v1.ServiceStatus', {
  loadBalancer: always(1, of(LoadBalancerStatusSchema)),
  conditions: omitempty(
    2,
    list(of(ConditionSchema), { merge: { key: 'type' }, apply: { type: 'map', keys: ['type'] } }),
  ),
});
export interface ServiceStatus extends Infer<typeof ServiceStatusSchema> {}

const ServiceSchema = message('io.k8s.api.core.v1.Service', {
  metadata: always(1, metadata),
  spec: always(2, of(ServiceSpecSchema)),
  status: always(3, of(ServiceStatusSchema)),
});

export interface Service extends Infer<typeof ServiceSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Service';
}

export const Services: Resource<Service> = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
  schema: ServiceSchema,
};
