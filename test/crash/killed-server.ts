// A started server under writers that is killed in the middle, again and again, on one directory. What it answered is kept
// here, and must be there afterwards.
import http2 from 'node:http2';
import { StartedServer } from '../acceptance/started-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Item[];
}
interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}
interface Event {
  readonly type: string;
  readonly object: Item & { readonly code?: number };
}

export interface Round {
  readonly acknowledged: number;
  readonly lost: readonly string[];
  /** Revision answered before, revision of the list after. */
  readonly wentBack: boolean;
  /** What a watch was told before the kill and is not there after it, or should not have been told. */
  readonly untold: readonly string[];
  /** How many events the watch that was open at the kill had got. */
  readonly events: number;
  /** Whether the watch from a version seen before the kill went on, with nothing missing, or was told that it is too old. */
  readonly watch: 'resumed' | 'expired' | 'missed something';
}

/** The newest acknowledged state of each object. */
interface Acknowledged {
  readonly revision: number;
  readonly value: string;
}

export interface KillOptions {
  readonly program: string;
  readonly directory: string;
  readonly writers: number;
  /** How many writes are acknowledged before the end, at least. Even. */
  readonly writes: number;
  readonly words?: readonly string[];
}

export class KilledServer {
  readonly #options: KillOptions;
  readonly #acknowledged = new Map<string, Acknowledged>();
  /** Values that were sent and not answered: they may be there or not. */
  readonly #sent = new Map<string, Set<string>>();
  /** The newest state of each object that the open watch told. */
  readonly #told = new Map<string, Acknowledged>();
  #toldRevision = 0;
  /** What the open watch should not have told. */
  readonly #faults: string[] = [];
  #events = 0;
  #revision = 0;
  #count = 0;
  #round = 0;
  /** The one of this round. */
  #server: StartedServer | undefined;

  constructor(options: KillOptions) {
    this.#options = options;
  }

