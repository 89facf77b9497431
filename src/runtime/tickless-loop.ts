// A loop that upstream runs every period, run only when there is something to do, yet at the very instants at which the
// periodic loop would have done it. The grid is the row of instants at which a periodic loop starts its passes when none
// of them takes time; a pass that takes time moves the rest of the grid as it moves upstream's timer:
//   sliding      the next point is one period after the END of the pass   (wait.Until, wait.UntilWithContext)
//   not sliding  the next point is one period after its START, or its end if that is later (wait.NonSlidingUntil)
// kubernetes:staging/src/k8s.io/apimachinery/pkg/util/wait/backoff.go BackoffUntilWithContext.
// What always holds: passes never overlap, and a mark made during a pass is seen by a later one.
import { AssertionFailure } from '../base/assert.ts';
import { Aborted, type Clock, type DurationMs, type Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type HeapEntry, TimerHeap } from '../base/timer-heap.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Reason } from '../kube/reason.ts';
import type { Turn } from './controller.ts';
import { messageOf, reportFailure, supervise } from './supervise.ts';

export interface TicklessLoop {
  /** Something changed: pass at the next point of the grid. The first mark since the last pass is its reason. */
  mark(reason: Reason): void;
  /** A known deadline: pass at the first point of the grid not before it. */
  markAfter(delay: DurationMs, reason: Reason): void;
}

export interface GridLoopOptions {
  readonly name?: string;
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly periodMs: DurationMs;
  /** From the start to the first point, which is the first pass. */
  readonly phaseMs?: DurationMs;
  /** True unless said otherwise, as in wait.Until. */
  readonly sliding?: boolean;
  pass(turn: Turn): Promise<void> | void;
}

interface Deadline extends HeapEntry {
  readonly reason: Reason;
}

export class GridLoop implements TicklessLoop {
  readonly #options: GridLoopOptions;
  /** The next pass is at this instant of elapsed time or a whole number of periods later; undefined before the start. */
  #gridFrom: DurationMs | undefined;
  /** First mark since the last pass. */
  #marked: Reason | undefined;
  /** Deadlines still ahead of the last pass, one an instant. */
  readonly #deadlines = new TimerHeap<Deadline>();
  readonly #deadlineInstants = new Set<number>();
  #deadlinesSet = 0;
  /** Set for the instant of the next pass; undefined while one runs or if none is wanted. */
  #timer: { readonly timer: Timer; readonly at: DurationMs } | undefined;
  #passing = false;
  #failures = 0;

  constructor(options: GridLoopOptions) {
    this.#options = options;
  }

  /** The grid begins here; marks made before are kept for the first pass. */
  start(): void {
    const { clock, phaseMs = 0, signal } = this.#options;
    if (signal.aborted || this.#gridFrom !== undefined) return;
    this.#gridFrom = clock.monotonic() + phaseMs;
    signal.addEventListener('abort', () => this.#timer?.timer.cancel(), { once: true });
    this.mark({ type: 'started', entry: null });
  }

  mark(reason: Reason): void {
    this.#marked ??= reason;
    this.#schedule();
  }

  markAfter(delay: DurationMs, reason: Reason): void {
    const due = this.#options.clock.monotonic() + Math.max(0, Math.ceil(delay));
    if (this.#deadlineInstants.has(due)) return;
    this.#deadlineInstants.add(due);
    this.#deadlines.push({ due, sequence: this.#deadlinesSet++, position: -1, reason });
    this.#schedule();
  }

  /** Keeps the timer at the first point of the grid where a pass is wanted. */
  #schedule(): void {
    const { clock, periodMs, signal } = this.#options;
    if (this.#passing || this.#gridFrom === undefined || signal.aborted) return;
    const now = clock.monotonic();
    const wantedAt = this.#marked === undefined ? this.#deadlines.peek()?.due : now;
    if (wantedAt === undefined) return;
    const at = pointNotBefore(Math.max(wantedAt, now), this.#gridFrom, periodMs);
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.timer.cancel();
    this.#timer = { timer: clock.after(at - now, () => supervise(this.#name, this.#run(), this.#options.log)), at };
  }

  get #name(): string {
    return this.#options.name ?? 'loop';
  }

  async #run(): Promise<void> {
    const { clock, cluster, periodMs, signal, sliding = true } = this.#options;
    const startedAt = clock.monotonic();
    const reason = this.#takeReason(startedAt);
    this.#timer = undefined;
    this.#passing = true;
    try {
      await this.#options.pass({ cluster: cluster.because(reason), signal, reason });
      this.#failures = 0;
    } catch (error) {
      this.#fail(reason, error);
    }
    this.#passing = false;
    const endedAt = clock.monotonic();
    this.#gridFrom = sliding ? endedAt + periodMs : Math.max(startedAt + periodMs, endedAt);
    this.#schedule();
  }

  /** Takes the mark and every deadline that is over by now. */
  #takeReason(now: DurationMs): Reason {
    let reason = this.#marked;
    this.#marked = undefined;
    for (let next = this.#deadlines.peek(); next !== undefined && next.due <= now; next = this.#deadlines.peek()) {
      this.#deadlines.remove(next);
      this.#deadlineInstants.delete(next.due);
      reason ??= next.reason;
    }
    return reason ?? { type: 'deadline', entry: null };
  }

  /** The periodic loop would try again at its next point, so this one does. */
  #fail(reason: Reason, error: unknown): void {
    if (error instanceof Aborted && this.#options.signal.aborted) return;
    this.#failures++;
    if (error instanceof AssertionFailure) reportFailure(this.#name, error, this.#options.log);
    else this.#options.log.write('warn', `${this.#name}: ${messageOf(error)}`, { error });
    this.#marked ??= { type: 'failed', attempt: this.#failures, entry: reason.entry };
  }
}

function pointNotBefore(instant: DurationMs, gridFrom: DurationMs, periodMs: DurationMs): DurationMs {
  if (instant <= gridFrom) return gridFrom;
  return gridFrom + Math.ceil((instant - gridFrom) / periodMs) * periodMs;
}
