// A pass that does not see what the pass before it wrote would write it again. This remembers, for each set, the newest
// revision that was written of each kind, and holds the set back until the caches have come that far. A set that was held
// is told to go on by the very change that shows it; one whose write never shows (made and gone between two looks at the
// server) goes on after a while.
// kubernetes:pkg/controller/util/consistency (gate StaleControllerConsistencyStatefulSet: on since 1.36)
import { type Clock, type DurationMs, SECOND_MS, type Timer } from '../../base/clock.ts';
import type { ObjectKey } from '../../kube/object.ts';

/** Upstream learns from bookmarks and lists how far a cache is. Here only changes tell, so patience needs an end. */
const HELD_MS_MAX: DurationMs = 10 * SECOND_MS;

/** Revisions are decimal numbers of any length. */
const isNewer = (left: string, right: string): boolean =>
  left.length === right.length ? left > right : left.length > right.length;

export class OwnWrites {
  readonly #clock: Clock;
  readonly #wake: (owner: ObjectKey) => void;
  /** The newest revision that the cache of each kind was told. */
  readonly #told = new Map<string, string>();
  /** What was written for each owner and not yet told, by kind. No entry is empty. */
  readonly #written = new Map<ObjectKey, Map<string, string>>();
  /** Owners that asked to go on and could not; each has something written. */
  readonly #held = new Map<ObjectKey, Timer>();

  constructor(clock: Clock, wake: (owner: ObjectKey) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  wrote(owner: ObjectKey, kind: string, resourceVersion: string): void {
    if (this.#isTold(kind, resourceVersion)) return;
    const written = this.#written.get(owner) ?? new Map<string, string>();
    this.#written.set(owner, written);
    const known = written.get(kind);
    if (known === undefined || isNewer(resourceVersion, known)) written.set(kind, resourceVersion);
  }

  told(kind: string, resourceVersion: string): void {
    if (this.#isTold(kind, resourceVersion)) return;
    this.#told.set(kind, resourceVersion);
    for (const owner of this.#held.keys()) {
      if (!this.#isOpen(owner)) this.#release(owner);
    }
  }

  /** False holds the owner: it is woken when it may go on. */
  mayGoOn(owner: ObjectKey): boolean {
    if (!this.#isOpen(owner)) return true;
    if (!this.#held.has(owner)) {
      const giveUp = (): void => {
        this.#written.delete(owner);
        this.#release(owner);
      };
      this.#held.set(owner, this.#clock.after(HELD_MS_MAX, giveUp, { background: true }));
    }
    return false;
  }

  forget(owner: ObjectKey): void {
    this.#written.delete(owner);
    this.#held.get(owner)?.cancel();
    this.#held.delete(owner);
  }

  /** Nobody is woken any more. */
  dispose(): void {
    for (const timer of this.#held.values()) timer.cancel();
    this.#held.clear();
  }

  #isTold(kind: string, resourceVersion: string): boolean {
    const told = this.#told.get(kind);
    return told !== undefined && !isNewer(resourceVersion, told);
  }

  /** Whether something of the owner is not told yet; what is told is dropped. */
  #isOpen(owner: ObjectKey): boolean {
    const written = this.#written.get(owner);
    for (const [kind, resourceVersion] of written ?? []) {
      if (this.#isTold(kind, resourceVersion)) written?.delete(kind);
    }
    if (written?.size === 0) this.#written.delete(owner);
    return this.#written.has(owner);
  }

  #release(owner: ObjectKey): void {
    this.#held.get(owner)?.cancel();
    this.#held.delete(owner);
    this.#wake(owner);
  }
}
