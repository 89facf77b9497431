// Where a request for a node, a pod or a service goes on to: decided from the objects alone.
// kubernetes:pkg/registry/core/{node,pod,service}/strategy.go, pkg/registry/core/pod/strategy.go (LogLocation, streamLocation),
// pkg/kubelet/client/kubelet_client.go
import { badRequest, invalid as invalidOptions, unclassified } from '../../kube/api-error.ts';
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { flag, wholeNumber } from './query-options.ts';

/** Another server, and what it is asked. */
export interface Backend {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
}

const KUBELET_PORT = 10_250;
/**
 * In this order a node is reached. The bare server of upstream tries the host name first, which on one machine nobody
 * resolves; addresses come first here, as in every cluster that kubeadm makes.
 * kubernetes:cmd/kubeadm/app/phases/controlplane/manifests.go (kubelet-preferred-address-types)
 */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'] as const;

/** The kubelet of a node. Throws if the node does not say where it is. */
export function kubeletOf({ status }: Node, path: string): Backend {
  const { addresses = [], daemonEndpoints } = status;
  const byType = ADDRESS_TYPES.map((type) => addresses.find((each) => each.type === type)?.address);
  const host = byType.find((address) => address !== undefined && address !== '');
  if (host === undefined) {
    const known = addresses.map((each) => `{${each.type} ${each.address}}`).join(' ');
    throw unclassified(`no preferred addresses found; known addresses: [${known}]`);
  }
  const port = daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { scheme: 'https', host, port: port === 0 ? KUBELET_PORT : port, path };
}

export interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** `name`, `name:port` or `scheme:name:port`. Undefined for anything else. */
export function proxyTarget(text: string): ProxyTarget | undefined {
  const parts = text.split(':');
  if (parts.length === 1) return { scheme: '', name: text, port: '' };
  if (parts.length === 2) return { scheme: '', name: parts[0] ?? '', port: parts[1] ?? '' };
  const [scheme = '', name = '', port = ''] = parts;
  const isKnown = scheme === '' || scheme === 'http' || scheme === 'https';
  return parts.length === 3 && isKnown && name !== '' ? { scheme, name, port } : undefined;
}

/** A port other than the kubelet's is another server's on that node, and speaks plainly unless told. */
export function onPort(kubelet: Backend, { scheme, port }: ProxyTarget): Backend {
  if (port === '' || port === String(kubelet.port)) return kubelet;
  return { ...kubelet, scheme: scheme === 'https' ? 'https' : 'http', port: portNumber(port) };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

/** A pod's own address. Without one there is nowhere to go. */
export function podBackend(pod: Pod, { scheme, port }: ProxyTarget, path: string): Backend {
  const first = pod.spec.containers.flatMap(({ ports = [] }) => ports).at(0)?.containerPort ?? 80;
  const host = pod.status.podIP ?? '';
  if (host === '') throw badRequest('address not allowed');
  return { scheme: scheme === 'https' ? 'https' : 'http', host, port: port === '' ? first : portNumber(port), path };
}

/** The container that is meant: the only one, or the one that is named. Throws BadRequest. */
function containerOf({ metadata, spec }: Pod, named: string): string {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const { name: pod } = metadata;
  const namesOf = (list: readonly { readonly name: string }[]): readonly string[] => list.map(({ name }) => name);
  if (named !== '') {
    const all = [...namesOf(containers), ...namesOf(initContainers), ...namesOf(ephemeralContainers)];
    if (all.includes(named)) return named;
    throw badRequest(`container ${named} is not valid for pod ${pod}`);
  }
  const [only, ...others] = namesOf(containers);
  if (only !== undefined && others.length === 0) return only;
  const first =
    initContainers.length === 0 ? '' : ` or one of the init containers: [${namesOf(initContainers).join(' ')}]`;
  throw badRequest(
    `a container name must be specified for pod ${pod}, choose one of: [${namesOf(containers).join(' ')}]${first}`,
  );
}

/** The kubelet's path for the log of a container. Throws what is wrong with the options. */
export function logPath(pod: Pod, query: URLSearchParams): string {
  const { namespace = '', name } = pod.metadata;
  const numbers = ['limitBytes', 'sinceSeconds', 'tailLines'].map((each) => [each, wholeNumber(query, each)] as const);
  const flags = ['follow', 'previous', 'timestamps'].filter((each) => flag(query, each) === true);
  const sinceTime = query.get('sinceTime') ?? '';
  const faults = logFaults(new Map(numbers), sinceTime, query);
  if (faults.length > 0) throw invalidOptions({ group: '', kind: 'PodLogOptions' }, name, faults);
  const container = containerOf(pod, query.get('container') ?? '');
  const given: [string, string][] = [
    ...flags.map((each): [string, string] => [each, 'true']),
    ...numbers.flatMap(([each, value]): [string, string][] => (value === undefined ? [] : [[each, String(value)]])),
    ...(sinceTime === '' ? [] : [['sinceTime', sinceTime] as [string, string]]),
  ];
  return withQuery(`/containerLogs/${namespace}/${name}/${container}`, given);
}

function logFaults(
  numbers: ReadonlyMap<string, number | undefined>,
  sinceTime: string,
  query: URLSearchParams,
): readonly FieldError[] {
  const [lines, bytes, seconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((name) => numbers.get(name));
  const stream = query.get('stream');
  return [
    ...(lines !== undefined && lines < 0 ? [invalid('tailLines', lines, 'must be greater than or equal to 0')] : []),
    ...(bytes !== undefined && bytes < 1 ? [invalid('limitBytes', bytes, 'must be greater than 0')] : []),
    ...(seconds !== undefined && sinceTime !== ''
      ? [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : []),
    ...(seconds !== undefined && sinceTime === '' && seconds < 1
      ? [invalid('sinceSeconds', seconds, 'must be greater than 0')]
      : []),
    ...(stream === null ? [] : [forbidden('stream', 'may not be specified')]),
  ];
}

const STREAMS = [
  ['stderr', 'error'],
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['tty', 'tty'],
] as const;

/** The kubelet's path for running a command in a container, or joining the one that runs. */
export function streamPath(pod: Pod, what: 'exec' | 'attach', query: URLSearchParams): string {
  const { namespace = '', name } = pod.metadata;
  const container = containerOf(pod, query.get('container') ?? '');
  const commands = what === 'exec' ? query.getAll('command') : [];
  return withQuery(`/${what}/${namespace}/${name}/${container}`, [
    ...commands.map((command): [string, string] => ['command', command]),
    ...STREAMS.filter(([asked]) => flag(query, asked) === true).map(([, word]): [string, string] => [word, '1']),
  ]);
}

export function portForwardPath({ metadata }: Pod, query: URLSearchParams): string {
  const ports = query.getAll('ports').flatMap((each) => each.split(','));
  const given = ports.map((port): [string, string] => ['port', port]);
  return withQuery(`/portForward/${metadata.namespace ?? ''}/${metadata.name}`, given);
}

/** Names in order, as a Go program writes them. */
function withQuery(path: string, given: readonly [string, string][]): string {
  const sorted = given.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return sorted.length === 0 ? path : `${path}?${new URLSearchParams(sorted).toString()}`;
}