  /** Starts the server, checks what it holds, lets writers at it, and kills it. */
  async round(): Promise<Round> {
    this.#round++;
    const { program, directory, words = [] } = this.#options;
    const server = await StartedServer.start(program, directory, ...words);
    this.#server = server;
    try {
      const checked = await this.#check(server);
      const before = [this.#count, this.#events] as const;
      await this.#write(server);
      return { acknowledged: this.#count - before[0], events: this.#events - before[1], ...checked };
    } finally {
      await server.stop('SIGKILL');
    }
  }

  /** Leaves nothing running, also where a round did not come to its end. */
  async stop(): Promise<void> {
    await this.#server?.stop('SIGKILL');
  }

  /** How far the open watch had seen in the middle of the last round. */
  #seen = 0;

  async #write(server: StartedServer): Promise<void> {
    const { writers, writes } = this.#options;
    const session = connect(server);
    void this.#follow(session);
    const end = this.#count + writes;
    const middle = end - writes / 2;
    let isRunning = true;
    let isSeen = false;
    let kill = (): void => undefined;
    const killed = new Promise<void>((resolve) => (kill = resolve));
    const writer = async (id: number): Promise<void> => {
      for (let turn = 0; isRunning; turn++) {
        await this.#writeOnce(session, `w-${id}-${turn % 5}`);
        // Several answers may have come since this one, so no count is sure to be met.
        if (!isSeen && this.#count >= middle) {
          isSeen = true;
          this.#seen = this.#toldRevision;
        }
        if (this.#count >= end) kill();
      }
    };
    const all = Array.from({ length: writers }, (_, id) => writer(id).catch(() => undefined));
    await killed;
    await server.stop('SIGKILL');
    isRunning = false;
    session.destroy();
    await Promise.all(all);
  }

  /** Watches until the server goes away. */
  async #follow(session: http2.ClientHttp2Session): Promise<void> {
    const query = `watch=1&resourceVersion=${this.#revision === 0 ? '' : this.#revision}`;
    try {
      for await (const event of eventsOf(session, query)) this.#take(event);
    } catch {
      // The server was killed; what it told until then counts.
    }
  }

  #take({ type, object }: Event): void {
    const revision = Number(object.metadata.resourceVersion);
    if (type !== 'ADDED' && type !== 'MODIFIED') this.#faults.push(`an event ${type}: ${JSON.stringify(object)}`);
    if (revision <= this.#toldRevision) this.#faults.push(`${revision} was told after ${this.#toldRevision}`);
    this.#events++;
    this.#toldRevision = revision;
    this.#told.set(object.metadata.name, { revision, value: object.data?.['value'] ?? '' });
  }

  async #writeOnce(session: http2.ClientHttp2Session, name: string): Promise<void> {
    const value = `${this.#round}-${Math.random()}`;
    const isNew = !this.#acknowledged.has(name) && !this.#sent.has(name);
    const sent = this.#sent.get(name) ?? new Set();
    this.#sent.set(name, sent.add(value));
    const metadata = { name, namespace: 'default' };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } });
    const { code, json } = isNew
      ? await ask(session, 'POST', MAPS, body)
      : await ask(session, 'PATCH', `${MAPS}/${name}`, JSON.stringify({ data: { value } }));
    if (code === 404) {
      // It was sent and not answered, and is not there: allowed.
      this.#sent.delete(name);
      return;
    }
    if (code !== 200 && code !== 201) throw new Error(`${code}: ${JSON.stringify(json)}`);
    const revision = Number((json as Item).metadata.resourceVersion);
    this.#acknowledged.set(name, { revision, value });
    this.#sent.set(name, new Set());
    this.#revision = Math.max(this.#revision, revision);
    this.#count++;
  }

  async #check(server: StartedServer): Promise<Omit<Round, 'acknowledged' | 'events'>> {
    if (this.#revision === 0) return { lost: [], untold: [], wentBack: false, watch: 'resumed' };
    const session = connect(server);
    const { json } = await ask(session, 'GET', MAPS);
    const list = json as Listed;
    const found = new Map(list.items.map((item) => [item.metadata.name, item]));
    const lost = [...this.#acknowledged].filter(([name, state]) => !this.#holds(found.get(name), name, state));
    const untold = [...this.#told].filter(([name, state]) => !isThere(found.get(name), state));
    const revision = Number(list.metadata.resourceVersion);
    const watch = await this.#watch(session, this.#seen, list);
    session.destroy();
    const wentBack = revision < this.#revision;
    this.#revision = Math.max(this.#revision, revision);
    return {
      lost: lost.map(([name]) => name),
      untold: [...untold.map(([name]) => name), ...this.#faults],
      wentBack,
      watch,
    };
  }

  /** As answered, or as asked for afterwards without an answer. */
  #holds(item: Item | undefined, name: string, { revision, value }: Acknowledged): boolean {
    if (item === undefined) return false;
    const now = Number(item.metadata.resourceVersion);
    const holds = item.data?.['value'] ?? '';
    if (now === revision) return holds === value;
    return now > revision && this.#sent.get(name)?.has(holds) === true;
  }

  async #watch(session: http2.ClientHttp2Session, since: number, list: Listed): Promise<Round['watch']> {
    const wanted = new Set(
      list.items.map(({ metadata }) => metadata.resourceVersion).filter((at) => Number(at) > since),
    );
    const query = `watch=1&resourceVersion=${since}&timeoutSeconds=5`;
    for await (const { type, object } of eventsOf(session, query)) {
      if (type === 'ERROR' && object.code === 410) return 'expired';
      wanted.delete(object.metadata.resourceVersion);
      if (wanted.size === 0) return 'resumed';
    }
    return wanted.size === 0 ? 'resumed' : 'missed something';
  }
}

/** What was told is durable: it is there, or something newer is. */
function isThere(item: Item | undefined, { revision, value }: Acknowledged): boolean {
  if (item === undefined) return false;
  const now = Number(item.metadata.resourceVersion);
  return now > revision || (now === revision && item.data?.['value'] === value);
}

async function* eventsOf(session: http2.ClientHttp2Session, query: string): AsyncGenerator<Event> {
  const stream = session.request({ ':path': `${MAPS}?${query}`, accept: 'application/json' });
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Event;
  }
}

function connect(server: StartedServer): http2.ClientHttp2Session {
  const { server: address, ...identity } = server.identity;
  const session = http2.connect(address, identity);
  session.on('error', () => undefined);
  return session;
}

interface Answered {
  readonly code: number;
  readonly text: string;
  readonly json: unknown;
}

function ask(session: http2.ClientHttp2Session, method: string, path: string, body?: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const stream = session.request({ ':method': method, ':path': path, 'content-type': type });
    let [code, text, isEnded] = [0, '', false];
    stream.setEncoding('utf8');
    stream.on('response', (headers) => (code = headers[':status'] ?? 0));
    stream.on('data', (chunk: string) => (text += chunk));
    stream.on('end', () => (isEnded = true));
    stream.on('error', reject);
    stream.on('close', () => {
      // A stream may end in the middle of its answer when its server is killed: that is no answer.
      const json = isEnded && code !== 0 ? parsed(text) : undefined;
      if (json === undefined) reject(new Error('the server went away'));
      else resolve({ code, text, json });
    });
    stream.end(body);
  });
}

/** undefined: it broke off. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
