// Time that runs `speed` times as fast as a real clock. What always holds: `now` is the start plus `speed` times the real
// time since then, except that it never passes a timer that has not fired. A process that was held up (a long collection
// of garbage, a machine asleep) therefore skips nothing: afterwards every timer that fell due fires in order, each at its
// own instant, with a turn of the event loop after each instant so that what it set off goes on before the next.
import {
  type Clock,
  type DurationMs,
  type InstantMs,
  type Timer,
  type TimerOptions,
  SECOND_MS,
  sleepOn,
} from './clock.ts';
import { assert } from './assert.ts';
import { type HeapEntry, TimerHeap } from './timer-heap.ts';

export interface ScaledClockOptions {
  /** Sets the pace: only its elapsed time and its timers are used, so that a step of its wall time changes nothing. */
  readonly real: Clock;
  /** Seconds here in one real second; 60 makes an hour of a minute. */
  readonly speed: number;
  readonly startsAt: InstantMs;
  /** What was set off and goes on outside of the process, a write to a disk: the next instant waits for it. */
  readonly settling?: () => Promise<void> | undefined;
}

/** How often an instant waits for what settles, since one thing leads to another; others may keep it busy for ever. */
const SETTLING_ROUNDS_MAX = 8;

interface ScaledTimer extends HeapEntry, Timer {
  readonly wake: () => void;
  readonly background: boolean;
}

/** The real timer for the earliest of ours. */
interface Alarm extends Timer {
  readonly forDue: InstantMs;
  readonly background: boolean;
}

/** A real second holds no more than eleven days: beyond that the milliseconds of a double begin to blur. */
const SPEED_MAX = 1_000_000_000 / SECOND_MS;

export class ScaledClock implements Clock {
  readonly #real: Clock;
  readonly #speed: number;
  readonly #startsAt: InstantMs;
  readonly #settling: () => Promise<void> | undefined;
  readonly #realStart: DurationMs;
  readonly #heap = new TimerHeap<ScaledTimer>();
  #sequence = 0;
  /** Timers in the heap that are not background ones. */
  #foreground = 0;
  /** The instant whose timers fire or whose consequences settle; time stands at it meanwhile. */
  #playing: InstantMs | undefined;
  #alarm: Alarm | undefined;

  constructor({ real, speed, startsAt, settling = () => undefined }: ScaledClockOptions) {
    assert(speed > 0 && speed <= SPEED_MAX, `the speed of a clock is above 0 and at most ${SPEED_MAX}`);
    this.#real = real;
    this.#speed = speed;
    this.#startsAt = startsAt;
    this.#settling = settling;
    this.#realStart = real.monotonic();
  }

  now(): InstantMs {
    if (this.#playing !== undefined) return this.#playing;
    const reached = this.#startsAt + Math.floor(this.#elapsed());
    return Math.min(reached, this.#heap.peek()?.due ?? reached);
  }

  monotonic(): DurationMs {
    return this.now() - this.#startsAt;
  }

  after(delay: DurationMs, wake: () => void, options: TimerOptions = {}): Timer {
    const background = options.background ?? false;
    const timer: ScaledTimer = {
      due: this.now() + Math.max(0, Math.ceil(delay)),
      sequence: this.#sequence++,
      position: -1,
      wake,
      background,
      cancel: () => {
        if (timer.position < 0) return;
        this.#take(timer);
        this.#arm();
      },
    };
    this.#heap.push(timer);
    if (!background) this.#foreground++;
    this.#arm();
    return timer;
  }

  sleep(delay: DurationMs, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
    return sleepOn(this, delay, signal, options);
  }

  /** What has passed here since the start, had no timer to be waited for. */
  #elapsed(): DurationMs {
    return (this.#real.monotonic() - this.#realStart) * this.#speed;
  }

  /** One alarm at the real clock, for the earliest timer; it keeps the process alive as long as any timer should. */
  #arm(): void {
    if (this.#playing !== undefined) return;
    const next = this.#heap.peek();
    const background = this.#foreground === 0;
    if (next !== undefined && this.#alarm?.forDue === next.due && this.#alarm.background === background) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (next === undefined) return;
    const realDelay = Math.max(0, (next.due - this.#startsAt - this.#elapsed()) / this.#speed);
    const timer = this.#real.after(realDelay, () => this.#ring(), { background });
    this.#alarm = { due: timer.due, cancel: () => timer.cancel(), forDue: next.due, background };
  }

  #ring(): void {
    this.#alarm = undefined;
    this.#playNext();
  }

  /** Plays the earliest instant if it is reached. Real timers may come a little early. */
  #playNext(): void {
    const next = this.#heap.peek();
    if (next === undefined || next.due - this.#startsAt > this.#elapsed()) return this.#arm();
    this.#playing = next.due;
    try {
      this.#fireDue(next.due);
    } finally {
      setImmediate(() => this.#settle(SETTLING_ROUNDS_MAX));
    }
  }

  #settle(rounds: number): void {
    const settling = rounds === 0 ? undefined : this.#settling();
    if (settling !== undefined) {
      const again = (): void => void setImmediate(() => this.#settle(rounds - 1));
      settling.then(again, again);
      return;
    }
    this.#playing = undefined;
    this.#playNext();
  }

  /** Timers set meanwhile for this instant fire in the next round of it, after all promises. */
  #fireDue(instant: InstantMs): void {
    const last = this.#sequence;
    for (
      let timer = this.#heap.peek();
      timer !== undefined && timer.due <= instant && timer.sequence < last;
      timer = this.#heap.peek()
    ) {
      this.#take(timer);
      timer.wake();
    }
  }

  #take(timer: ScaledTimer): void {
    this.#heap.remove(timer);
    if (!timer.background) this.#foreground--;
  }
}
