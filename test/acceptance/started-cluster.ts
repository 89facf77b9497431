// A `mooring up` of its own, started for one test as a user starts it, and kubectl for it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { saidBy } from './said-by.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** As the probe tells it. */
export interface Held {
  readonly heapBytes: number;
  /** How many of each kind keep the process alive: timers, sockets. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Of all that it prints before it waits. */
const LAST_WORD = 'volumeattachments';
const PROBE = 'test/acceptance/memory-probe.mjs';

export class StartedCluster {
  readonly directory: string;
  readonly said: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;

  private constructor(child: ChildProcess, directory: string, said: string) {
    this.#process = child;
    this.directory = directory;
    this.said = said;
    this.#ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }

  static start(program: string, directory: string, ...words: readonly string[]): Promise<StartedCluster> {
    return StartedCluster.#start(spawned([program], directory, words), directory);
  }

  /** One that can be asked what it holds. */
  static startProbed(program: string, directory: string, ...words: readonly string[]): Promise<StartedCluster> {
    const probed = ['--import', pathToFileURL(PROBE).href, program];
    return StartedCluster.#start(spawned(probed, directory, words, 'ipc'), directory);
  }

  static async #start(child: ChildProcess, directory: string): Promise<StartedCluster> {
    return new StartedCluster(child, directory, await saidBy(child, LAST_WORD));
  }

  /** What the process holds after everything that nobody reaches was collected. */
  async held(): Promise<Held> {
    const answer = once(this.#process, 'message');
    this.#process.send('what do you hold?');
    const [held] = (await answer) as [unknown];
    return held as Held;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get kubeconfig(): string {
    return path.join(this.directory, 'kubeconfig');
  }

  /** The exit code of one that somebody else stops; a signal more would kill what is about to end. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** The exit code; null for one that was killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal);
    return this.#ended;
  }

  /** Discovery is cached below HOME: one of our own, or another server's kinds would be found. */
  kubectl(program: string, ...words: readonly string[]): Ran {
    const env = { ...process.env, HOME: this.directory, KUBECONFIG: this.kubeconfig };
    const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env });
    return { code: status, out: stdout, err: stderr };
  }
}

function spawned(
  program: readonly string[],
  directory: string,
  words: readonly string[],
  ...channel: readonly 'ipc'[]
): ChildProcess {
  const given = [...program, 'up', '--data-dir', directory, '--port', '0', ...words];
  return spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'pipe', ...channel] });
}
