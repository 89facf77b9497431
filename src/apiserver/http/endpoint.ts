// Answers HTTP requests from the core: authenticates, routes, negotiates, translates, encodes. Everything here is about the
// wire; what a request means is the core's. Free of sockets, so that it can be asked in tests as it is asked over TLS.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  causeOf,
  internal,
  isApiError,
  methodNotAllowed,
  noSuchResource,
  toStatus,
  unclassified,
} from '../../kube/api-error.ts';
import type { Disposable } from '../../kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import type { ApiAnswer, ApiRequest } from '../api-request.ts';
import type { ApiServer } from '../apiserver.ts';
import { type Authorizer, type User, authorize } from '../authorization.ts';
import { notARevision } from '../registry/generic-list.ts';
import { type View, bodyOf, eventLine, inForm } from './answer-body.ts';
import { type Authenticator, authenticate, requirePath } from './authentication.ts';
import { AGGREGATED_TYPE, Discovery } from './discovery.ts';
import { EncodedObjects } from './encoded-objects.ts';
import { refuseForeignOrigin } from './foreign-origin.ts';
import { type HttpAnswer, type HttpRequest, type WholeAnswer, pageNotFound, wholeAnswer } from './http-exchange.ts';
import {
  JSON_TYPE,
  type OutputForm,
  PLAIN_JSON,
  negotiate,
  parseAccept,
  producedBy,
  requireRouteAccepts,
  wantsPretty,
} from './media-type.ts';
import { includeObjectOf, watchOptionsOf } from './query-options.ts';
import type { ProtobufReader } from './request-body.ts';
import { type RequestPath, type ResourcePath, parsePath } from './request-path.ts';
import { coreRequest, requirePatchType } from './resource-request.ts';
import { type ResourceRoute, accessFor, routeOf } from './resource-route.ts';
import { awaitedRevision, untilReached } from './revision-wait.ts';
import { type ServedApi, ServedApis } from './served-apis.ts';
import { type HealthChecks, healthDocument, pathsDocument, versionDocument } from './server-documents.ts';
import { warningHeaders } from './warning-headers.ts';
import { WatchStream } from './watch-stream.ts';

export interface EndpointOptions {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly log: Log;
  readonly authenticators: readonly Authenticator[];
  /** The same as the core's: what is no resource here is refused before it is not found. */
  readonly authorizer: Authorizer;
  /** DNS names that the server may be called by. */
  readonly names: readonly string[];
  /** `127.0.0.1:6443`, as discovery tells it. */
  readonly address: () => string;
  readonly protobuf?: ProtobufReader;
  readonly checks?: HealthChecks;
}

/** In whose name the server looks for itself. */
const SERVER_ITSELF: User = { name: 'system:apiserver', groups: ['system:masters'] };
const ALWAYS: HealthChecks = { ping: () => true };
const NOT_CACHED = { 'cache-control': 'no-cache, private' } as const;

