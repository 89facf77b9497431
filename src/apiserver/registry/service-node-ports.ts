// Ports that a service opens on every node. Like addresses they are not taken from a table: a port that nobody asks for is
// the one that the service's uid leads to, so two services may come to have the same.
// kubernetes:pkg/registry/core/service/storage/alloc.go, pkg/registry/core/service/portallocator
import { StatusError, internal, invalid as invalidObject, unclassified } from '../../kube/api-error.ts';
import { invalid } from '../../kube/field-error.ts';
import { type ServicePort, type ServiceSpec, Services } from '../../kube/resources/service.ts';
import { hashOf } from './service-hash.ts';
import { isHealthChecked, opensNodes, takesNodePorts } from './service-traits.ts';

type Ports = readonly ServicePort[];

const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;
const NOT_IN_RANGE = `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
const ALLOCATED = 'provided port is already allocated';

export interface PortOwner {
  readonly name: string;
  readonly uid: string;
  /** Nothing is taken, so any number will do. */
  readonly dryRun: boolean;
}

/** The ports that one request takes. */
class PortRequest {
  readonly owner: PortOwner;
  readonly #taken = new Set<number>();
  /** Ports that the service had or asks for, which are not given out a second time. */
  readonly #kept: ReadonlySet<number>;

  constructor(owner: PortOwner, kept: ReadonlySet<number>) {
    this.owner = owner;
    this.#kept = kept;
  }

  /** Why the port cannot be had; undefined where it is taken now. */
  take(port: number): string | undefined {
    if (!this.owner.dryRun && (port < FIRST_PORT || port > LAST_PORT)) return NOT_IN_RANGE;
    if (this.#taken.has(port)) return ALLOCATED;
    this.#taken.add(port);
    return undefined;
  }

  takeAny(purpose: string): number {
    const port = this.owner.dryRun ? this.#next() : this.#free(purpose);
    this.#taken.add(port);
    return port;
  }

  /** Of no range: it is only shown. */
  #next(): number {
    return (this.#taken.size === 0 ? LAST_PORT + 1 : Math.max(...this.#taken)) + 1;
  }

  #free(purpose: string): number {
    const count = LAST_PORT - FIRST_PORT + 1;
    const start = hashOf(`${this.owner.uid}/${purpose}`) % count;
    let step = 0;
    while (step < count && this.#isTaken(FIRST_PORT + ((start + step) % count))) step++;
    return FIRST_PORT + ((start + step) % count);
  }

  #isTaken(port: number): boolean {
    return this.#taken.has(port) || this.#kept.has(port);
  }
}

export function withNodePorts(
  given: ServiceSpec,
  before: ServiceSpec | undefined,
  owner: PortOwner,
): ServiceSpec | StatusError {
  const spec = before === undefined ? given : patched(given, before);
  const request = new PortRequest(owner, new Set([...nodePortsOf(before), ...nodePortsOf(spec)]));
  const ports = before === undefined ? portsOfNew(spec, request) : portsOfChanged(spec, before, request);
  if (ports instanceof StatusError) return ports;
  return withHealthCheck(spec.ports === undefined ? spec : { ...spec, ports }, before, request);
}

/** A client that leaves out what was given to it keeps it, by the names of ports. */
function patched(spec: ServiceSpec, before: ServiceSpec): ServiceSpec {
  const healthCheckNodePort = spec.healthCheckNodePort ?? before.healthCheckNodePort;
  const checked =
    isHealthChecked(before) && isHealthChecked(spec) && healthCheckNodePort !== undefined
      ? { ...spec, healthCheckNodePort }
      : spec;
  if (spec.ports === undefined || !takesNodePorts(before) || !takesNodePorts(spec)) return checked;
  const [old, asked] = [nodePortsOf(before), nodePortsOf(spec)];
  const byName = new Map((before.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]));
  const ports = spec.ports.map((port) => {
    const known = byName.get(port.name ?? '');
    const isFree = known !== undefined && !(old.has(known) && asked.has(known));
    return (port.nodePort ?? 0) === 0 && isFree ? { ...port, nodePort: known } : port;
  });
  return { ...checked, ports };
}

const nodePortsOf = (spec: ServiceSpec | undefined): ReadonlySet<number> =>
  new Set((spec?.ports ?? []).flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort])));

/** Ports of one number share the port on nodes, whatever their protocols, unless each asks for its own. */
function portsOfNew(spec: ServiceSpec, request: PortRequest): Ports | StatusError {
  const { ports = [] } = spec;
  if (!opensNodes(spec)) return ports;
  const byNumber = new Map<number, number>();
  const taken: ServicePort[] = [];
  for (const [index, port] of ports.entries()) {
    const own = port.nodePort ?? 0;
    const known = byNumber.get(port.port);
    const asked = own !== 0 || known !== undefined ? own : askedFor(port.port, ports);
    if (own === 0 && !takesNodePorts(spec)) {
      taken.push(port);
      continue;
    }
    const why = asked === 0 || asked === known ? undefined : request.take(asked);
    if (why !== undefined) return refusedPort(request.owner, index, asked, why);
    const nodePort = asked === 0 ? (known ?? request.takeAny(purposeOf(port))) : asked;
    if (known === undefined) byNumber.set(port.port, nodePort);
    taken.push({ ...port, nodePort });
  }
  return taken;
}

const askedFor = (number: number, ports: Ports): number =>
  ports.find(({ port, nodePort = 0 }) => port === number && nodePort !== 0)?.nodePort ?? 0;

function portsOfChanged(spec: ServiceSpec, before: ServiceSpec, request: PortRequest): Ports | StatusError {
  const { ports = [] } = spec;
  if (!opensNodes(spec)) return ports;
  const old = nodePortsOf(before);
  const taken: ServicePort[] = [];
  for (const [index, port] of ports.entries()) {
    const asked = port.nodePort ?? 0;
    if (asked === 0) {
      taken.push(takesNodePorts(spec) ? { ...port, nodePort: request.takeAny(purposeOf(port)) } : port);
      continue;
    }
    const isKnown = old.has(asked) || taken.some(({ nodePort }) => nodePort === asked);
    const why = isKnown ? undefined : request.take(asked);
    if (why !== undefined) return refusedPort(request.owner, index, asked, why);
    if (taken.some(({ nodePort, protocol }) => nodePort === asked && protocol === port.protocol)) {
      return unclassified(`duplicate nodePort: {${port.protocol ?? ''} ${asked}}`);
    }
    taken.push(port);
  }
  return taken;
}

const purposeOf = ({ port, protocol = '' }: ServicePort): string => `${port}/${protocol}`;

const refusedPort = ({ name }: PortOwner, index: number, port: number, why: string): StatusError =>
  invalidObject(Services, name, [invalid(`spec.ports[${index}].nodePort`, port, why)]);

function withHealthCheck(
  spec: ServiceSpec,
  before: ServiceSpec | undefined,
  request: PortRequest,
): ServiceSpec | StatusError {
  if (!isHealthChecked(spec) || (before !== undefined && isHealthChecked(before))) return spec;
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) return { ...spec, healthCheckNodePort: request.takeAny('healthCheck') };
  const why = request.take(asked);
  if (why === undefined) return spec;
  return internal(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
}
