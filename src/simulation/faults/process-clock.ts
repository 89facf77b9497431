// Time as one process has it. Wall time may be stepped away from the world's; elapsed time is the world's. The timers of a
// process that stands still are kept and go off together when it goes on.
import {
  type Clock,
  type DurationMs,
  type InstantMs,
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

  after(delay: DurationMs, wake: () => void, options?: TimerOptions): Timer {
    const { clock, gate, offsetMs } = this.#parts;
    const state = { cancelled: false };
    const ring = (): void => {
      if (!state.cancelled) wake();
    };
    const timer = clock.after(delay, () => gate.run(ring), options);
    return {
      due: timer.due + offsetMs(),
      cancel: () => {
        state.cancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }
}
