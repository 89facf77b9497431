// The rules of a pod's spec, for pods and for the templates that pods are made of.
// kubernetes:pkg/apis/core/validation/validation.go (ValidatePodSpec, validatePodMetadataAndSpec, ValidatePodTemplateSpec)
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import { validateAnnotations, validateLabels } from '../../kube/object-meta-validation.ts';
import type { PodSpec, PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { checkAffinity, checkHostAliases, checkSpread, checkTolerations } from './affinity-checks.ts';
import { checkContainers, checkEphemeralContainers, checkInitContainers } from './container-checks.ts';
import { checkLabel, checkOneOf, checkQualifiedName, checkRange, checkSubdomain } from './field-checks.ts';
import { checkAddress } from './internet-address.ts';
import { checkAnnotatedFields, checkPodAnnotations } from './pod-annotation-checks.ts';
import { containersOf } from './pod-containers.ts';
import { checkVolumes } from './pod-volume-checks.ts';
import { checkRequirements } from './resource-checks.ts';
import { checkPodSecurityContext } from './security-context-checks.ts';

type Faults = readonly FieldError[];

const INT32_MAX = 2 ** 31 - 1;
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'] as const;
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'] as const;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'] as const;
const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;

export interface PodSpecScene {
  /** Of a pod; undefined for a template. */
  readonly podName: string | undefined;
  readonly path: string;
}

