// Time as one process has it. Wall time may be stepped away from the world's; elapsed time is the world's. The timers of a
// process that stands still are kept and go off together when it goes on.
import {
  type Clock,
  type DurationMs,
  type InstantMs,
  SETTLED,
  type Timer,
  type TimerOptions,
  sleepOn,
} from '../../base/clock.ts';
import type { Gate } from './gate.ts';

export interface ProcessClockParts {
  readonly clock: Clock;
  readonly gate: Gate;
  /** How far wall time is ahead of the world's. */
  readonly offsetMs: () => DurationMs;
}

export class ProcessClock implements Clock {
  readonly #parts: ProcessClockParts;

  constructor(parts: ProcessClockParts) {
    this.#parts = parts;
  }

  now(): InstantMs {
    return this.#parts.clock.now() + this.#parts.offsetMs();
  }

  monotonic(): DurationMs {
    return this.#parts.clock.monotonic();
  }

  after(delay: DurationMs, wake: () => unknown, options?: TimerOptions): Timer {
    return new ProcessTimer(this.#parts, wake, delay, options);
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }
}

/** A class rather than an object of closures: most steps of a run are timers of processes. */
class ProcessTimer implements Timer {
  readonly due: InstantMs;
  readonly #wake: () => unknown;
  readonly #timer: Timer;
  #isCancelled = false;

  constructor(
    { clock, gate, offsetMs }: ProcessClockParts,
    wake: () => unknown,
    delay: DurationMs,
    options: TimerOptions | undefined,
  ) {
    this.#wake = wake;
    this.#timer = clock.after(delay, () => (gate.isOpen ? this.#ring() : gate.run(() => this.#ring())), options);
    this.due = this.#timer.due + offsetMs();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer.cancel();
  }

  #ring(): unknown {
    return this.#isCancelled ? SETTLED : this.#wake();
  }
}
