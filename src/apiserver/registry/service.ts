// Services are stored for the workloads that name them.
// kubernetes:pkg/registry/core/service/strategy.go, pkg/apis/core/v1/defaults.go
import {
  type LoadBalancerStatus,
  type Service,
  type ServicePort,
  type ServiceSpec,
  Services,
} from '../../kube/resources/service.ts';
import { checkBalancerStatus } from './load-balancer-checks.ts';
import { allocateForService } from './service-allocation.ts';
import { checkService, checkServiceChange } from './service-checks.ts';
import { isReachedFromOutside } from './service-traits.ts';
import { ofItsType, withoutLeftovers } from './service-type-change.ts';
import { warnOfBalancerStatus, warnOfService } from './service-warnings.ts';
import type { Strategy } from './strategy.ts';

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
  applyDefaults,
  allocate: allocateForService,
  prepareForCreate: (service) => ({ ...service, spec: ofItsType(service.spec) }),
  prepareForUpdate: (service, before) => withoutLeftovers({ ...service, status: before.status }, before.spec),
  prepareForStatusUpdate: (service, before) => ({ ...service, spec: before.spec }),
  validate: (service) => checkService(service, undefined),
  validateUpdate: checkServiceChange,
  validateStatusUpdate: checkBalancerStatus,
  warnings: warnOfService,
  statusWarnings: warnOfBalancerStatus,
};

function applyDefaults(service: Service): Service {
  const spec = defaultSpec(service.spec);
  const { status } = service;
  if (spec.type !== 'LoadBalancer' || status.loadBalancer.ingress === undefined) return { ...service, spec };
  return { ...service, spec, status: { ...status, loadBalancer: defaultBalancer(status.loadBalancer) } };
}

const defaultBalancer = ({ ingress = [], ...rest }: LoadBalancerStatus): LoadBalancerStatus => ({
  ...rest,
  ingress: ingress.map((each) => ((each.ip ?? '') === '' ? each : { ...each, ipMode: each.ipMode ?? 'VIP' })),
});

function defaultSpec(spec: ServiceSpec): ServiceSpec {
  const type = spec.type ?? 'ClusterIP';
  const affinity = spec.sessionAffinity ?? 'None';
  const { sessionAffinityConfig: config, ports, ...rest } = spec;
  return {
    ...rest,
    type,
    ...(ports === undefined ? {} : { ports: ports.map(defaultPort) }),
    sessionAffinity: affinity,
    ...(affinity === 'ClientIP'
      ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: CLIENT_AFFINITY_SECONDS, ...config?.clientIP } } }
      : {}),
    ...(isReachedFromOutside({ ...spec, type })
      ? { externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster' }
      : {}),
    ...(type === 'ExternalName' ? {} : { internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster' }),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: spec.allocateLoadBalancerNodePorts ?? true } : {}),
  };
}

function defaultPort(port: ServicePort): ServicePort {
  const isOpen = port.targetPort === 0 || port.targetPort === '';
  return { ...port, protocol: port.protocol ?? 'TCP', targetPort: isOpen ? port.port : port.targetPort };
}
