// Containers of every sort. kubernetes:pkg/apis/core/validation/validation.go (validateContainers, validateInitContainers,
// validateEphemeralContainers, validateContainerCommon)
import { type FieldError, duplicate, forbidden, invalid, notFound, required } from '../../kube/field-error.ts';
import type { Container, ContainerPort, EphemeralContainer } from '../../kube/resources/container.ts';
import type { PodSpec, Volume } from '../../kube/resources/pod-spec.ts';
import { checkEnvironment, checkEnvironmentFrom } from './environment-checks.ts';
import { checkLabel, checkOneOf, checkPortNumber, checkRequired } from './field-checks.ts';
import { checkDevices, checkMounts } from './mount-checks.ts';
import { checkLifecycle, checkProbes, faultsOfPortName } from './probe-checks.ts';
import { checkRequirements } from './resource-checks.ts';
import { checkSecurityContext } from './security-context-checks.ts';

type Faults = readonly FieldError[];

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'] as const;
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'] as const;

/** What the containers of one pod are judged with. */
export interface ContainerScene {
  readonly spec: PodSpec;
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Templates allow blanks around an image's name, pods do not. */
  readonly isPod: boolean;
}

export function checkContainers(scene: ContainerScene, path: string): Faults {
  const { containers, terminationGracePeriodSeconds: grace } = scene.spec;
  if (containers.length === 0) return [required(path)];
  return [
    ...containers.flatMap((container, index) => {
      const at = `${path}[${index}]`;
      const isRepeated = containers.slice(0, index).some(({ name }) => name === container.name);
      return [
        ...checkContainer(container, scene, at),
        ...(isRepeated ? [duplicate(`${at}.name`, container.name)] : []),
        ...(container.lifecycle === undefined ? [] : checkLifecycle(container.lifecycle, `${at}.lifecycle`, grace)),
        ...checkProbes(container, at, grace),
        ...checkRestartPolicy(container, at),
      ];
    }),
    ...checkHostPorts(containers, path),
  ];
}

export function checkInitContainers(scene: ContainerScene, path: string): Faults {
  const { containers, initContainers = [], terminationGracePeriodSeconds: grace } = scene.spec;
  const taken = new Set(containers.map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const isRepeated = taken.has(container.name);
    taken.add(container.name);
    const isSidecar = container.restartPolicy === 'Always';
    return [
      ...checkContainer(container, scene, at),
      ...checkRestartPolicy(container, at),
      ...(isRepeated ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkHostPorts([container], path),
      ...(isSidecar && container.lifecycle !== undefined
        ? checkLifecycle(container.lifecycle, `${at}.lifecycle`, grace)
        : []),
      ...(isSidecar ? checkProbes(container, at, grace) : checkNoProbes(container, at)),
      ...(isSidecar ? [] : checkNoRestart(container, at)),
    ];
  });
}

const RUNNING_ONLY = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

const checkNoProbes = (container: Container, path: string): Faults =>
  RUNNING_ONLY.filter((key) => container[key] !== undefined).map((key) =>
    forbidden(`${path}.${key}`, 'may not be set for init containers without restartPolicy=Always'),
  );

/** A container that runs once cannot be run again for another size. */
const checkNoRestart = ({ resizePolicy = [] }: Container, path: string): Faults =>
  resizePolicy.flatMap(({ restartPolicy }, index) =>
    restartPolicy === 'RestartContainer'
      ? [
          invalid(
            `${path}.resizePolicy[${index}].restartPolicy`,
            restartPolicy,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );

/** Fields that say how a workload runs are not for a container that somebody adds to look around. */
const NOT_EPHEMERAL = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
] as const;

export function checkEphemeralContainers(scene: ContainerScene, path: string): Faults {
  const { containers, initContainers = [], ephemeralContainers = [] } = scene.spec;
  const targets = new Set([...containers, ...initContainers].map(({ name }) => name));
  const taken = new Set(targets);
  return ephemeralContainers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const isRepeated = taken.has(container.name);
    taken.add(container.name);
    return [
      ...checkContainer(container, { ...scene, isPod: true }, at),
      ...(isRepeated ? [duplicate(`${at}.name`, container.name)] : []),
      ...checkTarget(container, targets, at),
      ...checkEphemeralFields(container, at),
    ];
  });
}

