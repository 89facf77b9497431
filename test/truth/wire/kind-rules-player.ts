// Plays recordings of single kinds against the server's core, without HTTP: what a kind's defaults, rules and admission
// make of a request. The recordings are compared as wire.mjs compares them, as far as these cases need it: values that
// differ between two honest runs stand as tokens in the recording and match anything, and a printed difference after a
// line break is nobody's promise.
import { readFileSync } from 'node:fs';
import { SeededRandom } from '../../../src/base/random.ts';
import { SteppedClock } from '../../../src/base/virtual-clock.ts';
import { defaultAdmission } from '../../../src/apiserver/admission/plugins.ts';
import type { ApiAnswer, ApiRequest } from '../../../src/apiserver/api-request.ts';
import { ApiServer } from '../../../src/apiserver/apiserver.ts';
import { ObjectStore } from '../../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../../src/apiserver/registry/strategies.ts';
import { toStatus } from '../../../src/kube/api-error.ts';
import type { Patch } from '../../../src/kube/cluster.ts';
import { type ResourceName, keyFrom } from '../../../src/kube/object.ts';

type Json = Readonly<Record<string, unknown>>;
interface Step {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly save?: Readonly<Record<string, string>>;
  readonly pick?: readonly string[];
  readonly expect?: {
    readonly status: number;
    readonly headers?: { readonly warning?: readonly string[] };
    readonly body?: unknown;
  };
}
interface Case {
  /** false: the case makes its namespace itself, or does without. */
  readonly namespace?: boolean;
  readonly setup?: readonly Step[];
  readonly steps: readonly Step[];
}
interface Played {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}
/** What one step answered, and what it should have. */
export interface Outcome {
  readonly step: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

const PREFIX = 'kindrules0';
const USER = { name: 'admin', groups: ['system:masters'] };

export function play(name: string): readonly Outcome[] {
  const recorded = JSON.parse(readFileSync(new URL(`cases/${name}.json`, import.meta.url), 'utf8')) as Case;
  const server = newServer(recorded.namespace !== false);
  const saved = new Map([
    ['p', PREFIX],
    ['ns', PREFIX],
  ]);
  for (const step of recorded.setup ?? []) {
    const { code, body } = answer(server, filled(step, saved));
    if (code >= 300) throw new Error(`set-up of ${name} failed: ${JSON.stringify(body)}`);
  }
  return recorded.steps.map((raw, index) => {
    const step = filled(raw, saved);
    const played = answer(server, step);
    for (const [variable, pointer] of Object.entries(step.save ?? {}))
      saved.set(variable, String(at(played.body, pointer)));
    return outcomeOf(step, played, index);
  });
}

function newServer(hasNamespace: boolean): ApiServer {
  const options = {
    clock: new SteppedClock(Date.UTC(2030, 0, 1)),
    random: new SeededRandom(1),
    store: new ObjectStore(),
  };
  const server = new ApiServer({ ...options, strategies: defaultStrategies(), admission: defaultAdmission() });
  server.bootstrap();
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PREFIX } };
  if (hasNamespace) answer(server, { method: 'POST', path: '/api/v1/namespaces', body });
  return server;
}

const filled = (step: Step, saved: ReadonlyMap<string, string>): Step =>
  JSON.parse(JSON.stringify(step).replace(/\$\{(\w+)\}/g, (whole, name: string) => saved.get(name) ?? whole)) as Step;

function answer(server: ApiServer, step: Step): Played {
  try {
    const given: ApiAnswer = server.handle(requestOf(step), USER);
    const body = given.type === 'object' ? given.object : given.type === 'status' ? given.status : given.list;
    return { code: given.code, warnings: given.warnings, body };
  } catch (error) {
    const status = toStatus(error);
    if (status.reason === undefined) throw error;
    return { code: status.code, warnings: [], body: status };
  }
}

const PATH = new RegExp(
  String.raw`^/(?:api|apis/(?<group>[^/]+))/(?<version>[^/]+)(?:/namespaces/(?<ns>[^/]+)(?=/[a-z]+))?/(?<plural>[a-z]+)(?:/(?<name>[^/]+))?(?:/(?<sub>[a-z]+))?$`,
);
/** Paths of namespaces themselves look like paths into a namespace. */
const NAMESPACE_PATH = /^\/api\/v1\/namespaces(?:\/(?<name>[^/]+)(?:\/(?<sub>status|finalize))?)?$/;

function requestOf(step: Step): ApiRequest {
  const { resource, namespace, name, subresource } = target(step.path);
  const key = keyFrom(namespace, name);
  const on = { resource, key, ...(subresource === undefined ? {} : { subresource }) };
  switch (step.method ?? 'POST') {
    case 'GET':
      return { verb: 'get', ...on };
    case 'PUT':
      return { verb: 'update', ...on, object: step.body };
    case 'PATCH':
      return { verb: 'patch', ...on, patch: patchOf(step) };
    case 'DELETE':
      return { verb: 'delete', ...on };
    default:
      if (subresource !== undefined) return { verb: 'post', ...on, subresource, body: step.body };
      return { verb: 'create', resource, namespace, object: step.body };
  }
}

function target(path: string): {
  readonly resource: ResourceName;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string | undefined;
} {
  const own = NAMESPACE_PATH.exec(path)?.groups;
  if (own !== undefined) {
    const resource = { group: '', plural: 'namespaces' };
    return { resource, namespace: undefined, name: own['name'] ?? '', subresource: own['sub'] };
  }
  const { group = '', ns, plural = '', name = '', sub } = PATH.exec(path)?.groups ?? {};
  return { resource: { group, plural }, namespace: ns, name, subresource: sub };
}

function patchOf({ headers = {}, body }: Step): Patch {
  const type = headers['content-type'] ?? '';
  if (type.includes('json-patch')) return { type: 'json', ops: body as Extract<Patch, { type: 'json' }>['ops'] };
  return { type: type.includes('strategic') ? 'strategic' : 'merge', body: body as object };
}

function outcomeOf(step: Step, played: Played, index: number): Outcome {
  const { status = 0, headers = {}, body } = step.expect ?? {};
  const picked =
    step.pick === undefined ? played.body : Object.fromEntries(step.pick.map((p) => [p, at(played.body, p) ?? null]));
  const expected = { code: status, warning: headers.warning ?? [], body: normal(body) };
  const warning = played.warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  const actual = { code: played.code, warning, body: matched(normal(picked), expected.body) };
  return { step: `${index + 1}: ${step.method ?? 'POST'} ${step.path}`, actual, expected };
}

/** A value at a JSON pointer. */
function at(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (inner as Json | undefined)?.[key.replaceAll('~1', '/')], value);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sentences up to the first line break, Go values as an ellipsis, no managed fields. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      key === 'message' && typeof inner === 'string' ? sentence(inner) : normal(inner),
    ]),
  );
}

const sentence = (text: string): string =>
  (text.split('\n')[0] ?? '')
    .trimEnd()
    .replace(/Invalid value: \[?\{"[A-Z].*?[\]}](?=: \w)/s, 'Invalid value: {…}')
    .replace(/\bparsing time.*/s, '…');

/** The actual value, with the recording's token wherever that stands for any value. */
function matched(actual: unknown, expected: unknown): unknown {
  if (typeof expected === 'string' && /^<[^>]+>$/.test(expected) && actual !== undefined) return expected;
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((each, index) => matched(each, expected[index]));
  if (!isObject(actual) || !isObject(expected)) return actual;
  return Object.fromEntries(Object.entries(actual).map(([key, inner]) => [key, matched(inner, expected[key])]));
}
