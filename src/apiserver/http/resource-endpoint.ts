// Requests about objects: from a path to the core and back. What only exists on the wire happens here: forms of answers,
// warnings in headers, the wait for a revision, streams.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { causeOf, isApiError, noSuchResource, notFound, unclassified } from '../../kube/api-error.ts';
import type { Disposable } from '../../kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import type { ApiAnswer, ApiRequest } from '../api-request.ts';
import type { ApiServer } from '../apiserver.ts';
import { type Access, type Authorizer, type User, authorize } from '../authorization.ts';
import { notARevision } from '../registry/generic-list.ts';
import { type View, bodyOf, eventLine } from './answer-body.ts';
import { EncodedObjects } from './encoded-objects.ts';
import { NOT_CACHED, failureAnswer, formFor, withWarnings } from './failure-answer.ts';
import { type HttpAnswer, type HttpRequest, type WholeAnswer, wholeAnswer } from './http-exchange.ts';
import { madeAnswer } from './made-answer.ts';
import { producedBy, requireRouteAccepts } from './media-type.ts';
import { type Connections, NodeEndpoint, isPassedOn } from './node-endpoint.ts';
import { includeObjectOf, watchOptionsOf } from './query-options.ts';
import type { ProtobufReader } from './request-body.ts';
import type { ResourcePath } from './request-path.ts';
import { coreRequest, requirePatchType } from './resource-request.ts';
import { type ResourceRoute, accessFor, routeOf } from './resource-route.ts';
import { awaitedRevision, untilReached } from './revision-wait.ts';
import type { MadeObject, ServedApi, ServedApis } from './served-apis.ts';
import { WatchStream } from './watch-stream.ts';
import { SERVER_ITSELF } from '../server-itself.ts';

/** In whose name the server looks for itself. */

export interface ResourceEndpointOptions {
  readonly server: ApiServer;
  readonly apis: ServedApis;
  readonly clock: Clock;
  readonly log: Log;
  readonly authorizer: Authorizer;
  readonly protobuf: ProtobufReader | undefined;
  readonly connections: Connections | undefined;
}

/** A route of a kind that the core stores. */
type StoredRoute = ResourceRoute & { readonly api: ServedApi & { readonly resource: Resource<KubeObject> } };

/** One request on its way. */
interface Errand<R extends ResourceRoute = ResourceRoute> {
  readonly request: HttpRequest;
  readonly route: R;
  readonly user: User;
  readonly view: View;
}

export class ResourceEndpoint {
  readonly #options: ResourceEndpointOptions;
  readonly #nodes: NodeEndpoint;
  readonly #encoded: EncodedObjects;

  constructor(options: ResourceEndpointOptions) {
    this.#options = options;
    this.#nodes = new NodeEndpoint(options);
    this.#encoded = new EncodedObjects(options.server.bytes);
  }

