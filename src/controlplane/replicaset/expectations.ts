// Which pods each set has asked for or given up and not yet seen appear or go. Until it has, its cache does not show what
// it did, and a pass over it would do the same again: too many pods, or too many deleted. Deletions are expected pod by
// pod, because a graceful one is seen twice: when it is asked for and when the pod is gone.
// kubernetes:pkg/controller/controller_utils.go#UIDTrackingControllerExpectations
import { type Clock, type DurationMs, MINUTE_MS } from '../../base/clock.ts';
import type { ObjectKey } from '../../kube/object.ts';

/** What is not seen by then will never be. kubernetes:pkg/controller/controller_utils.go */
export const EXPECTATIONS_TIMEOUT_MS: DurationMs = 5 * MINUTE_MS;

interface Expected {
  readonly since: DurationMs;
  creations: number;
  readonly deletions: Set<ObjectKey>;
}

export class Expectations {
  readonly #clock: Clock;
  readonly #bySet = new Map<ObjectKey, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what was expected before. */
  expectCreations(set: ObjectKey, count: number): void {
    this.#bySet.set(set, { since: this.#clock.monotonic(), creations: count, deletions: new Set() });
  }

  /** Takes the place of what was expected before. */
  expectDeletions(set: ObjectKey, pods: Iterable<ObjectKey>): void {
    this.#bySet.set(set, { since: this.#clock.monotonic(), creations: 0, deletions: new Set(pods) });
  }

  /** Also for a creation that did not come about. */
  creationObserved(set: ObjectKey): void {
    const expected = this.#bySet.get(set);
    if (expected !== undefined) expected.creations -= 1;
  }

  /** Also for a deletion that did not come about. */
  deletionObserved(set: ObjectKey, pod: ObjectKey): void {
    this.#bySet.get(set)?.deletions.delete(pod);
  }

  /** Nothing is open, or it has been open for too long to wait any more. */
  areMet(set: ObjectKey): boolean {
    const since = this.#bySet.get(set)?.since;
    if (since === undefined || !this.areOpen(set)) return true;
    return this.#clock.monotonic() - since > EXPECTATIONS_TIMEOUT_MS;
  }

  /** However long ago. */
  areOpen(set: ObjectKey): boolean {
    const expected = this.#bySet.get(set);
    return expected !== undefined && (expected.creations > 0 || expected.deletions.size > 0);
  }

  forget(set: ObjectKey): void {
    this.#bySet.delete(set);
  }
}
