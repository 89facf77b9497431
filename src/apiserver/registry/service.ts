// Services are stored for the workloads that name them. Cluster addresses are not allocated from a table: each service gets
// the address that its uid leads to, which is the same after every restart.
// kubernetes:pkg/registry/core/service/strategy.go, pkg/apis/core/{v1/defaults.go,validation/validation.go}
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import { validateLabels } from '../../kube/object-meta-validation.ts';
import { type Service, type ServicePort, type ServiceSpec, Services } from '../../kube/resources/service.ts';
import {
  checkImmutable,
  checkLabel,
  checkOneOf,
  checkQualifiedName,
  checkRange,
  checkSubdomain,
} from './field-checks.ts';
import { checkPort } from './probe-checks.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;
const AFFINITIES = ['ClientIP', 'None'] as const;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const CLIENT_AFFINITY_SECONDS = 10_800;

export const serviceStrategy: Strategy<Service> = {
  resource: Services,
  hasGeneration: false,
  hasStatus: true,
  createsOnUpdate: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['update'] },
  nameRule: 'label',
  fieldSelectors: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
  applyDefaults: (service) => ({ ...service, spec: defaultSpec(service.spec) }),
  prepareForCreate: (service) => ({ ...service, spec: withAddress(service.spec, service.metadata.uid) }),
  prepareForUpdate: (service, before) => ({
    ...service,
    spec: withAddress(service.spec, service.metadata.uid, before.spec),
    status: before.status,
  }),
  prepareForStatusUpdate: (service, before) => ({ ...service, spec: before.spec }),
  validate: ({ spec }) => [...checkSpec(spec), ...checkFamilies(spec)],
  validateUpdate: ({ spec }, before) => [
    ...checkAddress(spec, before.spec),
    ...checkSpec(spec),
    ...checkRelease(spec, before.spec),
    ...checkFamilies(spec),
  ],
};

