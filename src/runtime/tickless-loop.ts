import type { DurationMs } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';

export interface TicklessLoop {
  /** Something changed: pass at the next point of the grid. The first mark since the last pass is its reason. */
  mark(reason: Reason): void;
  /** A known deadline: pass at the first point of the grid not before it. */
  markAfter(delay: DurationMs, reason: Reason): void;
}
