// Answers HTTP requests from the core: authenticates, routes, negotiates, translates, encodes. Everything here is about the
// wire; what a request means is the core's. Free of sockets, so that it can be asked in tests as it is asked over TLS.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { methodNotAllowed, noSuchResource } from '../../kube/api-error.ts';
import type { ApiServer } from '../apiserver.ts';
import { OpenApi } from '../openapi/openapi.ts';
import { type AnyAccess, type Authorizer, type User, authorize } from '../authorization.ts';
import { inForm } from './answer-body.ts';
import type { AuditedRequest, RequestAudit } from './audit-event.ts';
import { auditedAnswer } from './audited-answer.ts';
import { type Authenticator, authenticate } from './authentication.ts';
import { AGGREGATED_TYPE, Discovery } from './discovery.ts';
import { NOT_CACHED, failureAnswer, formFor } from './failure-answer.ts';
import { refuseForeignOrigin } from './foreign-origin.ts';
import { type HttpAnswer, type HttpRequest, type WholeAnswer, pageNotFound, wholeAnswer } from './http-exchange.ts';
import { Impersonation, wantedUser } from './impersonation.ts';
import { JSON_TYPE, parseAccept, requireRouteAccepts } from './media-type.ts';
import type { Connections } from './node-endpoint.ts';
import { readProtobuf } from './protobuf-body.ts';
import type { ProtobufReader } from './request-body.ts';
import { type RequestPath, parsePath } from './request-path.ts';
import { ResourceEndpoint } from './resource-endpoint.ts';
import { accessFor } from './resource-route.ts';
import { openApiAnswer, publishedKind } from './openapi-answer.ts';
import { type MadeKind, ServedApis } from './served-apis.ts';
import { type OpenIdFacts, openIdDocument } from './openid-documents.ts';
import { type HealthChecks, healthDocument, pathsDocument, versionDocument } from './server-documents.ts';

export interface EndpointOptions {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly log: Log;
  readonly authenticators: readonly Authenticator[];
  /** The same as the core's. */
  readonly authorizer: Authorizer;
  /** DNS names that the server may be called by. */
  readonly names: readonly string[];
  /** `127.0.0.1:6443`, as discovery tells it. */
  readonly address: () => string;
  /** How Kubernetes protobuf is read; `readProtobuf` if not given. */
  readonly protobuf?: ProtobufReader;
  readonly checks?: HealthChecks;
  /** To kubelets, pods and services. Without it nobody behind this server can be reached. */
  readonly connections?: Connections;
  /** Kinds that are served without being stored. */
  readonly made?: readonly MadeKind[];
  /** How tokens of service accounts are checked by others. */
  readonly openId?: OpenIdFacts;
  /** Told of every request. */
  readonly audit?: RequestAudit;
}

/** What is found out about a request on its way, for the audit. */
type Asked = { -readonly [K in keyof AuditedRequest]: AuditedRequest[K] };

const ALWAYS: HealthChecks = { ping: () => true };

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #apis: ServedApis;
  readonly #discovery: Discovery;
  readonly #openApi: OpenApi;
  readonly #resources: ResourceEndpoint;
  readonly #names: ReadonlySet<string>;
  readonly #impersonation: Impersonation;

  constructor(options: EndpointOptions) {
    const { server, clock, log, authorizer, protobuf = readProtobuf } = options;
    this.#options = options;
    this.#apis = new ServedApis(server, options.made);
    this.#discovery = new Discovery(this.#apis);
    const apis = this.#apis;
    this.#openApi = new OpenApi({
      get revision() {
        return apis.revision;
      },
      all: () => apis.all.map(publishedKind),
    });
    this.#resources = new ResourceEndpoint({
      server,
      apis: this.#apis,
      clock,
      log,
      authorizer,
      protobuf,
      connections: options.connections,
    });
    this.#names = new Set(options.names);
    this.#impersonation = new Impersonation(authorizer);
  }

  /** Never fails: what goes wrong is an answer too. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { audit, clock, authorizer } = this.#options;
    const asked: Asked = { request, receivedAt: clock.now() };
    const answer = await this.#answered(asked);
    return audit === undefined ? answer : auditedAnswer(answer, asked, { audit, clock, authorizer });
  }

  async #answered(asked: Asked): Promise<HttpAnswer> {
    const { request } = asked;
    try {
      refuseForeignOrigin(request.header('host'), request.header('origin'), this.#names);
      const path = parsePath(request.path);
      asked.access = accessOf(request, path);
      if (path.type === 'resource') asked.version = path.version;
      return await this.#route(request, path, this.#userOf(asked, asked.access));
    } catch (error) {
      return failureAnswer(request, error, { log: this.#options.log });
    }
  }

  /** Who asks, or whose place they take. */
  #userOf(asked: Asked, access: AnyAccess): User {
    asked.user = authenticate(this.#options.authenticators, asked.request);
    const wanted = wantedUser(asked.request);
    if (wanted === undefined) return asked.user;
    asked.impersonated = this.#impersonation.become(wanted, asked.user, access);
    return asked.impersonated;
  }

  async #route(request: HttpRequest, path: RequestPath, user: User): Promise<HttpAnswer> {
    if (path.type === 'resource' && this.#apis.hasGroup(path.group)) return this.#resources.answer(request, path, user);
    authorize(this.#options.authorizer, user, accessOf(request, path));
    switch (path.type) {
      case 'resource':
        return pageNotFound();
      case 'root':
        return this.#root(request, path.root);
      case 'group':
        return this.#document(request, this.#discovery.group(path.group)) ?? pageNotFound();
      case 'version':
        return this.#version(request, path.group, path.version);
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
      case '.well-known':
      case 'openid':
        return openIdDocument(words, request, this.#options.openId);
      case 'openapi':
        requireReading(request);
        return openApiAnswer(this.#openApi, words.slice(1), request, this.#options.clock.now());
      case undefined:
        return pathsDocument(this.#apis);
      default:
        return pageNotFound();
    }
  }

  /** One document for everything, if the client can read it, wherever it stands among what it accepts. */
  #root(request: HttpRequest, root: 'api' | 'apis'): HttpAnswer {
    if (root === 'api') requireReading(request);
    const isAggregated = parseAccept(request.header('accept')).some(({ type, subtype, parameters }) => {
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

  #version(request: HttpRequest, group: string, version: string): HttpAnswer {
    requireReading(request);
    const found = this.#document(request, this.#discovery.resources(group, version));
    if (found !== undefined) return found;
    if (!this.#apis.hasGroup(group)) return pageNotFound();
    throw noSuchResource();
  }

  #document(request: HttpRequest, document: object | undefined): WholeAnswer | undefined {
    if (document === undefined) return undefined;
    const form = formFor(request, { isStream: false, mayConvert: false });
    return wholeAnswer(200, form.mediaType, inForm(form, Buffer.from(`${JSON.stringify(document)}\n`)), NOT_CACHED);
  }
}

/** What is asked of whom, by the path alone. */
function accessOf({ method, path: text, query }: HttpRequest, path: RequestPath): AnyAccess {
  return path.type === 'resource' ? accessFor(path, method, query) : { verb: method.toLowerCase(), path: text };
}

function requireReading({ method }: HttpRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed();
}
