// kubernetes:pkg/api/pod/warnings.go
import { faultsOfLabel } from '../../kube/names.ts';
import type { ContainerPort, EnvVar } from '../../kube/resources/container.ts';
import type { PodSpec, PodTemplateSpec, Volume } from '../../kube/resources/pod-spec.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { isWholeQuantity } from '../../kube/quantity.ts';
import { deprecationOfNodeLabel, warnOfNodeSelectorTerms } from './label-warnings.ts';
import { warnOfClaimSpec } from './persistent-volume-claim-spec.ts';

const DEAD_SOURCES = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

export function warnOfPod(pod: Pod): readonly string[] {
  const faults = faultsOfLabel(pod.metadata.name);
  const hostname = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`;
  return [...(faults.length === 0 ? [] : [hostname]), ...warnOfSpec(pod.spec, 'spec')];
}

export const warnOfPodTemplate = (template: PodTemplateSpec, path: string): readonly string[] =>
  warnOfSpec(template.spec, `${path}.spec`);

function warnOfSpec(spec: PodSpec, path: string): readonly string[] {
  const grace = spec.terminationGracePeriodSeconds ?? 0;
  const ports = portsOf(spec, path);
  return [
    ...warnOfPlacement(spec, path),
    ...(spec.volumes ?? []).flatMap((volume, index) => warnOfVolume(volume, `${path}.volumes[${index}]`)),
    ...warnOfContainers(spec, path),
    ...warnOfPorts(ports),
    ...warnOfPortNames(ports),
    ...(grace < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
  ];
}

function warnOfPlacement(spec: PodSpec, path: string): readonly string[] {
  const affinity = spec.affinity?.nodeAffinity;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const at = `${path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`${path}.nodeSelector[${key}]: ${text}`];
    }),
    ...warnOfNodeSelectorTerms(required, at),
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, labelSelector }, index) => {
      const text = deprecationOfNodeLabel(topologyKey);
      const constraint = `${path}.topologySpreadConstraints[${index}]`;
      return [
        ...(text === undefined ? [] : [`${constraint}.topologyKey: ${topologyKey} is ${text}`]),
        ...(labelSelector === undefined
          ? [`${constraint}.labelSelector: a null labelSelector results in matching no pod`]
          : []),
      ];
    }),
  ];
}

function warnOfVolume(volume: Volume, path: string): readonly string[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...DEAD_SOURCES.filter(([key]) => volume[key] !== undefined).map(([, name, text]) => `${path}.${name}: ${text}`),
    ...(template === undefined ? [] : warnOfClaimSpec(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`)),
  ];
}

interface PlacedPort {
  readonly path: string;
  readonly port: ContainerPort;
}

/** All ports of all containers. */
const portsOf = (spec: PodSpec, path: string): readonly PlacedPort[] =>
  containersIn(spec).flatMap(([list, containers]) =>
    containers.flatMap(({ ports = [] }, index) =>
      ports.map((port, at) => ({ path: `${path}.${list}[${index}].ports[${at}]`, port })),
    ),
  );

const containersIn = (spec: PodSpec) =>
  [
    ['initContainers', spec.initContainers ?? []],
    ['containers', spec.containers],
  ] as const;

/** Two that are the same port, as far as can be seen. */
function warnOfPorts(all: readonly PlacedPort[]): readonly string[] {
  return all.flatMap(({ path: at, port }, index) => {
    const { containerPort, protocol = 'TCP', hostPort = 0, hostIP = '', name = '' } = port;
    const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    const others = all
      .slice(0, index)
      .filter((other) => other.port.containerPort === containerPort && (other.port.protocol ?? 'TCP') === protocol);
    return [
      ...(hostIP !== '' && hostPort === 0 ? [`${at}: hostIP set without hostPort: ${shown}`] : []),
      ...others.flatMap((other) => {
        const word = overlapOf({ hostPort, hostIP }, other.port);
        return word === undefined ? [] : [`${at}: ${word} port definition with ${other.path}`];
      }),
    ];
  });
}

function overlapOf(
  port: Required<Pick<ContainerPort, 'hostPort' | 'hostIP'>>,
  other: ContainerPort,
): string | undefined {
  const { hostPort = 0, hostIP = '' } = other;
  if (port.hostIP === hostIP && port.hostPort === hostPort) return 'duplicate';
  if (port.hostPort === 0 || hostPort === 0) return 'overlapping';
  const isOneAnywhere = (port.hostIP === '') !== (hostIP === '');
  return port.hostPort === hostPort && isOneAnywhere ? 'dangerously ambiguous' : undefined;
}

function warnOfPortNames(all: readonly PlacedPort[]): readonly string[] {
  const first = new Map<string, string>();
  return all.flatMap(({ path: at, port: { name = '' } }) => {
    if (name === '') return [];
    const other = first.get(name);
    if (other === undefined) first.set(name, at);
    return other === undefined
      ? []
      : [
          `${at}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        ];
  });
}

function warnOfContainers(spec: PodSpec, path: string): readonly string[] {
  return containersIn(spec).flatMap(([list, containers]) =>
    containers.flatMap(({ resources, env = [] }, index) => [
      ...warnOfBytes(resources.limits, `${path}.${list}[${index}].resources.limits`),
      ...warnOfBytes(resources.requests, `${path}.${list}[${index}].resources.requests`),
      ...warnOfHiddenVariables(env, `${path}.${list}[${index}].env`),
    ]),
  );
}

function warnOfBytes(amounts: Readonly<Record<string, string>> | undefined, path: string): readonly string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const amount = amounts?.[name];
    return amount === undefined || isWholeQuantity(amount)
      ? []
      : [`${path}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}

/** A second definition is fine only if it builds on the first. */
function warnOfHiddenVariables(variables: readonly EnvVar[], path: string): readonly string[] {
  return variables.flatMap(({ name, value = '', valueFrom }, index) => {
    const isRepeated = variables.slice(0, index).some((other) => other.name === name);
    const reference = `$(${name})`;
    const buildsOn = valueFrom === undefined && value !== reference && value.includes(reference);
    return isRepeated && !buildsOn
      ? [
          `${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}
