// Carries watch events from the server to in-process sinks after a delay. All deliveries of one instant share one timer and
// run in the order they were sent; without delay they run in a microtask, so a sink is never called inside a write.
import { type Clock, type DurationMs, SETTLED } from '../base/clock.ts';

type Delivery = () => unknown;

export class DeliveryQueue {
  readonly #clock: Clock;
  /** Deliveries by the instant they are due, on the monotonic clock. Each has one timer. */
  readonly #due = new Map<DurationMs, Delivery[]>();
  /** Deliveries without delay. Not empty exactly while a microtask is on its way to run them. */
  #now: Delivery[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers the instant of delivery. It is never before `notBefore`, which keeps the order of a stream. */
  send(delay: DurationMs, notBefore: DurationMs, deliver: Delivery): DurationMs {
    const now = this.#clock.monotonic();
    const at = Math.max(now + Math.ceil(delay), notBefore);
    if (at <= now) this.#sendNow(deliver);
    else this.#sendAt(at, now, deliver);
    return at;
  }

  #sendNow(deliver: Delivery): void {
    this.#now.push(deliver);
    if (this.#now.length > 1) return;
    void Promise.resolve().then(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#now;
    this.#now = [];
    for (const deliver of batch) deliver();
  }

  #sendAt(at: DurationMs, now: DurationMs, deliver: Delivery): void {
    const batch = this.#due.get(at);
    if (batch !== undefined) {
      batch.push(deliver);
      return;
    }
    const fresh = [deliver];
    this.#due.set(at, fresh);
    this.#clock.after(at - now, () => {
      this.#due.delete(at);
      let isSettled = true;
      for (const each of fresh) if (each() !== SETTLED) isSettled = false;
      return isSettled ? SETTLED : undefined;
    });
  }
}
