// A client of a cluster for benches, the same for every server: objects made by many writers, and waits for what becomes of them.
import http2 from 'node:http2';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { identityIn } from '../acceptance/started-server.ts';

const WRITERS = 32;
/** Above what a list of thousands takes, so that the window of a stream is not what is measured. */
const WINDOW_BYTES = 64 * 1024 * 1024;
/** Longer than anything takes that is measured, however busy the machine. */
const SEEN_MS_MAX = 300_000;
const MERGE = 'application/merge-patch+json';

export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly code: number;
  readonly text: string;
}

/** What a watch tells of one object. */
export interface Seen {
  readonly type: string;
  readonly object: Item;
}

export class ClusterClient {
  readonly #session: http2.ClientHttp2Session;

  constructor(kubeconfig: string) {
    const { server, ...identity } = identityIn(kubeconfig);
    this.#session = http2.connect(server, { ...identity, settings: { initialWindowSize: WINDOW_BYTES } });
    this.#session.on('connect', () => this.#session.setLocalWindowSize(WINDOW_BYTES));
    this.#session.on('error', () => undefined);
  }

  /** Throws where the server refuses. */
  async create(path: string, object: object): Promise<void> {
    const { code, text } = await this.#ask('POST', path, JSON.stringify(object));
    if (code !== 201) throw new Error(`POST ${path}: ${code} ${text}`);
  }

  /** All of them, by many writers. */
  async createAll(path: string, objects: readonly object[]): Promise<void> {
    await this.#forAll(objects, (object) => this.create(path, object));
  }

  async deleteAll(paths: readonly string[]): Promise<void> {
    await this.#forAll(paths, async (path) => {
      const { code, text } = await this.#ask('DELETE', path);
      if (code >= 300 && code !== 404) throw new Error(`DELETE ${path}: ${code} ${text}`);
    });
  }

  async patch(path: string, body: object): Promise<void> {
    const { code, text } = await this.#ask('PATCH', path, JSON.stringify(body), MERGE);
    if (code !== 200) throw new Error(`PATCH ${path}: ${code} ${text}`);
  }

  async text(path: string): Promise<string> {
    const { code, text } = await this.#ask('GET', path);
    if (code !== 200) throw new Error(`GET ${path}: ${code} ${text}`);
    return text;
  }

  async list(path: string): Promise<readonly Item[]> {
    return (JSON.parse(await this.text(path)) as { readonly items: readonly Item[] }).items;
  }

  /** Until `count` different objects of the path were seen to be so; by one watch. Answers how long that took from now. */
  untilSeen(path: string, count: number, isSo: (object: Item) => boolean): Promise<number> {
    const startedAt = performance.now();
    const names = new Set<string>();
    return new Promise((resolve, reject) => {
      const late = (): void => {
        stop();
        reject(new Error(`${names.size} of ${count} in ${path} after ${SEEN_MS_MAX} ms`));
      };
      const timer = setTimeout(late, SEEN_MS_MAX);
      const stop = this.watch(path, ({ type, object }) => {
        if (type === 'ERROR' || type === 'DELETED' || !isSo(object)) return;
        names.add(`${object.metadata.namespace}/${object.metadata.name}`);
        if (names.size < count) return;
        clearTimeout(timer);
        stop();
        resolve(performance.now() - startedAt);
      });
    });
  }

  /** What is there and what comes; answers how to end it. A server ends watches that fall behind: then all is told again. */
  watch(path: string, see: (seen: Seen) => void): () => void {
    let stream: http2.ClientHttp2Stream | undefined;
    let isWanted = true;
    const open = (): void => {
      if (!isWanted || this.#session.destroyed) return;
      stream = this.#session.request({ ':path': `${path}?watch=1`, accept: 'application/json' });
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        const lines = (text + chunk).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) if (isWanted) see(JSON.parse(line) as Seen);
      });
      stream.on('error', () => undefined);
      stream.once('close', open);
    };
    open();
    return () => {
      isWanted = false;
      stream?.close(http2.constants.NGHTTP2_CANCEL);
    };
  }

  close(): void {
    this.#session.destroy();
  }

  async #forAll<T>(given: readonly T[], act: (each: T) => Promise<void>): Promise<void> {
    const left = given.values();
    const writer = async (): Promise<void> => {
      for (const each of left) await act(each);
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
  }

  #ask(method: string, path: string, body?: string, type = 'application/json'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const named = body === undefined ? {} : { 'content-type': type };
      const head = { ':method': method, ':path': path, accept: 'application/json', ...named };
      const stream = this.#session.request(head);
      let [code, text] = [0, ''];
      stream.setEncoding('utf8');
      stream.on('response', (headers) => (code = headers[':status'] ?? 0));
      stream.on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => resolve({ code, text }));
      stream.on('error', reject);
      // A lost connection may tell no more than that.
      stream.on('close', () => reject(new Error(`${method} ${path}: no answer`)));
      stream.end(body);
    });
  }
}

/** Tries until it goes, for what is not there yet. */
export async function untilGoes<T>(what: string, act: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + 120_000; ; await pause(20)) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`two minutes in vain: ${what}`, { cause: error });
    }
  }
}
