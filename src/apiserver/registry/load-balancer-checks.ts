// The fields of a service that balancers outside the cluster read and write.
// kubernetes:pkg/apis/core/validation/validation.go (validateService, validateLoadBalancerClassField, ValidateLoadBalancerStatus)
import { type FieldError, forbidden, invalid, required } from '../../kube/field-error.ts';
import type { LoadBalancerIngress, Service, ServiceSpec } from '../../kube/resources/service.ts';
import { checkOneOf, checkQualifiedName, checkSubdomain } from './field-checks.ts';
import { checkAddress, checkCidr, checkNoAddress } from './internet-address.ts';

type Faults = readonly FieldError[];

const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";
const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const MODES = ['Proxy', 'VIP'] as const;

/** The field, or the annotation that came before it; blocks that are there already are not judged again. */
export function checkSourceRanges({ metadata, spec }: Service, before: Service | undefined): Faults {
  const { loadBalancerSourceRanges: ranges = [], type } = spec;
  const annotation = metadata.annotations?.[RANGES_ANNOTATION];
  if (ranges.length > 0) {
    // As upstream spells it.
    const path = 'spec.LoadBalancerSourceRanges';
    const existing = (before?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    return [
      ...(type === 'LoadBalancer' ? [] : [forbidden(path, ONLY_BALANCED)]),
      ...ranges.flatMap((range, index) =>
        existing.includes(range.trim()) ? [] : checkCidr(`${path}[${index}]`, range.trim()),
      ),
    ];
  }
  if (annotation === undefined) return [];
  const path = `metadata.annotations[${RANGES_ANNOTATION}]`;
  const isKnown = before?.metadata.annotations?.[RANGES_ANNOTATION] === annotation || annotation.trim() === '';
  return [
    ...(type === 'LoadBalancer' ? [] : [forbidden(path, ONLY_BALANCED)]),
    ...(isKnown ? [] : annotation.split(',').flatMap((range) => checkCidr(path, range.trim()))),
  ];
}

export function checkBalancerPorts({ type, allocateLoadBalancerNodePorts: allocates }: ServiceSpec): Faults {
  if (type === 'LoadBalancer') return allocates === undefined ? [required('allocateLoadBalancerNodePorts')] : [];
  return allocates === undefined ? [] : [forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCED)];
}

export function checkBalancerClass({ type, loadBalancerClass }: ServiceSpec): Faults {
  if (loadBalancerClass === undefined) return [];
  const path = 'spec.loadBalancerClass';
  return type === 'LoadBalancer' ? checkQualifiedName(path, loadBalancerClass) : [forbidden(path, ONLY_BALANCED)];
}

export function checkBalancerClassKept(spec: ServiceSpec, before: ServiceSpec): Faults {
  const stays = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  if (!stays || spec.loadBalancerClass === before.loadBalancerClass) return [];
  return [invalid('spec.loadBalancerClass', spec.loadBalancerClass, 'may not change once set')];
}

export function checkBalancerStatus({ spec, status }: Service, before: Service): Faults {
  const path = 'status.loadBalancer.ingress';
  const { ingress = [] } = status.loadBalancer;
  if (spec.type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const existing = (before.status.loadBalancer.ingress ?? []).map(({ ip }) => ip);
  return ingress.flatMap((each, index) => checkEntry(each, existing, `${path}[${index}]`));
}

function checkEntry(entry: LoadBalancerIngress, existing: readonly (string | undefined)[], path: string): Faults {
  const { ip = '', hostname = '' } = entry;
  const at = `${path}.hostname`;
  return [
    ...(ip === '' || existing.includes(ip) ? [] : checkAddress(`${path}.ip`, ip)),
    ...checkMode(ip, entry.ipMode, `${path}.ipMode`),
    ...(hostname === '' ? [] : [...checkSubdomain(at, hostname), ...checkNoAddress(at, hostname)]),
  ];
}

function checkMode(ip: string, mode: string | undefined, path: string): Faults {
  if (mode === undefined) return ip === '' ? [] : [required(path, 'must be specified when `ip` is set')];
  if (ip === '') return [forbidden(path, 'may not be specified when `ip` is not set')];
  return checkOneOf(path, mode, MODES);
}
