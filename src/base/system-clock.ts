import { type Clock, type DurationMs, type InstantMs, type Timer, type TimerOptions, sleepOn } from './clock.ts';

/** The longest delay that the platform's own timers hold; longer ones are set in steps. */
const PLATFORM_DELAY_MS_MAX = 2 ** 31 - 1;

/** The machine's own time. Background timers do not keep the process alive. */
export class SystemClock implements Clock {
  now(): InstantMs {
    return Date.now();
  }

  monotonic(): DurationMs {
    return performance.now();
  }

  after(delay: DurationMs, wake: () => void, options: TimerOptions = {}): Timer {
    let handle: NodeJS.Timeout | undefined;
    const set = (left: DurationMs): void => {
      const step = Math.min(Math.max(left, 0), PLATFORM_DELAY_MS_MAX);
      handle = setTimeout(() => (left > step ? set(left - step) : wake()), step);
      if (options.background === true) handle.unref();
    };
    set(delay);
    return { due: this.now() + delay, cancel: () => clearTimeout(handle) };
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }
}
