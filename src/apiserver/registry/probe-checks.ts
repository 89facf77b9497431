// Probes and lifecycle handlers. kubernetes:pkg/apis/core/validation/validation.go (validateProbe, validateHandler, validateLifecycle)
import { type FieldError, forbidden, invalid, required } from '../../kube/field-error.ts';
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ProbeHandler,
} from '../../kube/resources/container.ts';
import { checkNonNegative, checkOneOf, checkPortNumber, checkRequired } from './field-checks.ts';

type Faults = readonly FieldError[];

const HEADER_RULE =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** What a probe's handler and a lifecycle handler have between them, in upstream's order. */
type Handler = ProbeHandler & LifecycleHandler;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

export function checkProbes(container: Container, path: string, graceSeconds: number | undefined): Faults {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...(livenessProbe === undefined ? [] : checkSingleProbe(livenessProbe, `${path}.livenessProbe`, graceSeconds)),
    ...(readinessProbe === undefined ? [] : checkReadiness(readinessProbe, `${path}.readinessProbe`, graceSeconds)),
    ...(startupProbe === undefined ? [] : checkSingleProbe(startupProbe, `${path}.startupProbe`, graceSeconds)),
  ];
}

/** One success is enough for liveness and startup. */
const checkSingleProbe = (probe: Probe, path: string, graceSeconds: number | undefined): Faults => [
  ...checkProbe(probe, path, graceSeconds),
  ...(probe.successThreshold === 1
    ? []
    : [invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, 'must be 1')]),
];

function checkReadiness(probe: Probe, path: string, graceSeconds: number | undefined): Faults {
  const grace = probe.terminationGracePeriodSeconds;
  const at = `${path}.terminationGracePeriodSeconds`;
  return [
    ...checkProbe(probe, path, graceSeconds),
    ...(grace === undefined ? [] : [invalid(at, grace, 'must not be set for readinessProbes')]),
  ];
}

const COUNTERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function checkProbe(probe: Probe, path: string, graceSeconds: number | undefined): Faults {
  const grace = probe.terminationGracePeriodSeconds;
  return [
    ...checkHandler(probe, path, graceSeconds),
    ...COUNTERS.flatMap((key) => checkNonNegative(`${path}.${key}`, probe[key])),
    ...(grace === undefined || grace > 0
      ? []
      : [invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')]),
  ];
}

export function checkLifecycle(lifecycle: Lifecycle, path: string, graceSeconds: number | undefined): Faults {
  const { postStart, preStop } = lifecycle;
  return [
    ...(postStart === undefined ? [] : checkHandler(postStart, `${path}.postStart`, graceSeconds)),
    ...(preStop === undefined ? [] : checkHandler(preStop, `${path}.preStop`, graceSeconds)),
  ];
}

function checkHandler(handler: Handler, path: string, graceSeconds: number | undefined): Faults {
  const [first, ...others] = HANDLERS.filter((key) => handler[key] !== undefined);
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...checkAction(handler, first, path, graceSeconds),
    ...others.map((key) => forbidden(`${path}.${key}`, 'may not specify more than 1 handler type')),
  ];
}

function checkAction(
  handler: Handler,
  kind: (typeof HANDLERS)[number],
  path: string,
  graceSeconds: number | undefined,
): Faults {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  switch (kind) {
    case 'exec':
      return (exec?.command ?? []).length === 0 ? [required(`${path}.exec.command`)] : [];
    case 'httpGet':
      return httpGet === undefined ? [] : checkHttpGet(httpGet, `${path}.httpGet`);
    case 'tcpSocket':
      return tcpSocket === undefined ? [] : checkPort(tcpSocket.port, `${path}.tcpSocket.port`);
    case 'grpc':
      return grpc === undefined ? [] : checkPort(grpc.port, `${path}.grpc.port`);
    default:
      return checkSleep(sleep?.seconds ?? 0, `${path}.sleep`, graceSeconds);
  }
}

const checkHttpGet = (action: HTTPGetAction, path: string): Faults => [
  ...checkRequired(`${path}.path`, action.path),
  ...checkPort(action.port, `${path}.port`),
  ...checkOneOf(`${path}.scheme`, action.scheme ?? '', ['HTTP', 'HTTPS']),
  ...(action.httpHeaders ?? []).flatMap(({ name }) =>
    /^[-A-Za-z0-9]+$/.test(name) ? [] : [invalid(`${path}.httpHeaders`, name, HEADER_RULE)],
  ),
];

function checkSleep(seconds: number, path: string, graceSeconds: number | undefined): Faults {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, detail)];
}

export const checkPort = (port: number | string, path: string): Faults =>
  typeof port === 'number'
    ? checkPortNumber(path, port)
    : faultsOfPortName(port).map((fault) => invalid(path, port, fault));

export function faultsOfPortName(name: string): readonly string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}
