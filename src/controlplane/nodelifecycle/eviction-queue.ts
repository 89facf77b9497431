// The nodes of one zone that wait for their NoExecute taint, oldest first, one at a time and no faster than the zone's
// rate. A node that had its turn is remembered until it is removed, so that adding it again changes nothing.
// kubernetes:pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import type { Reason } from '../../kube/reason.ts';

export interface QueuedNode {
  readonly name: string;
  readonly reason: Reason;
  /** Not tried before this. */
  readonly notBefore: DurationMs;
}

export class EvictionQueue {
  /** In order of `notBefore`, then of adding. */
  #waiting: QueuedNode[] = [];
  /** Nodes that wait or had their turn. */
  readonly #known = new Set<string>();
  /** Nodes a second; 0 lets none pass. */
  #rate: number;
  /** When the next one may be tried, if the rate lets any pass. */
  #nextAt: DurationMs = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  add(name: string, now: DurationMs, reason: Reason): boolean {
    if (this.#known.has(name)) return false;
    this.#known.add(name);
    this.#insert({ name, reason, notBefore: now });
    return true;
  }

  remove(name: string): void {
    if (!this.#known.delete(name)) return;
    this.#waiting = this.#waiting.filter((each) => each.name !== name);
  }

  /** The first in line, if the rate lets one pass now. Asking uses up the turn, also when the first is not due yet. */
  take(now: DurationMs): QueuedNode | undefined {
    const [first] = this.#waiting;
    if (first === undefined || this.#rate <= 0 || now < this.#nextAt) return undefined;
    this.#nextAt = now + SECOND_MS / this.#rate;
    return now < first.notBefore ? undefined : first;
  }

  /** It had its turn. */
  done(name: string): void {
    this.#waiting = this.#waiting.filter((each) => each.name !== name);
  }

  /** It is tried again, after all that are due before. */
  retry(node: QueuedNode, notBefore: DurationMs): void {
    if (!this.#waiting.some(({ name }) => name === node.name)) return;
    this.done(node.name);
    this.#insert({ ...node, notBefore });
  }

  /** When asking can be of use; undefined if not as things stand. */
  get nextTry(): DurationMs | undefined {
    return this.#waiting.length === 0 || this.#rate <= 0 ? undefined : this.#nextAt;
  }

  /** A new rate begins with a turn at hand, unless the old one had none. */
  setRate(rate: number, now: DurationMs): void {
    if (rate === this.#rate) return;
    const hadTurn = this.#rate > 0 && now >= this.#nextAt;
    this.#rate = rate;
    this.#nextAt = hadTurn || rate <= 0 ? now : now + SECOND_MS / rate;
  }

  #insert(node: QueuedNode): void {
    const after = this.#waiting.findIndex(({ notBefore }) => notBefore > node.notBefore);
    this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, node);
  }
}
