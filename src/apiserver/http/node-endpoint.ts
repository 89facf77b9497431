// Requests that another server answers: the kubelet of a node, a pod, a service's pod. What is asked for is looked up and may
// be asked by that user; the bytes are then passed on as they come.
import { badRequest, isApiError, notFound, serviceUnavailable } from '../../kube/api-error.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { keyFrom } from '../../kube/object.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type Service, Services } from '../../kube/resources/service.ts';
import type { ApiServer } from '../apiserver.ts';
import { type Authorizer, type User, authorize } from '../authorization.ts';
import {
  type Backend,
  type ProxyTarget,
  kubeletOf,
  logPath,
  onPort,
  podBackend,
  portForwardPath,
  proxyTarget,
  streamPath,
} from './backend-request.ts';
import { NOT_CACHED } from './failure-answer.ts';
import { type HttpAnswer, type HttpRequest, wholeAnswer } from './http-exchange.ts';
import type { ResourceRoute } from './resource-route.ts';
import { SERVER_ITSELF } from '../server-itself.ts';

/** Carries requests to other servers. Throws what a client is told if they cannot be reached. */
export interface Connections {
  /** One answer, whatever its length. `as` words what went wrong. */
  ask(request: HttpRequest, to: Backend, as: 'log' | 'proxy'): Promise<HttpAnswer>;
  /** The connection itself, once the other server has taken it over. */
  join(request: HttpRequest, to: Backend): Promise<HttpAnswer>;
}

export interface NodeEndpointOptions {
  readonly server: ApiServer;
  readonly authorizer: Authorizer;
  readonly connections: Connections | undefined;
}

/** Subresources that are not the API server's to answer. */
const PASSED_ON: ReadonlySet<string> = new Set(['proxy', 'log', 'exec', 'attach', 'portforward']);

export const isPassedOn = ({ subresource }: ResourceRoute): boolean =>
  subresource !== undefined && PASSED_ON.has(subresource.name);

export class NodeEndpoint {
  readonly #options: NodeEndpointOptions;

  constructor(options: NodeEndpointOptions) {
    this.#options = options;
  }

  async answer(request: HttpRequest, route: ResourceRoute, user: User): Promise<HttpAnswer> {
    const { verb, api, subresource, namespace, name } = route;
    const target = proxyTarget(name);
    const asked = { verb, resource: api, subresource: subresource?.name, namespace, name: target?.name ?? name };
    authorize(this.#options.authorizer, user, asked);
    if (subresource?.name === 'proxy') return this.#proxied(request, route, target);
    const pod = this.#pod(namespace, name);
    switch (subresource?.name) {
      case 'log':
        return this.#log(request, pod);
      case 'exec':
      case 'attach':
        return this.#joined(request, pod, () =>
          streamPath(pod, subresource.name === 'exec' ? 'exec' : 'attach', request.query),
        );
      default:
        return this.#joined(request, pod, () => portForwardPath(pod, request.query));
    }
  }

