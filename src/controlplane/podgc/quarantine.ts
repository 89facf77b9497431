// Node names that pods point at and the cache does not know. A name is believed to be gone only after it was missing for
// the quarantine time, because caches of pods and nodes are filled one after the other.
// kubernetes:pkg/controller/podgc/gc_controller.go gcOrphaned
import type { DurationMs } from '../../base/clock.ts';

export class Quarantine {
  readonly #timeMs: DurationMs;
  /** When the wait of each name is over. */
  readonly #waiting = new Map<string, DurationMs>();

  constructor(timeMs: DurationMs) {
    this.#timeMs = timeMs;
  }

  /** A pass finds these names missing. Returns those whose wait is over; they and new ones begin to wait. */
  pass(missing: Iterable<string>, now: DurationMs): readonly string[] {
    const over = [...this.#waiting].flatMap(([name, until]) => (until <= now ? name : []));
    for (const name of over) this.#waiting.delete(name);
    const stillMissing = new Set(missing);
    for (const name of stillMissing) if (!this.#waiting.has(name)) this.#waiting.set(name, now + this.#timeMs);
    return over.filter((name) => stillMissing.has(name));
  }

  /** When the first wait is over. */
  get nextEnd(): DurationMs | undefined {
    return this.#waiting.size === 0 ? undefined : Math.min(...this.#waiting.values());
  }
}