export function checkPodTemplate(template: PodTemplateSpec, path: string): Faults {
  const { labels, annotations } = template.metadata;
  const isEphemeral = (template.spec.ephemeralContainers ?? []).length > 0;
  return [
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...checkPodAnnotations(annotations, template.spec, `${path}.annotations`),
    ...checkPodSpec(template.spec, { podName: undefined, path: `${path}.spec` }),
    ...checkAnnotatedFields(annotations, template.spec, `${path}.spec`),
    ...(isEphemeral
      ? [forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

export function checkPodSpec(spec: PodSpec, { podName, path }: PodSpecScene): Faults {
  const volumes = checkVolumes(spec.volumes ?? [], `${path}.volumes`, podName);
  const scene = { spec, volumes: volumes.usable, isPod: podName !== undefined };
  return [
    ...checkGrace(spec, path),
    ...volumes.faults,
    ...checkResourceClaims(spec, `${path}.resourceClaims`),
    ...checkContainers(scene, `${path}.containers`),
    ...checkInitContainers(scene, `${path}.initContainers`),
    ...checkEphemeralContainers(scene, `${path}.ephemeralContainers`),
    ...checkHostNetworkPorts(spec, podName !== undefined, path),
    ...checkPolicy(spec.restartPolicy, `${path}.restartPolicy`, RESTART_POLICIES),
    ...checkPolicy(spec.dnsPolicy, `${path}.dnsPolicy`, DNS_POLICIES),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...(spec.securityContext === undefined
      ? []
      : checkPodSecurityContext(spec.securityContext, spec, `${path}.securityContext`)),
    ...(spec.affinity === undefined ? [] : checkAffinity(spec.affinity, `${path}.affinity`)),
    ...checkDnsConfig(spec, `${path}.dnsConfig`),
    ...checkGates(spec, path),
    ...checkSpread(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...checkHostUsers(spec, path),
    ...checkNames(spec, path),
  ];
}

/** Users of its own and a space of the host's contradict each other. */
function checkHostUsers(spec: PodSpec, path: string): Faults {
  if (spec.hostUsers !== false) return [];
  const spaces = { hostNetwork: spec.hostNetwork, HostPID: spec.hostPID, HostIPC: spec.hostIPC };
  const raw = containersOf(spec, path).filter(({ container }) => (container.volumeDevices ?? []).length > 0);
  return [
    ...Object.entries(spaces).flatMap(([key, isShared]) => (isShared === true ? [`${path}.${key}`] : [])),
    ...raw.map(({ path: at }) => `${at}.volumeDevices`),
  ].map((at) => forbidden(at, 'when `hostUsers` is false'));
}

function checkGrace(spec: PodSpec, path: string): Faults {
  const grace = spec.terminationGracePeriodSeconds;
  return grace === undefined ? [required(`${path}.terminationGracePeriodSeconds`)] : [];
}

const checkPolicy = (policy: string | undefined, path: string, known: readonly string[]): Faults =>
  policy === undefined || policy === '' ? [required(path)] : checkOneOf(path, policy, known);

function checkResourceClaims(spec: PodSpec, path: string): Faults {
  const claims = spec.resourceClaims ?? [];
  return claims.flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const sources = [claim.resourceClaimName, claim.resourceClaimTemplateName].filter((name) => name !== undefined);
    const isRepeated = claims.slice(0, index).some(({ name }) => name === claim.name);
    return [
      ...(claim.name === '' ? [required(`${at}.name`)] : checkLabel(`${at}.name`, claim.name)),
      ...(isRepeated ? [duplicate(`${at}.name`, claim.name)] : []),
      ...(sources.length === 1
        ? []
        : [
            (sources.length === 0 ? required : forbidden)(
              at,
              'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
            ),
          ]),
    ];
  });
}

/** On the host's network a port is the host's port; a template may leave that open. */
function checkHostNetworkPorts(spec: PodSpec, isPod: boolean, path: string): Faults {
  if (spec.hostNetwork !== true) return [];
  return spec.containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, containerPort }, portIndex) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            invalid(
              `${path}.containers[${index}].ports[${portIndex}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  );
}

function checkDnsConfig(spec: PodSpec, path: string): Faults {
  const { dnsConfig: config, dnsPolicy } = spec;
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (dnsPolicy === 'None' && config === undefined) {
    return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    return [required(`${path}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  return [
    ...(nameservers.length > NAMESERVERS_MAX
      ? [invalid(`${path}.nameservers`, nameservers, `must not have more than ${NAMESERVERS_MAX} nameservers`)]
      : []),
    ...nameservers.flatMap((server, index) => checkAddress(`${path}.nameservers[${index}]`, server)),
    ...(searches.length > SEARCHES_MAX
      ? [invalid(`${path}.searches`, searches, `must not have more than ${SEARCHES_MAX} search paths`)]
      : []),
    ...options.flatMap(({ name = '' }, index) =>
      name === '' ? [required(`${path}.options[${index}]`, 'must not be empty')] : [],
    ),
  ];
}

function checkGates(spec: PodSpec, path: string): Faults {
  const { readinessGates = [], schedulingGates = [] } = spec;
  return [
    ...readinessGates.flatMap(({ conditionType }, index) =>
      checkQualifiedName(`${path}.readinessGates[${index}].conditionType`, conditionType),
    ),
    ...schedulingGates.flatMap(({ name }, index) => {
      const at = `${path}.schedulingGates[${index}]`;
      const isRepeated = schedulingGates.slice(0, index).some((other) => other.name === name);
      return [...checkQualifiedName(at, name), ...(isRepeated ? [duplicate(at, name)] : [])];
    }),
  ];
}

/** The rest, in upstream's order: single names and numbers. */
function checkNames(spec: PodSpec, path: string): Faults {
  const { activeDeadlineSeconds: deadline, preemptionPolicy, runtimeClassName } = spec;
  const named = (key: 'serviceAccountName' | 'nodeName' | 'priorityClassName'): Faults =>
    (spec[key] ?? '') === '' ? [] : checkSubdomain(`${path}.${key}`, spec[key] ?? '');
  const labelled = (key: 'hostname' | 'subdomain'): Faults =>
    (spec[key] ?? '') === '' ? [] : checkLabel(`${path}.${key}`, spec[key] ?? '');
  return [
    ...named('serviceAccountName'),
    ...named('nodeName'),
    ...(deadline === undefined ? [] : checkRange(`${path}.activeDeadlineSeconds`, deadline, 1, INT32_MAX)),
    ...labelled('hostname'),
    ...labelled('subdomain'),
    ...checkTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...checkHostAliases(spec.hostAliases ?? [], `${path}.hostAliases`),
    ...named('priorityClassName'),
    ...(runtimeClassName === undefined ? [] : checkSubdomain(`${path}.runtimeClassName`, runtimeClassName)),
    ...(preemptionPolicy === undefined
      ? []
      : checkPolicy(preemptionPolicy, `${path}.preemptionPolicy`, PREEMPTION_POLICIES)),
    ...checkRequirements({ limits: spec.overhead ?? {} }, `${path}.overhead`),
  ];
}
