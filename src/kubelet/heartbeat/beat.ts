// Something done again and again, each time a little later than the period says, counted from the end of the last time.
// Nothing that a world stays awake for, unless somebody waits for the next beat.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/util/wait JitterUntil, sliding
import { Aborted, type Clock, type DurationMs, SETTLED, type Timer } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { reportFailure, supervise } from '../../runtime/supervise.ts';

/** Node status and lease: kubernetes:pkg/kubelet/kubelet.go, component-helpers:apimachinery/lease/controller.go */
const JITTER = 0.04;

export interface BeatOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly periodMs: DurationMs;
  /** From the first time to the second, instead of a jittered period. */
  readonly firstPeriodMs?: DurationMs;
  /** A pass that goes on without a promise answers undefined and ends by `ended` or `endsWith`. */
  pass(): Promise<void> | undefined;
}

export class Beat {
  readonly #options: BeatOptions;
  readonly #due = (): unknown => this.#beat();
  #timer: Timer | undefined;
  #wanted = false;
  #passes = 0;

  constructor(options: BeatOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
  }

  /** The first time is now. */
  start(): void {
    this.#beat();
  }

  /** The pass is over. */
  ended(): unknown {
    if (!this.#options.signal.aborted) this.#set(this.#nextMs());
    return SETTLED;
  }

  /** The pass is over when the promise is settled. */
  endsWith(passing: Promise<void>): void {
    supervise(this.#options.name, this.#follow(passing), this.#options.log);
  }

  /** Somebody waits for the next beat: it comes when it comes, but it keeps the world awake. */
  want(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    if (this.#timer === undefined) return;
    const { clock } = this.#options;
    const { due } = this.#timer;
    this.#timer.cancel();
    this.#set(due - clock.now());
  }

  #beat(): unknown {
    this.#timer = undefined;
    this.#wanted = false;
    const passing = this.#options.pass();
    if (passing === undefined) return SETTLED;
    this.endsWith(passing);
    return undefined;
  }

  async #follow(passing: Promise<void>): Promise<void> {
    const { log, name } = this.#options;
    try {
      await passing;
    } catch (error) {
      if (error instanceof Aborted) return;
      reportFailure(name, error, log);
    }
    this.ended();
  }

  #nextMs(): DurationMs {
    const { firstPeriodMs, periodMs, random } = this.#options;
    this.#passes++;
    if (this.#passes === 1 && firstPeriodMs !== undefined) return firstPeriodMs;
    return periodMs * (1 + JITTER * random.fraction());
  }

  #set(delay: DurationMs): void {
    this.#timer = this.#options.clock.after(delay, this.#due, { background: !this.#wanted });
  }
}
