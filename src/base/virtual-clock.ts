// Time that only moves when told to. Everything in a simulated world waits on this clock, so an instant is over when no
// microtask is left: the clock runs all timers due now in the order they were set, yields once to the event loop (by then
// the engine has drained every microtask, in a fixed order) unless all of them say that they left none, and takes the next
// instant. Equal inputs give equal runs.
import {
  type DurationMs,
  type InstantMs,
  SETTLED,
  type Timer,
  type TimerOptions,
  type VirtualClock,
  sleepOn,
} from './clock.ts';
import { type HeapEntry, TimerHeap } from './timer-heap.ts';

/** A whole instant never takes this many rounds of timers unless components wake each other without end. */
const ROUNDS_PER_INSTANT_MAX = 100_000;

/** A class rather than an object of closures: every step of a run is one of these. */
class VirtualTimer implements HeapEntry, Timer {
  readonly due: InstantMs;
  readonly sequence: number;
  position = -1;
  readonly wake: () => unknown;
  readonly background: boolean;
  readonly #cancel: (timer: VirtualTimer) => void;

  constructor(
    times: { readonly due: InstantMs; readonly sequence: number },
    wake: () => unknown,
    background: boolean,
    cancel: (timer: VirtualTimer) => void,
  ) {
    this.due = times.due;
    this.sequence = times.sequence;
    this.wake = wake;
    this.background = background;
    this.#cancel = cancel;
  }

  cancel(): void {
    if (this.position >= 0) this.#cancel(this);
  }
}

export class SteppedClock implements VirtualClock {
  readonly #heap = new TimerHeap<VirtualTimer>();
  readonly #startedAt: InstantMs;
  #now: InstantMs;
  #sequence = 0;
  /** Timers in the heap that are not background ones. */
  #foreground = 0;
  readonly #cancel = (timer: VirtualTimer): void => this.#take(timer);
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

  after(delay: DurationMs, wake: () => unknown, options?: TimerOptions): Timer {
    const background = options?.background ?? false;
    const times = { due: this.#now + Math.max(0, Math.ceil(delay)), sequence: this.#sequence++ };
    const timer = new VirtualTimer(times, wake, background, this.#cancel);
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
      const settling = this.#playInstant(next.due);
      if (settling !== undefined) await settling;
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

  /** Plays as far as nothing is left to be settled; answers what is to be waited for, if anything is. */
  #playInstant(instant: InstantMs): Promise<void> | undefined {
    this.#now = instant;
    for (let round = 0; round < ROUNDS_PER_INSTANT_MAX; round++) {
      const fired = this.#fireDue();
      if (fired === 'none') return undefined;
      if (fired === 'unsettled') return this.#playOn(instant, round + 1);
    }
    throw standsStill(instant);
  }

  async #playOn(instant: InstantMs, rounds: number): Promise<void> {
    for (let round = rounds; round < ROUNDS_PER_INSTANT_MAX; round++) {
      await settle();
      if (this.#fireDue() === 'none') return;
    }
    throw standsStill(instant);
  }

  /** Fires what is due now; timers set meanwhile for this instant belong to the next round. */
  #fireDue(): 'none' | 'settled' | 'unsettled' {
    const last = this.#sequence;
    let fired: 'none' | 'settled' | 'unsettled' = 'none';
    for (
      let timer = this.#heap.peek();
      timer !== undefined && timer.due <= this.#now && timer.sequence < last;
      timer = this.#heap.peek()
    ) {
      this.#take(timer);
      this.fired++;
      const isSettled = timer.wake() === SETTLED;
      if (!isSettled) fired = 'unsettled';
      else if (fired === 'none') fired = 'settled';
    }
    return fired;
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

const standsStill = (instant: InstantMs): Error =>
  new Error(`time stands still: components wake each other without end at ${new Date(instant).toISOString()}`);
