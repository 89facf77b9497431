import type { Clock } from '../base/clock.ts';
import type { ObjectKey } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { Timeline } from './timeline.ts';

/** What each key waits for. One wait is one entry of the timeline, however often the key is looked at meanwhile. */
export class WaitLog {
  readonly #context: { readonly clock: Clock; readonly timeline: Timeline };
  readonly #about: { readonly actor: string; readonly kind: string };
  /** Waits that have not ended, with the entry that says so. */
  readonly #waits = new Map<ObjectKey, { readonly waitingFor: string; readonly entry: number }>();

  constructor(
    context: { readonly clock: Clock; readonly timeline: Timeline },
    about: { readonly actor: string; readonly kind: string },
  ) {
    this.#context = context;
    this.#about = about;
  }

  /** Returns the number of the entry. */
  waits(key: ObjectKey, waitingFor: string, reason: Reason): number {
    const known = this.#waits.get(key);
    if (known?.waitingFor === waitingFor) return known.entry;
    const { clock, timeline } = this.#context;
    const entry = timeline.record({
      at: clock.now(),
      ...this.#about,
      verb: 'waits',
      key,
      detail: waitingFor,
      because: reason.entry,
    });
    this.#waits.set(key, { waitingFor, entry });
    return entry;
  }

  ended(key: ObjectKey): void {
    this.#waits.delete(key);
  }
}
