// Load on an API server over HTTP/2, the same for every server: claims created and patched by many writers, listed, watched.
import http2 from 'node:http2';
import { performance } from 'node:perf_hooks';
import { identityIn } from '../acceptance/started-server.ts';

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const SESSIONS = 4;
/** Above what a list of ten thousand takes, so that the window of a stream is not what is measured. */
const WINDOW_BYTES = 64 * 1024 * 1024;

const claim = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', labels: { app: 'web', tier: 'data' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } },
  });

export class ApiLoad {
  readonly #sessions: readonly http2.ClientHttp2Session[];

  constructor(kubeconfig: string) {
    const { server, ...identity } = identityIn(kubeconfig);
    const settings = { initialWindowSize: WINDOW_BYTES };
    this.#sessions = Array.from({ length: SESSIONS }, () => http2.connect(server, { ...identity, settings }));
    for (const session of this.#sessions) {
      session.on('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
      session.on('error', () => undefined);
    }
  }

  /** A second. */
  creates(count: number, writers: number): Promise<number> {
    return this.#rate(count, writers, (index) => this.#ask('POST', CLAIMS, claim(`claim-${index}`)));
  }

  /** A second. */
  statusPatches(count: number, writers: number): Promise<number> {
    return this.#rate(count, writers, (index) => {
      const body = JSON.stringify({ status: { phase: 'Bound', capacity: { storage: `${(index % 90) + 10}Gi` } } });
      return this.#ask('PATCH', `${CLAIMS}/claim-${index % 1000}/status`, body);
    });
  }

  /** Milliseconds, of the fastest of several. */
  async list(times: number): Promise<{ readonly ms: number; readonly bytes: number }> {
    let best = { ms: Number.POSITIVE_INFINITY, bytes: 0 };
    for (let time = 0; time < times; time++) {
      const startedAt = performance.now();
      const bytes = await this.#ask('GET', CLAIMS);
      best = performance.now() - startedAt < best.ms ? { ms: performance.now() - startedAt, bytes } : best;
    }
    return best;
  }

  /** From the sending of a write to its arrival at a watcher, of all writes and watchers: milliseconds that 99 in 100 stay below. */
  async watchDelays({ watchers, writes, everyMs }: WatchLoad): Promise<number> {
    const sentAt = new Map<string, number>();
    const delays: number[] = [];
    const streams = Array.from({ length: watchers }, (_, index) => this.#watch(index, sentAt, delays));
    await Promise.all(streams.map(({ opened }) => opened));
    for (let index = 0; index < writes; index++) {
      const name = `watched-${index}`;
      sentAt.set(name, performance.now());
      await this.#ask('POST', CLAIMS, claim(name));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    const deadline = performance.now() + 10_000;
    while (delays.length < watchers * writes && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    for (const { close } of streams) close();
    if (delays.length < watchers * writes) throw new Error(`${delays.length} of ${watchers * writes} events came`);
    return delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)] ?? 0;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }

  async #rate(count: number, writers: number, write: (index: number) => Promise<unknown>): Promise<number> {
    let next = 0;
    const writer = async (): Promise<void> => {
      while (next < count) await write(next++);
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: writers }, writer));
    return count / ((performance.now() - startedAt) / 1000);
  }

  #watch(index: number, sentAt: ReadonlyMap<string, number>, delays: number[]) {
    const path = `${CLAIMS}?watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=false`;
    const stream = this.#session(index).request({ ':path': path, accept: 'application/json' });
    const opened = new Promise((resolve) => stream.once('response', resolve));
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const now = performance.now();
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const sent = sentAt.get(/"name":"(watched-\d+)"/.exec(line)?.[1] ?? '');
        if (sent !== undefined) delays.push(now - sent);
      }
    });
    stream.on('error', () => undefined);
    return { opened, close: () => stream.close(http2.constants.NGHTTP2_CANCEL) };
  }

  #session(index: number): http2.ClientHttp2Session {
    const session = this.#sessions[index % SESSIONS];
    if (session === undefined) throw new Error('there is a session');
    return session;
  }

  #next = 0;

  /** The size of the answer. */
  #ask(method: string, path: string, body?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const head = { ':method': method, ':path': path, accept: 'application/json', 'content-type': type };
      const stream = this.#session(this.#next++).request(head);
      let [code, size] = [0, 0];
      stream.on('response', (headers) => (code = headers[':status'] ?? 0));
      stream.on('data', (chunk: Buffer) => (size += chunk.length));
      stream.on('end', () => (code < 300 ? resolve(size) : reject(new Error(`${method} ${path}: ${code}`))));
      stream.on('error', reject);
      stream.end(body);
    });
  }
}

interface WatchLoad {
  readonly watchers: number;
  readonly writes: number;
  readonly everyMs: number;
}
