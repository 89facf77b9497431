// Requests that nobody sends in good faith: those of the recordings, with anything in them replaced, doubled, cut or swapped,
// and some that never were requests. The same seed makes the same requests.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../src/base/random.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface RecordedStep {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly base64?: string;
}
type Choices<T> = readonly [T, ...T[]];

const NAMESPACE = 'fuzz';
const METHODS: Choices<string> = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'FROB'];
const TYPES: Choices<string> = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'text/plain; charset=utf-8',
  ';;;',
];
const ACCEPTS: Choices<string> = [
  '*/*',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;q=0.1,*/*;q=nan',
  ','.repeat(200),
  'a/b;c="',
];
const QUERIES: Choices<string> = [
  'limit=1',
  'limit=-9223372036854775808',
  'continue=AAAA',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvIn0',
  'labelSelector=a%20in%20(b',
  'labelSelector=%2C%2C%2C',
  'labelSelector=!!a',
  'fieldSelector=metadata.name%3D%5C',
  'fieldSelector=%3D',
  'resourceVersion=0',
  'resourceVersion=99999999999999999999',
  'resourceVersionMatch=Exact&resourceVersion=1',
  'watch=true&timeoutSeconds=1',
  'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  'dryRun=All',
  'dryRun=None',
  'fieldManager=%00',
  'fieldManager=m&force=true',
  'fieldValidation=Strict',
  'fieldValidation=Warn',
  'pretty=true',
  'propagationPolicy=Orphan',
  'gracePeriodSeconds=-1',
  'includeObject=Object',
  '%',
  '&&&=&',
  '__proto__=1&constructor=2',
];
const WORDS: Choices<string> = [
  '__proto__',
  'constructor',
  'toString',
  '..',
  '%2f',
  '%00',
  '%zz',
  '',
  'status',
  'scale',
  'proxy',
  'log',
  'exec',
  'eviction',
  'watch',
  'a'.repeat(300),
  'ü',
];
const VALUES: Choices<unknown> = [
  null,
  true,
  '',
  'x'.repeat(5000),
  0,
  -1,
  1e308,
  2 ** 63,
  [],
  {},
  [[[[]]]],
  { $patch: 'delete' },
  { $patch: 'frob' },
  '1e1000000',
  '99999999999999999999Ei',
  '-0.0000000001n',
  '2021-13-45T99:99:99Z',
  '\u0000\uD800',
  'a/b/c/d',
  { __proto__: null, constructor: 1 },
  [null, {}, 'x', 1],
];

/** Every step of the recordings, as something to begin with. */
export function recordedSteps(): readonly RecordedStep[] {
  return ['test/truth/wire/cases', 'test/truth/wire-more/cases'].flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .flatMap((file) => stepsIn(readFileSync(path.join(folder, file), 'utf8'))),
  );
}

function stepsIn(text: string): readonly RecordedStep[] {
  const filled = text.replaceAll(/\$\{\w+\}/g, NAMESPACE);
  const { steps, setup = [] } = JSON.parse(filled) as { steps: RecordedStep[]; setup?: RecordedStep[] };
  return [...setup, ...steps];
}

export function hostileRequest(steps: readonly RecordedStep[], random: Random): HostileRequest {
  const step = steps[random.int(0, steps.length)] ?? {};
  const { method = 'POST', path: target = '/', headers = {} } = step;
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name.toLowerCase(), value]],
  );
  return {
    method: random.chance(0.1) ? random.pick(METHODS) : method,
    path: hostilePath(target, random),
    headers: hostileHeaders(Object.fromEntries(given), random),
    body: hostileBody(step, random),
  };
}

function hostilePath(target: string, random: Random): string {
  const [bare = '/', query = ''] = target.split(/\?(.*)/s);
  const words = bare.split('/');
  if (random.chance(0.15)) words[random.int(0, words.length)] = random.pick(WORDS);
  if (random.chance(0.05)) words.splice(random.int(0, words.length), 1);
  if (random.chance(0.05)) words.push(random.pick(WORDS));
  const asked = random.chance(0.3) ? [query, random.pick(QUERIES)].filter((each) => each !== '').join('&') : query;
  return `${words.join('/')}${asked === '' ? '' : `?${asked}`}`;
}

function hostileHeaders(headers: Readonly<Record<string, string>>, random: Random): Readonly<Record<string, string>> {
  const { 'content-type': type = 'application/json' } = headers;
  return {
    ...headers,
    'content-type': random.chance(0.1) ? random.pick(TYPES) : type,
    accept: random.chance(0.2) ? random.pick(ACCEPTS) : (headers['accept'] ?? 'application/json'),
    ...(random.chance(0.03) ? { 'user-agent': '\u00ff'.repeat(300) } : {}),
    ...(random.chance(0.03) ? { 'impersonate-user': 'x', 'impersonate-extra-%zz': 'y' } : {}),
    ...(random.chance(0.03) ? { authorization: 'Bearer a.b.c' } : {}),
    ...(random.chance(0.03) ? { connection: 'Upgrade', upgrade: 'websocket' } : {}),
  };
}

function hostileBody({ body, text, base64 }: RecordedStep, random: Random): Buffer {
  if (base64 !== undefined) return broken(Buffer.from(base64, 'base64'), random);
  if (text !== undefined) return broken(Buffer.from(text), random);
  if (body === undefined && !random.chance(0.1)) return Buffer.alloc(0);
  const changed = random.chance(0.7) ? mutated(body ?? {}, random, 1 + random.int(0, 3)) : body;
  const bytes = Buffer.from(random.chance(0.005) ? bottomless(random) : JSON.stringify(changed ?? null));
  return random.chance(0.05) ? broken(bytes, random) : bytes;
}

/** Nested without a sensible end, closed or not. */
function bottomless(random: Random): string {
  const depth = random.int(500, 20_000);
  const [open, close] = random.pick<readonly [string, string]>([
    ['[', ']'],
    ['{"a":', '}'],
  ]);
  return `{"data":${open.repeat(depth)}${random.chance(0.5) ? `1${close.repeat(depth)}}` : ''}`;
}

/** Bytes cut, turned and doubled. */
function broken(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes.subarray(0, random.int(0, bytes.length + 1)));
  for (let left = random.int(0, 8); left > 0 && copy.length > 0; left--)
    copy[random.int(0, copy.length)] = random.int(0, 256);
  return random.chance(0.1) ? Buffer.concat([copy, copy]) : copy;
}

/** The value with something in it replaced, removed, renamed or doubled. */
function mutated(value: unknown, random: Random, times: number): unknown {
  let result = value;
  for (let left = times; left > 0; left--) result = mutatedOnce(result, random);
  return result;
}

function mutatedOnce(value: unknown, random: Random): unknown {
  if (random.chance(0.15) || typeof value !== 'object' || value === null) return random.pick(VALUES);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...(value as unknown[]), random.pick(VALUES)];
    const at = random.int(0, value.length);
    return value.map((each: unknown, index) => (index === at ? mutatedOnce(each, random) : each));
  }
  const entries = Object.entries(value);
  const at = random.int(0, entries.length + 1);
  if (at === entries.length) return { ...value, [random.pick(WORDS)]: random.pick(VALUES) };
  return Object.fromEntries(
    entries.flatMap(([name, each], index): [string, unknown][] => {
      if (index !== at) return [[name, each]];
      if (random.chance(0.1)) return [];
      return [[random.chance(0.1) ? random.pick(WORDS) : name, mutatedOnce(each, random)]];
    }),
  );
}