/** A route of a kind that the core stores. */
type StoredRoute = ResourceRoute & { readonly api: ServedApi & { readonly resource: Resource<KubeObject> } };

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #apis: ServedApis;
  readonly #discovery: Discovery;
  readonly #encoded = new EncodedObjects();
  readonly #names: ReadonlySet<string>;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#apis = new ServedApis(options.server.resources);
    this.#discovery = new Discovery(this.#apis);
    this.#names = new Set(options.names);
  }

  /** Never fails: what goes wrong is an answer too. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    try {
      refuseForeignOrigin(request.header('host'), request.header('origin'), this.#names);
      const user = authenticate(this.#options.authenticators, request);
      return await this.#route(request, parsePath(request.path), user);
    } catch (error) {
      return this.#failure(request, error);
    }
  }

  async #route(request: HttpRequest, path: RequestPath, user: User): Promise<HttpAnswer> {
    if (path.type === 'resource') return this.#resource(request, path, user);
    requirePath(user, request.method, request.path);
    switch (path.type) {
      case 'root':
        if (path.root === 'api') requireReading(request);
        return this.#root(request, path.root);
      case 'group':
        return this.#document(request, this.#discovery.group(path.group)) ?? pageNotFound();
      case 'version': {
        requireReading(request);
        const found = this.#document(request, this.#discovery.resources(path.group, path.version));
        if (found !== undefined) return found;
        if (!this.#apis.hasGroup(path.group)) return pageNotFound();
        throw noSuchResource();
      }
      case 'other':
        return this.#about(path.words, request);
    }
  }

  /** Paths that tell of the server. */
  #about(words: readonly string[], request: HttpRequest): HttpAnswer {
    switch (words[0]) {
      case 'healthz':
      case 'livez':
      case 'readyz':
        if (request.path.endsWith('/')) return pageNotFound();
        return healthDocument(words, request.query, { ...ALWAYS, ...this.#options.checks });
      case 'version':
        if (words.length > 1) throw noSuchResource();
        requireReading(request);
        requireRouteAccepts(request.header('accept') || '*/*', [JSON_TYPE]);
        return versionDocument();
      case undefined:
        return pathsDocument(this.#apis);
      default:
        return pageNotFound();
    }
  }

  #root(request: HttpRequest, root: 'api' | 'apis'): HttpAnswer {
    const accept = request.header('accept');
    const isAggregated = parseAccept(accept).some(({ type, subtype, parameters }) => {
      const asked = ['g', 'v', 'as'].map((name) => parameters.get(name) ?? '').join();
      return `${type}/${subtype}` === JSON_TYPE && asked === 'apidiscovery.k8s.io,v2,APIGroupDiscoveryList';
    });
    if (isAggregated) return this.#aggregated(root, request.header('if-none-match'));
    const document = root === 'api' ? this.#discovery.versions(this.#options.address()) : this.#discovery.groups();
    return this.#document(request, document) ?? pageNotFound();
  }

  #aggregated(root: 'api' | 'apis', known: string): HttpAnswer {
    const { bytes, etag } = this.#discovery.aggregated(root);
    const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
    if (known === etag) return wholeAnswer(304, '', Buffer.alloc(0), headers);
    return wholeAnswer(200, AGGREGATED_TYPE, bytes, headers);
  }

  #document(request: HttpRequest, document: object | undefined): WholeAnswer | undefined {
    if (document === undefined) return undefined;
    const form = this.#negotiate(request, { isStream: false, mayConvert: false });
    return wholeAnswer(200, form.mediaType, inForm(form, Buffer.from(`${JSON.stringify(document)}\n`)), NOT_CACHED);
  }

  async #resource(request: HttpRequest, path: ResourcePath, user: User): Promise<HttpAnswer> {
    const { method, query } = request;
    if (!this.#apis.hasGroup(path.group)) {
      requirePath(user, method, request.path);
      return pageNotFound();
    }
    const route = this.#routed(path, request, user);
    requirePatchType(route, request.header('content-type'));
    const { verb, api } = route;
    if (!api.isCustom)
      requireRouteAccepts(request.header('accept') || '*/*', producedBy(verb === 'list' || verb === 'watch'));
    const isStream = verb === 'watch';
    const form = this.#negotiate(request, { isStream, mayConvert: true });
    const includeObject = form.as?.kind === 'Table' ? includeObjectOf(query) : 'Metadata';
    const { clock } = this.#options;
    const view: View = { api: shownKind(route), form, includeObject, now: clock.now(), encoded: this.#encoded };
    if (!isStored(route)) return this.#virtual(request, route, user, view);
    if (isStream) return this.#watch(request, route, user, view);
    return this.#request(request, route, user, view);
  }

  #routed(path: ResourcePath, { method, query }: HttpRequest, user: User): ResourceRoute {
    try {
      return routeOf(this.#apis, path, method, query);
    } catch (error) {
      authorize(this.#options.authorizer, user, accessFor(path, method, query));
      throw error;
    }
  }

  async #request(request: HttpRequest, route: StoredRoute, user: User, view: View): Promise<HttpAnswer> {
    const { server, clock } = this.#options;
    const asked = await this.#asked(route, request, user);
    await untilReached(awaitedRevision(asked), server, clock);
    return this.#told(server.handle(asked, user), view, route);
  }

  /** What cannot even be read is refused after what may not be asked, and a patch of nothing as a patch of nothing. */
  async #asked(route: StoredRoute, request: HttpRequest, user: User): Promise<ApiRequest> {
    try {
      return await coreRequest(route, request, this.#options.protobuf);
    } catch (error) {
      const { api, verb, namespace, name, subresource } = route;
      authorize(this.#options.authorizer, user, {
        verb,
        resource: api,
        subresource: subresource?.name,
        namespace,
        name,
      });
      const key = keyFrom(namespace, name);
      if (verb === 'patch' && isApiError(error, 'BadRequest'))
        this.#options.server.handle({ verb: 'get', resource: api.resource, key }, SERVER_ITSELF);
      throw error;
    }
  }

  #told(answer: ApiAnswer, view: View, { api }: ResourceRoute): WholeAnswer {
    const warnings = api.deprecation === undefined ? answer.warnings : [api.deprecation, ...answer.warnings];
    const headers = warnings.length === 0 ? NOT_CACHED : { ...NOT_CACHED, warning: warningHeaders(warnings) };
    return wholeAnswer(answer.code, view.form.mediaType, bodyOf(answer, view), headers);
  }

  async #watch({ query }: HttpRequest, route: StoredRoute, user: User, view: View): Promise<HttpAnswer> {
    const { server, clock } = this.#options;
    const given = watchOptionsOf(query, route.namespace);
    const { resourceVersion = '' } = given;
    if (!/^[0-9]*$/.test(resourceVersion)) throw unclassified(notARevision(resourceVersion));
    const options = route.name === '' ? given : { ...given, fieldSelector: `metadata.name=${route.name}` };
    if (options.sendInitialEvents === true) await untilReached(resourceVersion, server, clock);
    const stream = new WatchStream((event, isFirst) => eventLine(event, { ...view, now: clock.now() }, isFirst));
    const watch = this.#opened(() => server.watch(route.api.resource, options, user, stream), stream);
    const { deprecation } = route.api;
    return {
      type: 'stream',
      code: 200,
      contentType: view.form.mediaType,
      headers: deprecation === undefined ? NOT_CACHED : { ...NOT_CACHED, warning: warningHeaders([deprecation]) },
      open: (out) => stream.open(out, watch),
    };
  }

  /** A watch for a revision that does not come opens, and says so. */
  #opened(open: () => Disposable, stream: WatchStream): Disposable {
    try {
      return open();
    } catch (error) {
      if (!isApiError(error, 'Timeout') || causeOf(error, 'ResourceVersionTooLarge') === undefined) throw error;
      stream.event({ type: 'ERROR', error });
      stream.closed();
      return { dispose: () => undefined };
    }
  }

  /** Kinds that are posted or listed, but not stored. */
  async #virtual(request: HttpRequest, route: ResourceRoute, user: User, view: View): Promise<HttpAnswer> {
    const { api, verb, namespace } = route;
    if (api.group === '' && api.plural === 'componentstatuses' && verb === 'list') {
      const list = { items: [], resourceVersion: '' };
      authorize(this.#options.authorizer, user, { verb, resource: api, subresource: undefined, namespace, name: '' });
      return this.#told({ type: 'list', code: 200, warnings: [], list }, view, route);
    }
    if (api.group === '' && api.plural === 'bindings') return this.#bind(request, route, user, view);
    throw noSuchResource();
  }

  /** The old way to bind a pod: the body names it. */
  async #bind(request: HttpRequest, route: ResourceRoute, user: User, view: View): Promise<HttpAnswer> {
    const pods = this.#apis.find('', 'v1', 'pods')?.resource;
    if (pods === undefined) throw noSuchResource();
    const asPost = { ...route, api: { ...route.api, resource: pods } };
    const asked = await coreRequest(asPost, request, this.#options.protobuf);
    if (asked.verb !== 'create') throw noSuchResource();
    const name = nameIn(asked.object);
    const { resource: _collection, object: body, namespace: _namespace, verb: _verb, ...rest } = asked;
    const key = keyFrom(route.namespace, name);
    const answer = this.#options.server.handle(
      { ...rest, verb: 'post', resource: pods, key, subresource: 'binding', body },
      user,
    );
    return this.#told(answer, view, route);
  }

  #negotiate(request: HttpRequest, how: { readonly isStream: boolean; readonly mayConvert: boolean }): OutputForm {
    const isPretty = wantsPretty(request.query, request.header('user-agent'));
    return negotiate({ accept: request.header('accept'), isPretty, ...how });
  }

  /** What the client can read, and plain JSON where it can read nothing of ours. */
  #failure(request: HttpRequest, error: unknown): HttpAnswer {
    const status = toStatus(this.#known(error, request));
    const retry = status.details?.retryAfterSeconds;
    const headers = retry === undefined ? NOT_CACHED : { ...NOT_CACHED, 'retry-after': String(retry) };
    const form = this.#failureForm(request);
    const body = inForm(form, Buffer.from(`${JSON.stringify(status)}\n`));
    return wholeAnswer(status.code, form.mediaType, body, headers);
  }

  #failureForm(request: HttpRequest): OutputForm {
    try {
      return this.#negotiate(request, { isStream: false, mayConvert: false });
    } catch {
      return PLAIN_JSON;
    }
  }

  /** A bug is told to the log alone: its text may hold anything. */
  #known(error: unknown, { method, path }: HttpRequest): Error {
    if (isApiError(error)) return error;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.log.write('error', 'request failed', { method, path, why });
    return internal('the request could not be served');
  }
}

function requireReading({ method }: HttpRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
}

const isStored = (route: ResourceRoute): route is StoredRoute => route.api.resource !== undefined;

/** The kind of what is answered: a scale is shown as one. */
function shownKind({ api, subresource }: ResourceRoute): View['api'] {
  const { group, version, kind, isCustom, resource } = api;
  if (subresource === undefined) return { group, version, kind, isCustom, resource };
  return { ...(subresource.of ?? { group, version }), kind: subresource.kind, isCustom, resource: undefined };
}

function nameIn(body: unknown): string {
  const metadata = typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;
  const name = typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
  return typeof name === 'string' ? name : '';
}