function defaultSpec(spec: ServiceSpec): ServiceSpec {
  const type = spec.type ?? 'ClusterIP';
  const affinity = spec.sessionAffinity ?? 'None';
  const { sessionAffinityConfig: config, ports, ...rest } = spec;
  const isExternal = type === 'NodePort' || type === 'LoadBalancer';
  return {
    ...rest,
    type,
    ...(ports === undefined ? {} : { ports: ports.map(defaultPort) }),
    sessionAffinity: affinity,
    ...(affinity === 'ClientIP'
      ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: CLIENT_AFFINITY_SECONDS, ...config?.clientIP } } }
      : {}),
    ...(isExternal ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster' } : {}),
    ...(type === 'ExternalName' ? {} : { internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster' }),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true } : {}),
  };
}

function defaultPort(port: ServicePort): ServicePort {
  const isOpen = port.targetPort === 0 || port.targetPort === '';
  return { ...port, protocol: port.protocol ?? 'TCP', targetPort: isOpen ? port.port : port.targetPort };
}

/** An update that leaves the address out keeps the one there is. */
function withAddress(spec: ServiceSpec, uid: string, before?: ServiceSpec): ServiceSpec {
  if (spec.type === 'ExternalName') return spec;
  const clusterIP = spec.clusterIP ?? spec.clusterIPs?.[0] ?? before?.clusterIP ?? addressOf(uid);
  return {
    ...withNodePorts(spec, uid, before),
    clusterIP,
    clusterIPs: spec.clusterIPs ?? (clusterIP === before?.clusterIP ? before.clusterIPs : undefined) ?? [clusterIP],
    ...familiesOf({ ...spec, clusterIP }, before),
  };
}

/** A cluster has one family of addresses; a service that has neither an address nor pods of its own may be of both. */
function familiesOf(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
): Pick<ServiceSpec, 'ipFamilies' | 'ipFamilyPolicy'> {
  const bare = isBare(spec);
  const ipFamilyPolicy = spec.ipFamilyPolicy ?? before?.ipFamilyPolicy ?? (bare ? 'RequireDualStack' : 'SingleStack');
  const [first = 'IPv4', ...others] = spec.ipFamilies ?? before?.ipFamilies ?? [];
  if (ipFamilyPolicy === 'SingleStack') return { ipFamilyPolicy, ipFamilies: [first] };
  const second = bare && before === undefined && others.length === 0 ? [first === 'IPv4' ? 'IPv6' : 'IPv4'] : others;
  return { ipFamilyPolicy, ipFamilies: [first, ...second] };
}

/** Ports of 30000 to 32767 on every node, kept as long as the service's port is. */
function withNodePorts(spec: ServiceSpec, uid: string, before: ServiceSpec | undefined): ServiceSpec {
  const isBalanced = spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
  if (spec.ports === undefined || !(isBalanced || spec.type === 'NodePort')) return spec;
  const ports = spec.ports.map((port) => {
    if (port.nodePort !== undefined) return port;
    const old = before?.ports?.find((other) => other.port === port.port && other.protocol === port.protocol)?.nodePort;
    return { ...port, nodePort: old ?? 30_000 + (hashOf(`${uid}/${port.port}/${port.protocol ?? ''}`) % 2768) };
  });
  return { ...spec, ports };
}

/** An address in 10.96.0.0/12, the range that clusters commonly give their services, without its first and last block. */
function addressOf(uid: string): string {
  const hash = hashOf(uid);
  const [second, third, fourth] = [96 + (hash & 0xf), (hash >>> 4) & 0xff, 1 + ((hash >>> 12) % 254)];
  return `10.${second}.${third}.${fourth}`;
}

/** FNV-1a, 32 bit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

const isHeadless = (spec: ServiceSpec): boolean => (spec.clusterIPs?.[0] ?? spec.clusterIP) === 'None';
const isBare = (spec: ServiceSpec): boolean => isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;

function checkFamilies(spec: ServiceSpec): Faults {
  const { ipFamilies = [], ipFamilyPolicy = '' } = spec;
  if (isBare(spec)) return [];
  return [
    ...(ipFamilyPolicy === 'RequireDualStack'
      ? [invalid('spec.ipFamilyPolicy', ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...ipFamilies.flatMap((family, index) =>
      family === 'IPv6' ? [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')] : [],
    ),
  ];
}

function checkRelease({ ipFamilies = [], ipFamilyPolicy = '' }: ServiceSpec, before: ServiceSpec): Faults {
  if (ipFamilyPolicy === 'SingleStack' || ipFamilies.length >= (before.ipFamilies ?? []).length) return [];
  return [invalid('spec.ipFamilyPolicy', ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family")];
}

function checkSpec(spec: ServiceSpec): Faults {
  const { ports = [], type = '', sessionAffinity = '' } = spec;
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...checkType(spec, type),
    ...ports.flatMap((port, index) => checkServicePort(port, ports, index)),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...(sessionAffinity === ''
      ? [required('spec.sessionAffinity')]
      : checkOneOf('spec.sessionAffinity', sessionAffinity, AFFINITIES)),
    ...(type === '' ? [required('spec.type')] : checkOneOf('spec.type', type, TYPES)),
    ...ports.flatMap(({ nodePort = 0 }, index) =>
      type === 'ClusterIP' && nodePort !== 0
        ? [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...repeatedPorts(ports),
  ];
}

function checkType(spec: ServiceSpec, type: string): Faults {
  if (type === 'ExternalName') {
    const name = (spec.externalName ?? '').replace(/\.$/, '');
    return [
      ...((spec.clusterIPs ?? []).length > 0
        ? [forbidden('spec.clusterIPs', 'may not be set for ExternalName services')]
        : []),
      ...(name === '' ? [required('spec.externalName')] : checkSubdomain('spec.externalName', name)),
    ];
  }
  const needsAddress = type === 'LoadBalancer' || type === 'NodePort';
  return needsAddress && isHeadless(spec)
    ? [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
    : [];
}

function checkServicePort(port: ServicePort, ports: readonly ServicePort[], index: number): Faults {
  const path = `spec.ports[${index}]`;
  const { name = '', protocol = '', appProtocol } = port;
  const isRepeated = name !== '' && ports.slice(0, index).some((other) => other.name === name);
  return [
    ...(name === '' && ports.length > 1 ? [required(`${path}.name`)] : []),
    ...(name === '' ? [] : checkLabel(`${path}.name`, name)),
    ...(isRepeated ? [duplicate(`${path}.name`, name)] : []),
    ...checkRange(`${path}.port`, port.port, 1, 65_535),
    ...(protocol === '' ? [required(`${path}.protocol`)] : checkOneOf(`${path}.protocol`, protocol, PROTOCOLS)),
    ...checkPort(port.targetPort, `${path}.targetPort`),
    ...(appProtocol === undefined ? [] : checkQualifiedName(`${path}.appProtocol`, appProtocol)),
  ];
}

function repeatedPorts(ports: readonly ServicePort[]): Faults {
  return ports.flatMap(({ port, protocol = '' }, index) =>
    ports.slice(0, index).some((other) => other.port === port && (other.protocol ?? '') === protocol)
      ? [
          duplicate(`spec.ports[${index}]`, {
            Name: '',
            Protocol: protocol,
            AppProtocol: null,
            Port: port,
            TargetPort: 0,
            NodePort: 0,
          }),
        ]
      : [],
  );
}

/** The address of a service stays while its type has one. */
function checkAddress(spec: ServiceSpec, before: ServiceSpec): Faults {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return [];
  return checkImmutable('spec.clusterIPs[0]', spec.clusterIPs?.[0], before.clusterIPs?.[0]);
}
