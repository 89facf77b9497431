// Plays hostile requests against a server in this process and judges what comes back: an answer to each, never one that
// admits a bug, never a path of our source, and no memory kept when all is over.
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { byCertificate, mastersOnly } from '../../src/apiserver/http/authentication.ts';
import { Endpoint } from '../../src/apiserver/http/endpoint.ts';
import { type HttpAnswer, type HttpRequest, requireBodySize } from '../../src/apiserver/http/http-exchange.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { tableStrategies } from '../../src/apiserver/registry/table-kinds.ts';
import type { Log } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { servedAdmission } from '../../src/cli/served-admission.ts';
import { type HostileRequest, hostileRequest, recordedSteps } from './hostile-requests.ts';

const STARTS_AT = Date.UTC(2026, 0, 5, 8);
const STEP_MS = 500;
/** Between two looks at the clock, so that waits and watches end. */
const STEPS_MAX = 100;
/** Objects are swept away now and then: the fuzz is about requests, not about a full store. */
const REQUESTS_A_SERVER = 2000;
const ADMINISTRATOR = { commonName: 'fuzz', organizations: ['system:masters'], isTrusted: true };
/** What may be said with code 500: upstream's own words for what it cannot class. Ours admits a bug. */
const ADMITS_A_BUG = 'the request could not be served';
/** A line of a stack trace names a file before line and column; a time of day has no file before it. */
const SOURCE = /\/src\/[\w-]+\/|node:internal|\bat \S[^"]*(?:\.[cm]?[jt]s|<anonymous>):\d+:\d+/;

export interface FuzzResult {
  readonly requests: number;
  readonly byCode: ReadonlyMap<number, number>;
  /** One line each, with the request that did it. */
  readonly failures: readonly string[];
}

export interface FuzzOptions {
  readonly seed: string;
  readonly requests: number;
}

export async function fuzz({ seed, requests }: FuzzOptions): Promise<FuzzResult> {
  const steps = recordedSteps();
  const random = new SeededRandom(`fuzz/${seed}`);
  const byCode = new Map<number, number>();
  const failures: string[] = [];
  let scene = newScene(seed);
  for (let index = 0; index < requests; index++) {
    if (index % REQUESTS_A_SERVER === 0) scene = newScene(`${seed}/${index}`);
    const sent = hostileRequest(steps, random);
    const { code, fault } = await judged(scene, sent);
    byCode.set(code, (byCode.get(code) ?? 0) + 1);
    if (fault !== undefined) failures.push(`#${index} ${fault}: ${told(sent)}`);
  }
  return { requests, byCode, failures };
}

const told = ({ method, path, headers, body }: HostileRequest): string =>
  `${method} ${path} ${JSON.stringify(headers)} ${body.toString('utf8').slice(0, 600)}`;

export interface Scene {
  readonly endpoint: Endpoint;
  readonly clock: SteppedClock;
  /** What the server told its log about requests that failed. */
  readonly bugs: string[];
}

export function newScene(seed: string): Scene {
  const clock = new SteppedClock(STARTS_AT);
  const random = new SeededRandom(seed);
  const bugs: string[] = [];
  const log: Log = {
    write: (level, message, fields) => {
      if (level === 'error') bugs.push(`${message} ${JSON.stringify(fields ?? {})}`);
    },
  };
  const own = defaultStrategies();
  const server: ApiServer = new ApiServer({
    clock,
    random,
    store: new ObjectStore(),
    strategies: [...own, ...tableStrategies(own)],
    admission: servedAdmission({ clock, random, server: () => server }),
    authorizer: mastersOnly,
  });
  server.bootstrap();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fuzz' } };
  const resource = server.resources.find(({ plural }) => plural === 'namespaces');
  if (resource === undefined) throw new Error('a server has namespaces');
  server.handle(
    { verb: 'create', resource, namespace: undefined, object: namespace },
    { name: 'fuzz', groups: ADMINISTRATOR.organizations },
  );
  const endpoint = new Endpoint({
    server,
    clock,
    log,
    authenticators: [byCertificate],
    authorizer: mastersOnly,
    names: ['localhost'],
    address: () => 'localhost:6443',
  });
  return { endpoint, clock, bugs };
}

async function judged(scene: Scene, sent: HostileRequest): Promise<{ readonly code: number; readonly fault?: string }> {
  try {
    const answer = await answerOf(scene, sent);
    if (answer === undefined) return { code: 0, fault: 'no answer' };
    const bug = scene.bugs.shift();
    if (bug !== undefined) return { code: 500, fault: bug };
    if (answer.type === 'tunnel') return { code: 101, fault: 'joined to nothing' };
    if (answer.type === 'stream') return await streamFault(answer, scene.clock);
    const body = Buffer.from(answer.body).toString('utf8');
    if (body.includes(ADMITS_A_BUG)) return { code: answer.code, fault: 'admits a bug' };
    const source = answer.code >= 400 ? body.search(SOURCE) : -1;
    if (source >= 0)
      return {
        code: answer.code,
        fault: `tells of the source: ${body.slice(Math.max(0, source - 100), source + 100)}`,
      };
    return { code: answer.code };
  } catch (error) {
    return { code: 0, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** An honest request. */
export const askedOf = (
  scene: Scene,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: object },
): Promise<HttpAnswer | undefined> =>
  answerOf(scene, {
    method,
    path,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
  });

/** Moves the clock while the answer waits for it. */
async function answerOf({ endpoint, clock }: Scene, sent: HostileRequest): Promise<HttpAnswer | undefined> {
  let answer: HttpAnswer | undefined;
  let fault: Error | undefined;
  void endpoint.answer(requestOf(sent)).then(
    (given) => (answer = given),
    (error: unknown) => (fault = error instanceof Error ? error : new Error(String(error))),
  );
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (fault !== undefined) throw fault;
    if (answer !== undefined) return answer;
    await clock.advanceTo(clock.now() + STEP_MS);
  }
  return undefined;
}

/** A stream opens, takes time, and can be left. */
async function streamFault(
  answer: Extract<HttpAnswer, { type: 'stream' }>,
  clock: SteppedClock,
): Promise<{ readonly code: number; readonly fault?: string }> {
  let faulty = '';
  const open = answer.open({
    write: (bytes) => {
      if (Buffer.from(bytes).includes(ADMITS_A_BUG)) faulty = 'a stream admits a bug';
      return true;
    },
    end: () => undefined,
    abort: () => undefined,
  });
  await clock.advanceTo(clock.now() + STEP_MS);
  open.drained();
  open.dispose();
  return faulty === '' ? { code: answer.code } : { code: answer.code, fault: faulty };
}

function requestOf({ method, path, headers, body }: HostileRequest): HttpRequest {
  const [bare = '', query = ''] = path.split(/\?(.*)/s);
  return {
    method,
    path: bare,
    query: new URLSearchParams(query),
    header: (name) => headers[name] ?? '',
    headers: Object.entries(headers),
    certificate: ADMINISTRATOR,
    body: () => {
      requireBodySize(body.length);
      return Promise.resolve(body);
    },
  };
}
