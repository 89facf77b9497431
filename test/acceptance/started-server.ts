// A `mooring apiserver` of its own, built and started for one test file, as a user starts it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import path from 'node:path';
import { parse } from 'yaml';
import { bundle } from '../../scripts/build/bundle.ts';
import { saidBy } from './said-by.ts';

/** The program in `folder`. Not in dist: other tests build there. */
export async function builtProgram(folder: string): Promise<string> {
  const program = path.join(folder, 'program');
  await bundle(program, { logLevel: 'error' });
  return path.join(program, 'mooring.js');
}

export interface Identity {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

export function identityIn(kubeconfig: string): Identity & { readonly server: string } {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { cluster } = clusters[0];
  const { user } = users[0];
  const decoded = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');
  return {
    server: cluster['server'] ?? '',
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
}

export class StartedServer {
  readonly kubeconfig: string;
  readonly said: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;

  private constructor(child: ChildProcess, kubeconfig: string, said: string) {
    this.#process = child;
    this.kubeconfig = kubeconfig;
    this.said = said;
    this.#ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }

  static async start(program: string, directory: string, ...words: readonly string[]): Promise<StartedServer> {
    const given = ['apiserver', '--data-dir', directory, '--port', '0', ...words];
    const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [said = ''] = (await saidBy(child, '\n')).split('\n');
    return new StartedServer(child, path.join(directory, 'kubeconfig'), said);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal);
    return this.#ended;
  }

  get identity(): ReturnType<typeof identityIn> {
    return identityIn(this.kubeconfig);
  }

  /** Over HTTP/1.1. `as` undefined: without a certificate. */
  ask(method: string, target: string, { body, headers = {}, as = this.identity }: AskOptions = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { ca, server } = this.identity;
      const request = https.request(
        new URL(target, server),
        { ca, ...as, method, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, chunks)));
        },
      );
      let isAnswered = false;
      request.on('response', () => (isAnswered = true));
      // An upload that is refused may break after its answer.
      request.on('error', (error) => (isAnswered ? undefined : reject(error)));
      request.end(body);
    });
  }

  /** Over HTTP/2. */
  askHttp2(method: string, target: string, body?: string, authority?: string): Promise<Answer> {
    const { server, ...identity } = this.identity;
    const session = http2.connect(server, identity);
    return new Promise<Answer>((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const named = authority === undefined ? {} : { ':authority': authority };
      const stream = session.request({ ':method': method, ':path': target, ...named, ...type });
      const chunks: Buffer[] = [];
      let head: http2.IncomingHttpHeaders = {};
      stream.on('response', (headers) => (head = headers));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => resolve(answerOf(Number(head[':status']), head, chunks)));
      stream.on('error', reject);
      stream.end(body);
    }).finally(() => session.close());
  }
}

interface AskOptions {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: { readonly cert?: Buffer | string; readonly key?: Buffer | string };
}

function answerOf(code: number, headers: Answer['headers'], chunks: readonly Buffer[]): Answer {
  const text = Buffer.concat(chunks).toString('utf8');
  const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { code, headers, text, json };
}
