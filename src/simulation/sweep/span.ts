import type { DurationMs } from '../../base/clock.ts';

/** How long a seed plays, and how long a fault of it may last. */
export interface Span {
  readonly lastsMs: DurationMs;
  readonly faultMsMax: DurationMs;
}
