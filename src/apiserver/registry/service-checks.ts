// kubernetes:pkg/apis/core/validation/validation.go (validateService, ValidateServiceUpdate)
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import { validateLabels } from '../../kube/object-meta-validation.ts';
import type { Service, ServicePort, ServiceSpec } from '../../kube/resources/service.ts';
import { checkLabel, checkOneOf, checkQualifiedName, checkPortNumber, checkSubdomain } from './field-checks.ts';
import { checkAddress, checkReachable } from './internet-address.ts';
import {
  checkBalancerClass,
  checkBalancerClassKept,
  checkBalancerPorts,
  checkSourceRanges,
} from './load-balancer-checks.ts';
import { checkPort } from './probe-checks.ts';
import { checkAddresses, checkAddressesKept } from './service-address-checks.ts';
import { isHeadless, isHealthChecked, isReachedFromOutside } from './service-traits.ts';

type Faults = readonly FieldError[];
type Ports = readonly ServicePort[];

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;
const AFFINITIES = ['ClientIP', 'None'] as const;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'] as const;
export const TRAFFIC_POLICIES = ['Cluster', 'Local'] as const;
const CLIENT_AFFINITY_SECONDS_MAX = 86_400;

export const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
export const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';

export const checkServiceChange = (service: Service, before: Service): Faults => [
  ...checkAddressesKept(service.spec, before.spec),
  ...checkBalancerClassKept(service.spec, before.spec),
  ...checkBalancerClass(service.spec),
  ...checkHealthPortKept(service.spec, before.spec),
  ...checkService(service, before),
];

export function checkService(service: Service, before: Service | undefined): Faults {
  const { spec } = service;
  const { ports = [], type = '' } = spec;
  return [
    ...checkTopology(service.metadata.annotations ?? {}),
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...checkByType(spec, type),
    ...ports.flatMap((port, index) => checkServicePort(port, ports, index)),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...checkAffinity(spec),
    ...checkAddresses(spec, before?.spec),
    ...checkExternalAddresses(spec.externalIPs ?? [], before?.spec.externalIPs ?? []),
    ...(type === '' ? [required('spec.type')] : checkOneOf('spec.type', type, TYPES)),
    ...(type === 'ClusterIP' ? unusedNodePorts(ports) : []),
    ...repeatedNodePorts(ports),
    ...repeatedPorts(ports),
    ...checkSourceRanges(service, before),
    ...checkBalancerPorts(spec),
    ...checkBalancerClass(spec),
    ...checkTraffic(spec),
  ];
}

function checkTopology({ [TOPOLOGY_HINTS]: hints, [TOPOLOGY_MODE]: mode }: Readonly<Record<string, string>>): Faults {
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  return [invalid(`metadata.annotations[${TOPOLOGY_MODE}]`, mode, detail)];
}

function checkByType(spec: ServiceSpec, type: string): Faults {
  if (type === 'ExternalName') return checkExternalName(spec);
  const needsAddress = type === 'LoadBalancer' || type === 'NodePort';
  return needsAddress && isHeadless(spec)
    ? [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
    : [];
}

function checkExternalName({
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
  externalName = '',
}: ServiceSpec): Faults {
  const unfit = (key: string): FieldError => forbidden(`spec.${key}`, 'may not be set for ExternalName services');
  const name = externalName.replace(/\.$/, '');
  return [
    ...(clusterIPs.length > 0 ? [unfit('clusterIPs')] : []),
    ...(ipFamilies.length > 0 ? [unfit('ipFamilies')] : []),
    ...(ipFamilyPolicy === undefined ? [] : [unfit('ipFamilyPolicy')]),
    ...(name === '' ? [required('spec.externalName')] : checkSubdomain('spec.externalName', name)),
  ];
}

function checkServicePort(port: ServicePort, ports: Ports, index: number): Faults {
  const path = `spec.ports[${index}]`;
  const { name = '', protocol = '', appProtocol } = port;
  const isRepeated = name !== '' && ports.slice(0, index).some((other) => other.name === name);
  return [
    ...(name === '' && ports.length > 1 ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : checkLabel(`${path}.name`, name)),
    ...(isRepeated ? [duplicate(`${path}.name`, name)] : []),
    ...checkPortNumber(`${path}.port`, port.port),
    ...(protocol === '' ? [required(`${path}.protocol`)] : checkOneOf(`${path}.protocol`, protocol, PROTOCOLS)),
    ...checkPort(port.targetPort, `${path}.targetPort`),
    ...(appProtocol === undefined ? [] : checkQualifiedName(`${path}.appProtocol`, appProtocol)),
  ];
}

function checkAffinity({ sessionAffinity = '', sessionAffinityConfig: config }: ServiceSpec): Faults {
  if (sessionAffinity === '') return [required('spec.sessionAffinity')];
  const path = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'ClientIP') return checkTimeout(config?.clientIP?.timeoutSeconds ?? 0, path);
  if (sessionAffinity === 'None') {
    return config === undefined ? [] : [forbidden(path, 'must not be set when session affinity is None')];
  }
  return checkOneOf('spec.sessionAffinity', sessionAffinity, AFFINITIES);
}

