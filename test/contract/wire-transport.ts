// Speaks just enough HTTP for the recordings' player: a request goes to the API server's core in this process, and its answer
// comes back as the response of a connection that was never made.
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { ApiAnswer, ApiRequest } from '../../src/apiserver/api-request.ts';
import type { ApiServer } from '../../src/apiserver/apiserver.ts';
import type { SentDeleteOptions } from '../../src/apiserver/registry/generic-delete-options.ts';
import { badRequest, invalid, noSuchResource, toStatus } from '../../src/kube/api-error.ts';
import type {
  DeleteOptions,
  JsonPatchOp,
  ListOptions,
  Patch,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../src/kube/cluster.ts';
import { notSupported } from '../../src/kube/field-error.ts';
import { type KubeObject, type Resource, apiVersionOf, keyFrom } from '../../src/kube/object.ts';

const ADMINISTRATOR = { name: 'wire', groups: ['system:masters', 'system:authenticated'] };

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** What the player takes for a server. */
export function wireTransport(server: ApiServer): unknown {
  const request = (options: HttpRequest): FakeRequest =>
    new FakeRequest((body, answer) => serve(server, { ...options, body }, answer));
  const url = new URL('http://in-process');
  return { url, lib: { request }, basePath: '', adminAgent: undefined, bareAgent: undefined, adminHeaders: {} };
}

type Answer = (response: Response) => void;

class FakeRequest extends EventEmitter {
  readonly #serve: (body: string, answer: Answer) => (() => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(respond: (body: string, answer: Answer) => (() => void) | undefined) {
    super();
    this.#serve = respond;
  }

  setTimeout(): void {}

  end(body?: Uint8Array): void {
    queueMicrotask(() => {
      this.#stop = this.#serve(body === undefined ? '' : Buffer.from(body).toString('utf8'), (response) =>
        this.emit('response', response),
      );
    });
  }

  destroy(): void {
    this.#stop?.();
  }
}

class Response extends Readable {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];

  constructor(statusCode: number, warnings: readonly string[] = [], retryAfter?: number) {
    super({ read: () => undefined });
    this.statusCode = statusCode;
    this.headers = { 'content-type': 'application/json' };
    const told = warnings.flatMap((text) => ['warning', `299 - ${JSON.stringify(text)}`]);
    this.rawHeaders = [
      'content-type',
      'application/json',
      ...told,
      ...(retryAfter === undefined ? [] : ['retry-after', String(retryAfter)]),
    ];
  }

  whole(body: unknown): this {
    this.push(JSON.stringify(body));
    this.push(null);
    return this;
  }
}

