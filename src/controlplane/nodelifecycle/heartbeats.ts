// When each node was last heard of. A status is judged in a pass; the renewal of a Lease is only noted, with the instant
// of the pass that would have counted it, so that ten thousand renewals cost ten thousand map entries and no pass.
// What always holds: `healthOf` answers what a controller that looks at every node in every period would know.
import type { DurationMs } from '../../base/clock.ts';
import { type HeapEntry, TimerHeap } from '../../base/timer-heap.ts';
import { type LeaseSign, type NodeHealth, type NodeSigns, decideHealth, isRenewal } from './node-health.ts';

interface Heartbeat {
  health: NodeHealth;
  /** A renewal that no pass has counted, and the pass that would. */
  renewal: { lease: LeaseSign; countedAt: DurationMs } | undefined;
  /** Never later than the silence of this node becomes too long; undefined if that would show nothing. */
  deadline: Deadline | undefined;
}
interface Deadline extends HeapEntry {
  readonly node: string;
}

export class Heartbeats {
  readonly #heartbeats = new Map<string, Heartbeat>();
  readonly #deadlines = new TimerHeap<Deadline>();
  #deadlinesSet = 0;

  /** Undefined for a node that no pass has seen. */
  healthOf(node: string, now: DurationMs): NodeHealth | undefined {
    const heartbeat = this.#heartbeats.get(node);
    if (heartbeat === undefined) return undefined;
    countRenewal(heartbeat, now);
    return heartbeat.health;
  }

  /** A pass looks at the node: what the Lease says is part of the signs. */
  observe(node: string, signs: NodeSigns): NodeHealth {
    const health = decideHealth(this.healthOf(node, signs.now), signs);
    this.set(node, health);
    return health;
  }

  set(node: string, health: NodeHealth): void {
    const heartbeat = this.#heartbeats.get(node);
    if (heartbeat === undefined) {
      this.#heartbeats.set(node, { health, renewal: undefined, deadline: undefined });
      return;
    }
    heartbeat.health = health;
    heartbeat.renewal = undefined;
  }

  /** The Lease was renewed now; the pass at `countedAt` counts it. */
  renewed(node: string, lease: LeaseSign, times: { readonly now: DurationMs; readonly countedAt: DurationMs }): void {
    const heartbeat = this.#heartbeats.get(node);
    if (heartbeat === undefined) return;
    countRenewal(heartbeat, times.now);
    if (!isRenewal(heartbeat.health, lease)) return;
    heartbeat.renewal = { lease, countedAt: heartbeat.renewal?.countedAt ?? times.countedAt };
  }

  /** Everybody is taken as heard of now. */
  restart(nodes: Iterable<string>, now: DurationMs): void {
    for (const node of nodes) {
      const health = this.healthOf(node, now);
      if (health !== undefined) this.set(node, { ...health, probedAt: now });
    }
  }

  /** When the node, as it is known now, has been silent for longer than the grace period. */
  silentAt(node: string, now: DurationMs, graceMs: DurationMs): DurationMs {
    const probedAt = this.#heartbeats.get(node)?.renewal?.countedAt ?? this.healthOf(node, now)?.probedAt ?? now;
    return probedAt + graceMs + 1;
  }

  /** An earlier deadline stays: it is found to be too early when it comes. */
  watch(node: string, due: number): void {
    const heartbeat = this.#heartbeats.get(node);
    if (heartbeat === undefined || (heartbeat.deadline !== undefined && heartbeat.deadline.due <= due)) return;
    this.unwatch(node);
    const deadline = { node, due, sequence: this.#deadlinesSet++, position: -1 };
    heartbeat.deadline = deadline;
    this.#deadlines.push(deadline);
  }

  unwatch(node: string): void {
    const heartbeat = this.#heartbeats.get(node);
    if (heartbeat?.deadline === undefined) return;
    this.#deadlines.remove(heartbeat.deadline);
    heartbeat.deadline = undefined;
  }

  get nextDeadline(): number | undefined {
    return this.#deadlines.peek()?.due;
  }

  /** Takes the nodes whose deadline has come. */
  takeDue(now: DurationMs): readonly string[] {
    const names: string[] = [];
    for (let next = this.#deadlines.peek(); next !== undefined && next.due <= now; next = this.#deadlines.peek()) {
      this.unwatch(next.node);
      names.push(next.node);
    }
    return names;
  }
}

/** A renewal that an earlier pass would have counted is counted with the time of that pass. */
function countRenewal(heartbeat: Heartbeat, now: DurationMs): void {
  const { renewal } = heartbeat;
  if (renewal === undefined || renewal.countedAt >= now) return;
  const { ready } = heartbeat.health;
  heartbeat.health = { probedAt: renewal.countedAt, ready, lease: renewal.lease };
  heartbeat.renewal = undefined;
}