function checkTarget(container: EphemeralContainer, targets: ReadonlySet<string>, path: string): Faults {
  const target = container.targetContainerName ?? '';
  return target === '' || targets.has(target) ? [] : [notFound(`${path}.targetContainerName`, target)];
}

function checkEphemeralFields(container: EphemeralContainer, path: string): Faults {
  const detail = 'cannot be set for an Ephemeral Container';
  const hasResources = Object.keys(container.resources).length > 0;
  return [
    ...NOT_EPHEMERAL.filter((key) => container[key] !== undefined).map((key) => forbidden(`${path}.${key}`, detail)),
    ...(hasResources ? [forbidden(`${path}.resources`, detail)] : []),
    ...(container.volumeMounts ?? []).flatMap((mount, index) =>
      (['subPath', 'subPathExpr'] as const)
        .filter((key) => (mount[key] ?? '') !== '')
        .map((key) => forbidden(`${path}.volumeMounts[${index}].${key}`, detail)),
    ),
  ];
}

function checkContainer(container: Container, scene: ContainerScene, path: string): Faults {
  const { spec, volumes } = scene;
  const claimNames = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const context = container.securityContext;
  return [
    ...(container.name === '' ? [required(`${path}.name`)] : checkLabel(`${path}.name`, container.name)),
    ...checkRequired(`${path}.image`, container.image),
    ...checkMessagePolicy(container, `${path}.terminationMessagePolicy`),
    ...checkPorts(container.ports ?? [], `${path}.ports`),
    ...checkEnvironment(container.env ?? [], `${path}.env`),
    ...checkEnvironmentFrom(container.envFrom ?? [], `${path}.envFrom`),
    ...checkMounts(container, volumes, `${path}.volumeMounts`),
    ...checkDevices(container, volumes, `${path}.volumeDevices`),
    ...checkPullPolicy(container, `${path}.imagePullPolicy`),
    ...checkRequirements(container.resources, `${path}.resources`, { claimNames }),
    ...(context === undefined ? [] : checkSecurityContext(context, `${path}.securityContext`)),
    ...(scene.isPod ? checkImage(container, `${path}.image`) : []),
  ];
}

const checkImage = ({ image = '' }: Container, path: string): Faults =>
  image.trim() === image ? [] : [invalid(path, image, 'must not have leading or trailing whitespace')];

const checkMessagePolicy = ({ terminationMessagePolicy: policy = '' }: Container, path: string): Faults =>
  policy === '' ? [required(path)] : checkOneOf(path, policy, MESSAGE_POLICIES);

const checkPullPolicy = ({ imagePullPolicy: policy = '' }: Container, path: string): Faults =>
  policy === '' ? [required(path)] : checkOneOf(path, policy, PULL_POLICIES);

function checkRestartPolicy(container: Container, path: string): Faults {
  const { restartPolicy: policy, restartPolicyRules: rules = [] } = container;
  if (policy !== undefined) return checkOneOf(`${path}.restartPolicy`, policy, RESTART_POLICIES);
  return rules.length === 0
    ? []
    : [required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used')];
}

function checkPorts(ports: readonly ContainerPort[], path: string): Faults {
  return ports.flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const isRepeated = ports.slice(0, index).some(({ name }) => name === port.name);
    return [
      ...checkPortName(port, isRepeated, `${at}.name`),
      ...(port.containerPort === 0
        ? [required(`${at}.containerPort`)]
        : checkPortNumber(`${at}.containerPort`, port.containerPort)),
      ...((port.hostPort ?? 0) === 0 ? [] : checkPortNumber(`${at}.hostPort`, port.hostPort ?? 0)),
      ...((port.protocol ?? '') === ''
        ? [required(`${at}.protocol`)]
        : checkOneOf(`${at}.protocol`, port.protocol ?? '', PROTOCOLS)),
    ];
  });
}

function checkPortName({ name = '' }: ContainerPort, isRepeated: boolean, path: string): Faults {
  if (name === '') return [];
  const faults = faultsOfPortName(name);
  if (faults.length > 0) return faults.map((fault) => invalid(path, name, fault));
  return isRepeated ? [duplicate(path, name)] : [];
}

function checkHostPorts(containers: readonly Container[], path: string): Faults {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) => {
      if ((port.hostPort ?? 0) === 0) return [];
      const used = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort ?? 0}`;
      if (taken.has(used)) return [duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, used)];
      taken.add(used);
      return [];
    }),
  );
}