function checkTimeout(seconds: number, path: string): Faults {
  if (seconds > 0 && seconds <= CLIENT_AFFINITY_SECONDS_MAX) return [];
  const detail = `must be greater than 0 and less than ${CLIENT_AFFINITY_SECONDS_MAX}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, detail)];
}

/** Addresses that were accepted once need only be such that traffic to them leaves the node. */
function checkExternalAddresses(addresses: readonly string[], existing: readonly string[]): Faults {
  return addresses.flatMap((address, index) => {
    const path = `spec.externalIPs[${index}]`;
    const faults = existing.includes(address) ? [] : checkAddress(path, address);
    return faults.length > 0 ? faults : checkReachable(path, address);
  });
}

const unusedNodePorts = (ports: Ports): Faults =>
  ports.flatMap(({ nodePort = 0 }, index) =>
    nodePort === 0 ? [] : [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  );

const repeatedNodePorts = (ports: Ports): Faults =>
  ports.flatMap(({ nodePort = 0, protocol }, index) =>
    nodePort !== 0 && ports.slice(0, index).some((other) => other.nodePort === nodePort && other.protocol === protocol)
      ? [duplicate(`spec.ports[${index}].nodePort`, nodePort)]
      : [],
  );

/** Told as upstream's own type has it, with nothing but what makes two ports the same. */
const repeatedPorts = (ports: Ports): Faults =>
  ports.flatMap(({ port, protocol = '' }, index) => {
    if (!ports.slice(0, index).some((other) => other.port === port && (other.protocol ?? '') === protocol)) return [];
    const told = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    return [duplicate(`spec.ports[${index}]`, told)];
  });

function checkTraffic(spec: ServiceSpec): Faults {
  const { internalTrafficPolicy: internal, trafficDistribution: distribution } = spec;
  return [
    ...checkExternalPolicy(spec),
    ...checkHealthPort(spec),
    ...(internal === undefined ? [] : checkOneOf('spec.internalTrafficPolicy', internal, TRAFFIC_POLICIES)),
    ...(distribution === undefined ? [] : checkOneOf('spec.trafficDistribution', distribution, DISTRIBUTIONS)),
  ];
}

function checkExternalPolicy(spec: ServiceSpec): Faults {
  const path = 'spec.externalTrafficPolicy';
  const { externalTrafficPolicy: policy = '' } = spec;
  if (isReachedFromOutside(spec)) return policy === '' ? [required(path)] : checkOneOf(path, policy, TRAFFIC_POLICIES);
  return policy === '' ? [] : [invalid(path, policy, 'may only be set for externally-accessible services')];
}

function checkHealthPort(spec: ServiceSpec): Faults {
  const path = 'spec.healthCheckNodePort';
  const { healthCheckNodePort: port = 0 } = spec;
  if (isHealthChecked(spec)) return port === 0 ? [required(path)] : checkPortNumber(path, port);
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port === 0 ? [] : [invalid(path, port, detail)];
}

function checkHealthPortKept(spec: ServiceSpec, before: ServiceSpec): Faults {
  if (!isHealthChecked(spec) || !isHealthChecked(before)) return [];
  return spec.healthCheckNodePort === before.healthCheckNodePort
    ? []
    : [forbidden('spec.healthCheckNodePort', 'field is immutable')];
}
