// A `mooring controllers` of its own, started for one test as a user starts it.
import { type ChildProcess, spawn } from 'node:child_process';

export class StartedControllers {
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | null>;
  #out = '';
  #errors = '';

  private constructor(child: ChildProcess) {
    this.#process = child;
    child.stdout?.on('data', (chunk: Buffer) => (this.#out += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString('utf8')));
    this.#ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }

  static start(program: string, ...words: readonly string[]): StartedControllers {
    return new StartedControllers(
      spawn(process.execPath, [program, 'controllers', ...words], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  get said(): string {
    return this.#out;
  }

  get complained(): string {
    return this.#errors;
  }

  /** `HOST_UUID`, once it is said. */
  get identity(): string {
    return / as (\S+), Kubernetes/u.exec(this.#out)?.[1] ?? '';
  }

  /** When it ends by itself. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** The exit code; null for one that was killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal);
    return this.#ended;
  }
}
