// What the fields of a service say about it. kubernetes:pkg/api/service/util.go
import type { ServiceSpec } from '../../kube/resources/service.ts';

export const hasAddress = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** An address of its own that is none: clients find the pods themselves. */
export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === 'None';

/** Nothing says of which family its endpoints are. */
export const isBare = ({ clusterIP, selector = {} }: ServiceSpec): boolean =>
  clusterIP === 'None' && Object.keys(selector).length === 0;

export const opensNodes = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

export const isReachedFromOutside = (spec: ServiceSpec): boolean =>
  opensNodes(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

export const isHealthChecked = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Ports on nodes are given without being asked for. */
export const takesNodePorts = (spec: ServiceSpec): boolean =>
  opensNodes(spec) && !(spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false);

export const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4');
