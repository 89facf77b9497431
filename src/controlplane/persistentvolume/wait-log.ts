import { type Clock } from '../../base/clock.ts';
import { type ObjectKey } from '../../kube/object.ts';
import { type Reason } from '../../kube/reason.ts';
import { type Timeline } from '../../runtime/timeline.ts';

/** What each key waits for. One wait is one entry of the timeline, however often the key is looked at meanwhile. */
export class WaitLog {
  readonly #context: { readonly clock: Clock; readonly timeline: Timeline };
  readonly #about: { readonly actor: string; readonly kind: string };
  readonly #waits = new Map<ObjectKey, string>();

  constructor(
    context: { readonly clock: Clock; readonly timeline: Timeline },
    about: { readonly actor: string; readonly kind: string },
  ) {
    this.#context = context;
    this.#about = about;
  }

  waits(key: ObjectKey, waitingFor: string, reason: Reason): void {
    if (this.#waits.get(key) === waitingFor) return;
    this.#waits.set(key, waitingFor);
    const { clock, timeline } = this.#context;
    timeline.record({
      at: clock.now(),
      ...this.#about,
      verb: 'waits',
      key,
      detail: waitingFor,
      because: reason.entry,
    });
  }

  ended(key: ObjectKey): void {
    this.#waits.delete(key);
  }
}
