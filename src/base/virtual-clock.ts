// Time that only moves when told to. Everything in a simulated world waits on this clock, so an instant is over when no
// microtask is left: the clock runs all timers due now in the order they were set, yields once to the event loop (by then
// the engine has drained every microtask, in a fixed order), and takes the next instant. Equal inputs give equal runs.
import { type DurationMs, type InstantMs, type Timer, type TimerOptions, type VirtualClock, sleepOn } from './clock.ts';
import { type HeapEntry, TimerHeap } from './timer-heap.ts';

/** A whole instant never takes this many rounds of timers unless components wake each other without end. */
const ROUNDS_PER_INSTANT_MAX = 100_000;

interface VirtualTimer extends HeapEntry, Timer {
  readonly wake: () => void;
  readonly background: boolean;
}

export class SteppedClock implements VirtualClock {
  readonly #heap = new TimerHeap<VirtualTimer>();
  readonly #startedAt: InstantMs;
  #now: InstantMs;
  #sequence = 0;
  /** Timers in the heap that are not background ones. */
  #foreground = 0;
  /** Timers fired so far; what a run costs is proportional to it. */
  fired = 0;

  constructor(startsAt: InstantMs) {
    this.#startedAt = startsAt;
    this.#now = startsAt;
  }

  now(): InstantMs {
    return this.#now;
  }

  /** Timers that are set, background ones included. */
  get pendingTimers(): number {
    return this.#heap.size;
  }

  /** Timers that keep `advanceUntilQuiet` going. */
  get foregroundTimers(): number {
    return this.#foreground;
  }

  monotonic(): DurationMs {
    return this.#now - this.#startedAt;
  }

  after(delay: DurationMs, wake: () => void, options: TimerOptions = {}): Timer {
    const background = options.background ?? false;
    const timer: VirtualTimer = {
      due: this.#now + Math.max(0, Math.ceil(delay)),
      sequence: this.#sequence++,
      position: -1,
      wake,
      background,
      cancel: () => {
        if (timer.position >= 0) this.#take(timer);
      },
    };
    this.#heap.push(timer);
    if (!background) this.#foreground++;
    return timer;
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }

  async advanceTo(deadline: InstantMs): Promise<void> {
    await settle();
    for (let next = this.#heap.peek(); next !== undefined && next.due <= deadline; next = this.#heap.peek()) {
      await this.#playInstant(next.due);
    }
    this.#now = Math.max(this.#now, deadline);
  }

  async advanceUntilQuiet(limit: DurationMs): Promise<'quiet' | 'limit'> {
    const deadline = this.#now + limit;
    await settle();
    for (let next = this.#heap.peek(); next !== undefined && this.#foreground > 0; next = this.#heap.peek()) {
      if (next.due > deadline) {
        this.#now = deadline;
        return 'limit';
      }
      await this.#playInstant(next.due);
    }
    return 'quiet';
  }

  /** Plays the next instant, if there is one not after `deadline`; otherwise time is `deadline` afterwards. */
  async step(deadline: InstantMs): Promise<void> {
    await settle();
    const next = this.#heap.peek();
    if (next === undefined || next.due > deadline) this.#now = Math.max(this.#now, deadline);
    else await this.#playInstant(next.due);
  }

  async #playInstant(instant: InstantMs): Promise<void> {
    this.#now = instant;
    for (let round = 0; round < ROUNDS_PER_INSTANT_MAX; round++) {
      if (!this.#fireDue()) return;
      await settle();
    }
    throw new Error(`time stands still: components wake each other without end at ${new Date(instant).toISOString()}`);
  }

  /** Fires what is due now; timers set meanwhile for this instant belong to the next round. */
  #fireDue(): boolean {
    const last = this.#sequence;
    let any = false;
    for (
      let timer = this.#heap.peek();
      timer !== undefined && timer.due <= this.#now && timer.sequence < last;
      timer = this.#heap.peek()
    ) {
      this.#take(timer);
      this.fired++;
      any = true;
      timer.wake();
    }
    return any;
  }

  #take(timer: VirtualTimer): void {
    this.#heap.remove(timer);
    if (!timer.background) this.#foreground--;
  }
}

/** One turn of the event loop: every microtask has run when it returns. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
