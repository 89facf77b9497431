// What a service loses when it changes its type: values that the server once gave it and that the new type does not have.
// What the client changed as well is left for validation to refuse.
// kubernetes:pkg/registry/core/service/strategy.go (dropTypeDependentFields)
import type { Service, ServiceSpec } from '../../kube/resources/service.ts';
import { sameValue } from './semantic-equal.ts';
import { TRAFFIC_POLICIES } from './service-checks.ts';
import { hasAddress, isHealthChecked, isReachedFromOutside, opensNodes } from './service-traits.ts';

type Key = keyof ServiceSpec;

export function withoutLeftovers(service: Service, before: ServiceSpec): Service {
  const { spec, status } = service;
  const left = without(ofItsType(spec), leftovers(spec, before));
  const closed = closesNodes(spec, before) ? withoutNodePorts(left) : left;
  if (spec.type === 'LoadBalancer') return { ...service, spec: closed };
  return { ...service, spec: closed, status: { ...status, loadBalancer: {} } };
}

/** Upstream stores this policy with a name for something outside and leaves it out whenever it is read. */
export function ofItsType(spec: ServiceSpec): ServiceSpec {
  const isIgnored = !hasAddress(spec) && TRAFFIC_POLICIES.some((known) => known === spec.internalTrafficPolicy);
  return isIgnored ? without(spec, ['internalTrafficPolicy']) : spec;
}

function leftovers(spec: ServiceSpec, before: ServiceSpec): readonly Key[] {
  const isSame = (key: Key): boolean => sameValue(spec[key], before[key]);
  const stops = (holds: (each: ServiceSpec) => boolean): boolean => holds(before) && !holds(spec);
  const sameAddress = isSame('clusterIP') && isSame('clusterIPs');
  return [
    ...(stops(hasAddress) && sameAddress ? (['clusterIP', 'clusterIPs'] as const) : []),
    ...(stops(hasAddress) ? (['ipFamilies', 'ipFamilyPolicy'] as const).filter(isSame) : []),
    ...(stops(isHealthChecked) ? (['healthCheckNodePort'] as const).filter(isSame) : []),
    ...(stops(isBalanced) ? (['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const).filter(isSame) : []),
    ...(stops(isReachedFromOutside) ? (['externalTrafficPolicy'] as const).filter(isSame) : []),
  ];
}

const isBalanced = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer';

/** No port on nodes is new. */
function closesNodes(spec: ServiceSpec, before: ServiceSpec): boolean {
  if (!opensNodes(before) || opensNodes(spec)) return false;
  const old = new Set((before.ports ?? []).map(({ nodePort = 0 }) => nodePort));
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || old.has(nodePort));
}

function withoutNodePorts(spec: ServiceSpec): ServiceSpec {
  if (spec.ports === undefined) return spec;
  return { ...spec, ports: spec.ports.map(({ nodePort: _nodePort, ...port }) => port) };
}

const without = (spec: ServiceSpec, keys: readonly Key[]): ServiceSpec =>
  keys.length === 0
    ? spec
    : Object.fromEntries(Object.entries(spec).filter(([key]) => !keys.some((dropped) => dropped === key)));