interface Target {
  readonly resource: Resource<KubeObject>;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** Answers what ends an open watch, if that is what it was. */
function serve(
  server: ApiServer,
  http: HttpRequest & { readonly body: string },
  answer: Answer,
): (() => void) | undefined {
  try {
    const target = targetOf(server.resources, http.path);
    if (target.query.get('watch') === 'true') return stream(server, target, answer);
    const answered = server.handle(requestOf(http, target), ADMINISTRATOR);
    answer(new Response(answered.code, answered.warnings).whole(bodyOf(answered, target.resource)));
  } catch (error) {
    const status = toStatus(error);
    answer(new Response(status.code, [], status.details?.retryAfterSeconds).whole(status));
  }
  return undefined;
}

function targetOf(resources: readonly Resource<KubeObject>[], path: string): Target {
  const { pathname, searchParams: query } = new URL(path, 'http://in-process');
  const [, apiVersion = '', rest = ''] = /^\/(?:api|apis)\/((?:[^/]+\/)?v\d\w*)\/(.*)$/.exec(pathname) ?? [];
  const words = rest.split('/').map(decodeURIComponent);
  const isScoped = words[0] === 'namespaces' && words.length > 2 && !['status', 'finalize'].includes(words[2] ?? '');
  const [plural = '', name, subresource] = isScoped ? words.slice(2) : words;
  const resource = resources.find((each) => each.plural === plural && apiVersionOf(each) === apiVersion);
  if (resource === undefined) throw noSuchResource();
  return { resource, namespace: isScoped ? words[1] : undefined, name, subresource, query };
}

function requestOf({ method, headers, body }: HttpRequest & { readonly body: string }, target: Target): ApiRequest {
  const { resource, namespace, name, subresource, query } = target;
  const sent = (): unknown => parsed(body, method);
  const userAgent = String(headers['user-agent'] ?? '');
  if (name === undefined) {
    if (method === 'POST')
      return {
        verb: 'create',
        resource,
        namespace,
        object: sent(),
        options: writeOptions(query, 'CreateOptions', userAgent),
      };
    if (method === 'GET') return { verb: 'list', resource, options: listOptions(target) };
    return { verb: 'deletecollection', resource, of: listOptions(target), options: deleteOptions(sent(), query) };
  }
  const on = { resource, key: keyFrom(namespace, name), ...(subresource === undefined ? {} : { subresource }) };
  switch (method) {
    case 'GET':
      return { ...on, verb: 'get', resourceVersion: query.get('resourceVersion') ?? '' };
    case 'POST':
      return {
        ...on,
        verb: 'post',
        subresource: subresource ?? '',
        body: sent(),
        options: writeOptions(query, 'CreateOptions', userAgent),
      };
    case 'PUT':
      return { ...on, verb: 'update', object: sent(), options: writeOptions(query, 'UpdateOptions', userAgent) };
    case 'PATCH':
      return {
        ...on,
        verb: 'patch',
        patch: patchOf(String(headers['content-type']), sent(), query.get('force') === 'true'),
        options: writeOptions(query, 'PatchOptions', userAgent),
      };
    default:
      return { ...on, verb: 'delete', options: deleteOptions(sent(), query) };
  }
}

function parsed(body: string, method: string): unknown {
  try {
    return JSON.parse(body === '' ? 'null' : body) as unknown;
  } catch (error) {
    throw badRequest(`${method === 'PATCH' ? 'error decoding patch' : 'json parse error'}: ${String(error)}`);
  }
}

function patchOf(contentType: string, body: unknown, force: boolean): Patch {
  if (contentType.includes('json-patch')) return { type: 'json', ops: body as readonly JsonPatchOp[] };
  if (contentType.includes('apply-patch')) return { type: 'apply', body: body as object, force };
  return { type: contentType.includes('strategic') ? 'strategic' : 'merge', body: body as object };
}

function writeOptions(query: URLSearchParams, kind: string, userAgent: string): WriteOptions {
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((each) => each !== 'All')) {
    throw invalid({ group: 'meta.k8s.io', kind }, '', [{ ...notSupported('dryRun', dryRun, ['All']) }]);
  }
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (!['Ignore', 'Strict', 'Warn'].includes(validation)) {
    throw invalid({ group: 'meta.k8s.io', kind }, '', [
      notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']),
    ]);
  }
  const [program = ''] = userAgent.split('/');
  const fieldManager = query.get('fieldManager') ?? program;
  return {
    fieldManager,
    dryRun: dryRun.length > 0,
    fieldValidation: validation as NonNullable<WriteOptions['fieldValidation']>,
  };
}

type DeleteBody = Omit<SentDeleteOptions, 'dryRun'> & { readonly dryRun?: readonly string[] };

function deleteOptions(sent: unknown, query: URLSearchParams): SentDeleteOptions {
  const { dryRun = [], ...options } = (sent ?? {}) as DeleteBody;
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    ...options,
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy as NonNullable<DeleteOptions['propagationPolicy']> }),
    dryRun: [...dryRun, ...query.getAll('dryRun')].length > 0,
  };
}

function listOptions({ namespace, query }: Target): ListOptions {
  const text = (name: string): object => (query.has(name) ? { [name]: query.get(name) } : {});
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...text('labelSelector'),
    ...text('fieldSelector'),
    ...text('continue'),
    ...text('resourceVersion'),
    ...text('resourceVersionMatch'),
    ...number(query, 'limit'),
  };
}

function number(query: URLSearchParams, name: string): object {
  const text = query.get(name);
  if (text === null) return {};
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return { [name]: Number(text) };
}

function stream(server: ApiServer, target: Target, answer: Answer): () => void {
  const { query, resource } = target;
  const response = new Response(200);
  const flag = (name: string): object => (query.has(name) ? { [name]: query.get(name) === 'true' } : {});
  const options: WatchOptions = {
    ...listOptions(target),
    ...flag('sendInitialEvents'),
    ...flag('allowWatchBookmarks'),
    ...number(query, 'timeoutSeconds'),
  };
  const sink = {
    event: (event: WatchEvent<KubeObject>) => void response.push(`${JSON.stringify(encoded(event, resource))}\n`),
    closed: () => void response.push(null),
  };
  const watch = server.watch(resource, options, ADMINISTRATOR, sink);
  answer(response);
  return () => watch.dispose();
}

function encoded(event: WatchEvent<KubeObject>, resource: Resource<KubeObject>): object {
  if (event.type === 'ERROR') return { type: event.type, object: toStatus(event.error) };
  if (event.type !== 'BOOKMARK') return event;
  const annotations = event.initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: event.resourceVersion, ...annotations };
  return { type: event.type, object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
}

function bodyOf(answer: ApiAnswer, resource: Resource<KubeObject>): unknown {
  if (answer.type === 'object') return answer.object;
  if (answer.type === 'status') return answer.status;
  const { items, ...metadata } = answer.list;
  // Members of a list of built-in kinds do not repeat what the list says.
  const members = items.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata, items: members };
}
