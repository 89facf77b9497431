// kubernetes:pkg/api/pod/warnings.go
import { goQuote } from '../../kube/go-text.ts';
import { faultsOfLabel } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Affinity, PodSpec, PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { warnOfBytes } from './byte-warnings.ts';
import { type Annotated, annotationPath, warnOfContainer, warnOfPodSeccomp } from './container-warnings.ts';
import { warnOfAddress } from './internet-address.ts';
import { deprecationOfNodeLabel, warnOfNodeSelectorTerms, warnOfPreferredTerms } from './label-warnings.ts';
import { containersOf } from './pod-containers.ts';
import { warnOfPorts } from './port-warnings.ts';
import { warnOfVolumes } from './volume-warnings.ts';

type Warnings = readonly string[];

const DEAD_ANNOTATIONS = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
] as const;
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const MATCHES_NONE = 'a null labelSelector results in matching no pod';

export function warnOfPod({ metadata, spec }: Pod): Warnings {
  const faults = faultsOfLabel(metadata.name);
  const hostname = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`;
  return [...(faults.length === 0 ? [] : [hostname]), ...warnOfHolder({ metadata, spec, path: '' })];
}

export const warnOfPodStatus = ({ status }: Pod): Warnings => [
  ...(status.podIPs ?? []).flatMap(({ ip }, index) => warnOfAddress(`status.podIPs[${index}].ip`, ip)),
  ...(status.hostIPs ?? []).flatMap(({ ip }, index) => warnOfAddress(`status.hostIPs[${index}].ip`, ip)),
];

export const warnOfPodTemplate = ({ metadata, spec }: PodTemplateSpec, path: string): Warnings =>
  warnOfHolder({ metadata, spec, path });

/** A write that leaves the generation leaves the template too, and is told nothing of it. */
export const keepsGeneration = (object: KubeObject, before: KubeObject | undefined): boolean =>
  before !== undefined && before.metadata.generation === object.metadata.generation;

function warnOfHolder(holder: Annotated): Warnings {
  const { spec, metadata } = holder;
  const path = holder.path === '' ? 'spec' : `${holder.path}.spec`;
  const containers = containersOf(spec, path);
  return [
    ...warnOfPlacement(spec, path),
    ...DEAD_ANNOTATIONS.filter(([key]) => metadata.annotations?.[key] !== undefined).map(
      ([key, text]) => `${annotationPath(holder, key)}: ${text}`,
    ),
    ...warnOfVolumes(spec.volumes ?? [], `${path}.volumes`),
    ...warnOfAliases(spec, `${path}.hostAliases`),
    ...warnOfPullSecrets(spec, `${path}.imagePullSecrets`),
    ...['memory', 'ephemeral-storage'].flatMap((name) => warnOfBytes(spec.overhead, name, `${path}.overhead`)),
    ...warnOfPodSeccomp(holder),
    ...containers.flatMap((each) => warnOfContainer(each, holder)),
    ...warnOfPorts(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...warnOfAffinity(spec.affinity ?? {}, `${path}.affinity`),
    ...warnOfAddresses(spec, path),
  ];
}

function warnOfPlacement(spec: PodSpec, path: string): Warnings {
  const affinity = spec.affinity?.nodeAffinity;
  const at = `${path}.affinity.nodeAffinity`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`];
    }),
    ...warnOfNodeSelectorTerms(affinity?.[REQUIRED]?.nodeSelectorTerms ?? [], `${at}.${REQUIRED}.nodeSelectorTerms`),
    ...warnOfPreferredTerms(affinity?.[PREFERRED] ?? [], `${at}.${PREFERRED}`),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const text = deprecationOfNodeLabel(topologyKey);
      const constraint = `${path}.topologySpreadConstraints[${index}]`;
      return [
        ...(text === undefined ? [] : [`${constraint}.topologyKey: ${topologyKey} is ${text}`]),
        ...(labelSelector === undefined ? [`${constraint}.labelSelector: ${MATCHES_NONE}`] : []),
      ];
    }),
  ];
}

/** Places of those that came before. */
const repeated = (values: readonly string[]): readonly number[] =>
  values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));

function warnOfAliases({ hostAliases = [] }: PodSpec, path: string): Warnings {
  const addresses = hostAliases.map(({ ip }) => ip);
  return repeated(addresses).map((index) => `${path}[${index}].ip: duplicate ip ${goQuote(addresses[index] ?? '')}`);
}

function warnOfPullSecrets({ imagePullSecrets = [] }: PodSpec, path: string): Warnings {
  const names = imagePullSecrets.map(({ name = '' }) => name);
  return [
    ...repeated(names).map((index) => `${path}[${index}].name: duplicate name ${goQuote(names[index] ?? '')}`),
    ...names.flatMap((name, index) => (name === '' ? [`${path}[${index}].name: invalid empty name ""`] : [])),
  ];
}

function warnOfAffinity(affinity: Affinity, path: string): Warnings {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((key) => [
    ...(affinity[key]?.[REQUIRED] ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined ? [`${path}.${key}.${REQUIRED}[${index}].labelSelector: ${MATCHES_NONE}`] : [],
    ),
    ...(affinity[key]?.[PREFERRED] ?? []).flatMap(({ podAffinityTerm: { labelSelector } }, index) =>
      labelSelector === undefined
        ? [`${path}.${key}.${PREFERRED}[${index}].podAffinityTerm.labelSelector: ${MATCHES_NONE}`]
        : [],
    ),
  ]);
}

const warnOfAddresses = ({ dnsConfig, hostAliases = [] }: PodSpec, path: string): Warnings => [
  ...(dnsConfig?.nameservers ?? []).flatMap((server, index) =>
    warnOfAddress(`${path}.dnsConfig.nameservers[${index}]`, server),
  ),
  ...hostAliases.flatMap(({ ip }, index) => warnOfAddress(`${path}.hostAliases[${index}].ip`, ip)),
];
