import type { Clock, DurationMs } from '../../base/clock.ts';
import type { ObjectKey } from '../../kube/object.ts';

/** Claims that the driver called infeasible: they rest until asked for something else. csi-lib-utils:slowset */
export class SlowSet {
  readonly #clock: Clock;
  readonly #restMs: DurationMs;
  readonly #since = new Map<ObjectKey, DurationMs>();

  constructor(clock: Clock, restMs: DurationMs) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  /** A claim that rests already rests no longer for it. */
  add(key: ObjectKey): void {
    if (this.restLeftMs(key) <= 0) this.#since.set(key, this.#clock.monotonic());
  }

  /** 0 for a claim that does not rest. */
  restLeftMs(key: ObjectKey): DurationMs {
    const since = this.#since.get(key);
    return since === undefined ? 0 : Math.max(0, since + this.#restMs - this.#clock.monotonic());
  }

  delete(key: ObjectKey): void {
    this.#since.delete(key);
  }
}
