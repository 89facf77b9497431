import { type Clock } from '../../base/clock.ts';
import { type Reason } from '../../kube/reason.ts';
import { type Timeline } from '../../runtime/timeline.ts';
import { type Pair, keyOfPair } from './pair.ts';

export interface AttachLogParts {
  readonly clock: Clock;
  readonly timeline: Timeline;
  readonly actor: string;
}

/** What this controller does without writing an object: it waits, and it forces. One wait is one entry of the timeline. */
export class AttachLog {
  readonly #parts: AttachLogParts;
  /** What each volume waits for on a node. */
  readonly #waits = new Map<string, string>();

  constructor(parts: AttachLogParts) {
    this.#parts = parts;
  }

  waits(pair: Pair, waitingFor: string, reason: Reason): void {
    const key = keyOfPair(pair);
    if (this.#waits.get(key) === waitingFor) return;
    this.#waits.set(key, waitingFor);
    this.#record(pair, { verb: 'waits', detail: waitingFor }, reason);
  }

  ended(pair: Pair): void {
    this.#waits.delete(keyOfPair(pair));
  }

  /** A volume that another node holds. The caller says it once. */
  blocked(pair: Pair, holders: readonly string[], reason: Reason): void {
    this.#record(pair, { verb: 'waits', detail: `detach from ${holders.join(', ')}` }, reason);
  }

  forced(pair: Pair, because: 'timeout' | 'out-of-service', reason: Reason): void {
    this.#record(pair, { verb: 'force-detaches', detail: because }, reason);
  }

  #record({ volume, node }: Pair, what: { readonly verb: string; readonly detail: string }, reason: Reason): void {
    const { clock, timeline, actor } = this.#parts;
    const about = { kind: 'Node', key: node, detail: `${what.detail}: ${volume}` };
    timeline.record({ at: clock.now(), actor, verb: what.verb, ...about, because: reason.entry });
  }
}
