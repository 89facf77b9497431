// Plays recorded scenarios in the simulated world, judged by the recordings' own player: its steps, its journal and its
// comparison are used as they are; only the transport (calls of our API server in process) and the clock are ours.
import type { ApiAnswer, ApiRequest } from '../../../src/apiserver/api-request.ts';
import { SECOND_MS } from '../../../src/base/clock.ts';
import { toStatus } from '../../../src/kube/api-error.ts';
import type { JsonPatchOp, Patch, WatchEvent } from '../../../src/kube/cluster.ts';
import { type KubeObject, type Resource, apiVersionOf, keyFrom } from '../../../src/kube/object.ts';
import { SERVED_KINDS } from '../../../src/kube/resources/served-kinds.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../../../src/worlds/simulated.ts';
import { PARITY_SHAPE } from './drivers.ts';
import { Api, type Item, Journal, type PlayerApi, type Result, perform, time } from './parity.mjs';

const SETUP_MS = 30 * SECOND_MS;
/** The longest recorded scenario takes a few minutes. */
const SCENARIO_MS_MAX = 3_600 * SECOND_MS;
/** What a request over loopback took when the scenarios were recorded. */
const REQUEST_MS = 5;
const PLAYER = { name: 'player', groups: ['system:masters', 'system:authenticated'] };

export async function playInProcess(item: Item, seed: number): Promise<Result> {
  const world = new SimulatedWorld({ shape: PARITY_SHAPE, seed });
  const before = { ...time };
  try {
    world.start();
    await world.advanceTo(SIMULATION_STARTS_AT + SETUP_MS);
    time.now = () => world.clock.now();
    time.sleep = (ms) => world.clock.sleep(ms);
    const api = new InProcessApi(world);
    const journal = new Journal();
    await world.until(journal.start(api), SETUP_MS);
    const player = { api, journal, params: {}, cleanups: [] };
    return await world.until(perform(item, player, { mode: 'check', runs: 1, keep: true }), SCENARIO_MS_MAX);
  } finally {
    Object.assign(time, before);
    world.dispose();
  }
}

class InProcessApi implements PlayerApi {
  readonly url = Api.prototype.url;
  readonly #world: SimulatedWorld;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  async call(
    method: string,
    url: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<{ readonly code: number; readonly body: unknown }> {
    const target = parseUrl(url);
    await this.#world.clock.sleep(REQUEST_MS);
    try {
      if (target === undefined)
        return { code: 404, body: { message: 'the server could not find the requested resource' } };
      const answer = this.#world.server.handle(requestOf(method, target, body, contentType), PLAYER);
      return { code: answer.code, body: bodyOf(answer, target.resource) };
    } catch (error) {
      const status = toStatus(error);
      return { code: status.code, body: status };
    }
  }

  watch(url: string, onEvent: (event: { readonly type: string; readonly object: unknown }) => void): Promise<unknown> {
    const target = parseUrl(url);
    return new Promise((resolve) => {
      if (target === undefined) return resolve(undefined);
      const resourceVersion = target.query.get('resourceVersion') ?? '0';
      const sink = {
        event: (event: WatchEvent<KubeObject>) => {
          if ('object' in event) onEvent(event);
        },
        closed: resolve,
      };
      this.#world.server.watch(target.resource, { resourceVersion, allowWatchBookmarks: true }, PLAYER, sink);
    });
  }
}

interface UrlTarget {
  readonly resource: Resource<KubeObject>;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** `/api/v1/namespaces/x/pods/p/status`, `/apis/apps/v1/statefulsets` */
function parseUrl(url: string): UrlTarget | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://in-process');
  const [, apiVersion = '', rest = ''] = /^\/(?:api|apis)\/((?:[^/]+\/)?v1)\/(.*)$/.exec(pathname) ?? [];
  const words = rest.split('/');
  const scoped = words[0] === 'namespaces' && words.length > 2;
  const [plural = '', name, subresource] = scoped ? words.slice(2) : words;
  const served = SERVED_KINDS.find(
    ({ resource }) => resource.plural === plural && apiVersionOf(resource) === apiVersion,
  );
  return served === undefined
    ? undefined
    : { resource: served.resource, namespace: scoped ? words[1] : undefined, name, subresource, query };
}

function requestOf(method: string, target: UrlTarget, body: unknown, contentType: string): ApiRequest {
  const { resource, namespace, name, subresource } = target;
  if (name === undefined) {
    if (method === 'POST') return { verb: 'create', resource, namespace, object: body };
    return { verb: 'list', resource, options: namespace === undefined ? {} : { namespace } };
  }
  const on = { resource, key: keyFrom(namespace, name), ...(subresource === undefined ? {} : { subresource }) };
  switch (method) {
    case 'PATCH':
      return { ...on, verb: 'patch', patch: patchOf(body, contentType) };
    case 'DELETE':
      return { ...on, verb: 'delete', options: body ?? {} };
    case 'PUT':
      return { ...on, verb: 'update', object: body };
    default:
      return { ...on, verb: 'get' };
  }
}

function patchOf(body: unknown, contentType: string): Patch {
  if (contentType.includes('json-patch')) return { type: 'json', ops: body as readonly JsonPatchOp[] };
  return { type: contentType.includes('strategic') ? 'strategic' : 'merge', body: body as object };
}

function bodyOf(answer: ApiAnswer, resource: Resource<KubeObject>): unknown {
  switch (answer.type) {
    case 'object':
      return answer.object;
    case 'status':
      return answer.status;
    default:
      return {
        kind: `${resource.kind}List`,
        metadata: { resourceVersion: answer.list.resourceVersion },
        items: answer.list.items,
      };
  }
}