  get #connections(): Connections {
    const { connections } = this.#options;
    if (connections === undefined) throw serviceUnavailable('no route to the nodes of this cluster');
    return connections;
  }

  async #log(request: HttpRequest, pod: Pod): Promise<HttpAnswer> {
    const path = logPath(pod, request.query);
    // Nothing has run yet, so there is nothing to tell.
    if ((pod.spec.nodeName ?? '') === '') return wholeAnswer(204, '', '', NOT_CACHED);
    return this.#connections.ask(request, this.#kubeletOf(pod, path), 'log');
  }

  async #joined(request: HttpRequest, pod: Pod, path: () => string): Promise<HttpAnswer> {
    const asked = path();
    if ((pod.spec.nodeName ?? '') === '') throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    const kubelet = this.#kubeletOf(pod, asked);
    if (!isUpgrade(request)) throw badRequest('Upgrade request required');
    return this.#connections.join(request, kubelet);
  }

  async #proxied(request: HttpRequest, route: ResourceRoute, target: ProxyTarget | undefined): Promise<HttpAnswer> {
    const { plural } = route.api;
    const kind = plural.slice(0, -1);
    if (target === undefined) throw badRequest(`invalid ${kind} request ${JSON.stringify(route.name)}`);
    const rest = pathBelow(request.path);
    const query = request.query.toString();
    const to = this.#proxyBackend(route, target, `${rest === '' ? '/' : rest}${query === '' ? '' : `?${query}`}`);
    if (rest === '' && request.method === 'GET' && !isUpgrade(request)) {
      const location = `${request.path}/${query === '' ? '' : `?${query}`}`;
      return wholeAnswer(301, '', '', { ...NOT_CACHED, location });
    }
    return isUpgrade(request) ? this.#connections.join(request, to) : this.#connections.ask(request, to, 'proxy');
  }

  #proxyBackend({ api, namespace }: ResourceRoute, target: ProxyTarget, path: string): Backend {
    switch (api.plural) {
      case 'nodes':
        return onPort(kubeletOf(this.#node(target.name), path), target);
      case 'pods':
        return podBackend(this.#pod(namespace, target.name), target, path);
      default:
        return this.#serviceBackend(namespace, target, path);
    }
  }

  /** A ready pod that the service chooses. */
  #serviceBackend(namespace: string | undefined, target: ProxyTarget, path: string): Backend {
    const service = this.#object(Services, keyFrom(namespace, target.name)) as Service;
    const { ports = [], selector } = service.spec;
    const port = ports.find(
      (each) => target.port === '' || each.name === target.port || String(each.port) === target.port,
    );
    if (port === undefined)
      throw serviceUnavailable(
        `no service port ${JSON.stringify(target.port)} found for service ${JSON.stringify(target.name)}`,
      );
    const options = namespace === undefined ? {} : { namespace };
    const answer = this.#options.server.handle({ verb: 'list', resource: Pods, options }, SERVER_ITSELF);
    const pods = answer.type === 'list' ? (answer.list.items as readonly Pod[]) : [];
    const matcher = selector === undefined ? undefined : labelMatcherOf({ matchLabels: selector });
    const chosen = pods.find((pod) => matcher?.matches(pod.metadata.labels ?? {}) === true && isReady(pod));
    if (chosen === undefined)
      throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(target.name)}`);
    return podBackend(chosen, { ...target, port: portIn(chosen, port.targetPort) }, path);
  }

  #kubeletOf(pod: Pod, path: string): Backend {
    const { nodeName = '' } = pod.spec;
    try {
      return kubeletOf(this.#node(nodeName), path);
    } catch (error) {
      // Upstream tells of the missing node as of a missing pod.
      throw isApiError(error, 'NotFound') ? notFound(Pods, nodeName) : error;
    }
  }

  #node(name: string): Node {
    return this.#object(Nodes, name) as Node;
  }

  #pod(namespace: string | undefined, name: string): Pod {
    return this.#object(Pods, keyFrom(namespace, name)) as Pod;
  }

  #object(resource: typeof Nodes | typeof Pods | typeof Services, key: string): unknown {
    const answer = this.#options.server.handle({ verb: 'get', resource, key }, SERVER_ITSELF);
    if (answer.type !== 'object') throw notFound(resource, key);
    return answer.object;
  }
}

const isUpgrade = (request: HttpRequest): boolean =>
  request.header('connection').toLowerCase().includes('upgrade') && request.header('upgrade') !== '';

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** A port by its number or by the name it has in the pod. */
function portIn({ spec }: Pod, port: number | string): string {
  if (typeof port === 'number') return String(port);
  const named = spec.containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === port);
  return String(named?.containerPort ?? port);
}

/** What follows `/proxy`, as it was sent: `/stats/summary`, `/` or nothing. */
function pathBelow(path: string): string {
  const words = path.split('/');
  const at = words.indexOf('proxy', words[3] === 'namespaces' ? 7 : 5);
  const rest = words.slice(at + 1);
  return rest.length === 0 ? '' : `/${rest.join('/')}`;
}
