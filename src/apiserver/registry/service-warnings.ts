// kubernetes:pkg/api/service/warnings.go, pkg/registry/core/service/strategy.go
import { goQuote } from '../../kube/go-text.ts';
import type { Service, ServiceSpec } from '../../kube/resources/service.ts';
import { warnOfAddress, warnOfBlock } from './internet-address.ts';
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './service-checks.ts';

type Warnings = readonly string[];

export function warnOfService({ metadata, spec }: Service): Warnings {
  const { clusterIPs = [], externalIPs = [], loadBalancerIP = '', loadBalancerSourceRanges: ranges = [] } = spec;
  return [
    ...(metadata.annotations?.[TOPOLOGY_HINTS] === undefined
      ? []
      : [`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`]),
    ...warnOfEach('spec.clusterIPs', clusterIPs),
    ...(isHeadless(spec) ? warnOfHeadless(spec) : []),
    ...warnOfEach('spec.externalIPs', externalIPs),
    ...(externalIPs.length > 0 && !isHeadless(spec) && spec.type !== 'ExternalName'
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...warnOfAddress('spec.loadBalancerIP', loadBalancerIP),
    ...ranges.flatMap((range, index) => warnOfBlock(`spec.loadBalancerSourceRanges[${index}]`, range)),
    ...warnOfExternalName(spec),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

const isHeadless = ({ type, clusterIP }: ServiceSpec): boolean => type === 'ClusterIP' && clusterIP === 'None';

const warnOfEach = (path: string, addresses: readonly string[]): Warnings =>
  addresses.flatMap((address, index) => warnOfAddress(`${path}[${index}]`, address));

const warnOfHeadless = ({ loadBalancerIP = '', externalIPs = [], sessionAffinity }: ServiceSpec): Warnings =>
  [
    loadBalancerIP === '' ? '' : 'spec.loadBalancerIP',
    externalIPs.length === 0 ? '' : 'spec.externalIPs',
    // As upstream spells it.
    sessionAffinity === 'None' ? '' : 'spec.SessionAffinity',
  ]
    .filter((field) => field !== '')
    .map((field) => `${field} is ignored for headless services`);

function warnOfExternalName({ type, externalIPs = [], externalName = '' }: ServiceSpec): Warnings {
  const named = goQuote('ExternalName');
  if (type === 'ExternalName') {
    return externalIPs.length > 0 ? [`spec.externalIPs is ignored when spec.type is ${named}`] : [];
  }
  return externalName === '' ? [] : [`spec.externalName is ignored when spec.type is not ${named}`];
}

export const warnOfBalancerStatus = ({ status }: Service): Warnings =>
  (status.loadBalancer.ingress ?? []).flatMap(({ ip = '' }, index) =>
    warnOfAddress(`status.loadBalancer.ingress[${index}]`, ip),
  );