  /** Throws what is wrong with the path; what is wrong with the rest is an answer. */
  async answer(request: HttpRequest, path: ResourcePath, user: User): Promise<HttpAnswer> {
    const route = this.#routed(path, request, user);
    try {
      if (isPassedOn(route)) return await this.#nodes.answer(request, route, user);
      return await this.#served({ request, route, user, view: this.#viewOf(route, request) });
    } catch (error) {
      return failureAnswer(request, error, { log: this.#options.log, warnings: deprecationOf(route) });
    }
  }

  /** What may not be asked for is refused before it is not found. */
  #routed(path: ResourcePath, { method, query }: HttpRequest, user: User): ResourceRoute {
    try {
      return routeOf(this.#options.apis, path, method, query);
    } catch (error) {
      authorize(this.#options.authorizer, user, accessFor(path, method, query));
      throw error;
    }
  }

  #viewOf(route: ResourceRoute, request: HttpRequest): View {
    const { api, verb } = route;
    requirePatchType(route, request.header('content-type'));
    if (!api.isCustom)
      requireRouteAccepts(request.header('accept') || '*/*', producedBy(verb === 'list' || verb === 'watch'));
    const hasTable = (route.subresource ?? api).verbs.some((each) => each !== 'create');
    const form = formFor(request, { isStream: verb === 'watch', mayConvert: true, hasTable });
    const includeObject = form.as?.kind === 'Table' ? includeObjectOf(request.query) : 'Metadata';
    return { api: shownKind(route), form, includeObject, now: this.#options.clock.now(), encoded: this.#encoded };
  }

  async #served(errand: Errand): Promise<HttpAnswer> {
    const { route } = errand;
    if (isStored(route))
      return route.verb === 'watch' ? this.#watch({ ...errand, route }) : this.#once({ ...errand, route });
    if (route.api.objects !== undefined) return this.#made(errand, route.api.objects());
    if (route.api.group !== '') throw noSuchResource();
    switch (route.api.plural) {
      case 'bindings':
        return this.#bind(errand);
      case 'componentstatuses':
        return this.#components(errand);
      default:
        throw noSuchResource();
    }
  }

  async #once(errand: Errand<StoredRoute>): Promise<HttpAnswer> {
    const { server, clock, log } = this.#options;
    const { request, route, user } = errand;
    const asked = await this.#asked(errand);
    await untilReached(awaitedRevision(asked), server, clock);
    const warnings: string[] = [];
    try {
      return told(await server.request(collecting(asked, warnings), user), errand);
    } catch (error) {
      return failureAnswer(request, error, { log, warnings: [...deprecationOf(route), ...warnings] });
    }
  }

  /** What cannot even be read is refused after what may not be asked, and a patch of nothing as a patch of nothing. */
  async #asked({ request, route, user }: Errand<StoredRoute>): Promise<ApiRequest> {
    try {
      return await coreRequest(route, request, this.#options.protobuf);
    } catch (error) {
      authorize(this.#options.authorizer, user, accessOf(route));
      const { verb, api, namespace, name } = route;
      const key = keyFrom(namespace, name);
      if (verb === 'patch' && isApiError(error, 'BadRequest'))
        this.#options.server.handle({ verb: 'get', resource: api.resource, key }, SERVER_ITSELF);
      throw error;
    }
  }

  async #watch({ request, route, user, view }: Errand<StoredRoute>): Promise<HttpAnswer> {
    const { server, clock } = this.#options;
    const given = watchOptionsOf(request.query, route.namespace);
    const { resourceVersion = '' } = given;
    if (!/^[0-9]*$/.test(resourceVersion)) throw unclassified(notARevision(resourceVersion));
    const options = route.name === '' ? given : { ...given, fieldSelector: `metadata.name=${route.name}` };
    if (options.sendInitialEvents === true) await untilReached(resourceVersion, server, clock);
    // Only a table tells the age of what it shows.
    const isTable = view.form.as?.kind === 'Table';
    const stream = new WatchStream((event, isFirst) =>
      eventLine(event, isTable ? { ...view, now: clock.now() } : view, isFirst),
    );
    const watch = opened(() => server.watch(route.api.resource, options, user, stream), stream);
    return {
      type: 'stream',
      code: 200,
      contentType: view.form.mediaType,
      headers: withWarnings(NOT_CACHED, deprecationOf(route)),
      open: (out) => stream.open(out, watch),
    };
  }

  #made(errand: Errand, objects: readonly MadeObject[]): HttpAnswer {
    const { request, route, user } = errand;
    authorize(this.#options.authorizer, user, accessOf(route));
    return told(madeAnswer(route, objects, request.query), errand);
  }

  /** There are no components to tell of; clients ask all the same. */
  #components(errand: Errand): HttpAnswer {
    const { route, user } = errand;
    authorize(this.#options.authorizer, user, accessOf(route));
    if (route.verb !== 'list') throw notFound({ group: '', plural: 'componentstatus' }, route.name);
    return told({ type: 'list', code: 200, warnings: [], list: { items: [], resourceVersion: '' } }, errand);
  }

  /** The old way to bind a pod: the body names it. */
  async #bind(errand: Errand): Promise<HttpAnswer> {
    const { request, route, user } = errand;
    const { server, apis, protobuf } = this.#options;
    const pods = apis.find('', 'v1', 'pods')?.resource;
    if (pods === undefined) throw noSuchResource();
    const asked = await coreRequest({ ...route, api: { ...route.api, resource: pods } }, request, protobuf);
    if (asked.verb !== 'create') throw noSuchResource();
    const { object: body, options = {} } = asked;
    const key = keyFrom(route.namespace, nameIn(body));
    const binding = { verb: 'post', resource: pods, key, subresource: 'binding', body, options } as const;
    return told(await server.request(binding, user), errand);
  }
}

function told(answer: ApiAnswer, { view, route }: Errand): WholeAnswer {
  const headers = withWarnings(NOT_CACHED, [...deprecationOf(route), ...answer.warnings]);
  return wholeAnswer(answer.code, view.form.mediaType, bodyOf(answer, view), headers);
}

/** A watch for a revision that does not come opens, and says so. */
function opened(open: () => Disposable, stream: WatchStream): Disposable {
  try {
    return open();
  } catch (error) {
    if (!isApiError(error, 'Timeout') || causeOf(error, 'ResourceVersionTooLarge') === undefined) throw error;
    stream.event({ type: 'ERROR', error });
    stream.closed();
    return { dispose: () => undefined };
  }
}

/** The same request, that leaves its warnings behind when it is refused. */
function collecting(request: ApiRequest, warnings: string[]): ApiRequest {
  switch (request.verb) {
    case 'create':
    case 'post':
    case 'update':
    case 'patch':
      return { ...request, options: { ...request.options, warnings } };
    default:
      return request;
  }
}

const accessOf = ({ verb, api, subresource, namespace, name }: ResourceRoute): Access => ({
  verb,
  resource: api,
  subresource: subresource?.name,
  namespace,
  name,
});

const deprecationOf = ({ api }: ResourceRoute): readonly string[] =>
  api.deprecation === undefined ? [] : [api.deprecation];

const isStored = (route: ResourceRoute): route is StoredRoute => route.api.resource !== undefined;

/** The kind of what is answered: a scale is shown as one. */
function shownKind({ api, subresource }: ResourceRoute): View['api'] {
  const { group, version, kind, isCustom, resource, defined } = api;
  const isWhole = subresource === undefined || (subresource.name === 'status' && defined !== undefined);
  if (isWhole) return { group, version, kind, isCustom, resource, ...(defined === undefined ? {} : { defined }) };
  return { ...(subresource.of ?? { group, version }), kind: subresource.kind, isCustom, resource: undefined };
}

function nameIn(body: unknown): string {
  const metadata = typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
  return typeof name === 'string' ? name : '';
}
