import type { InstantMs } from '../base/clock.ts';
import type { ObjectKey } from '../kube/object.ts';

export interface TimelineEntry {
  readonly at: InstantMs;
  readonly actor: string;
  readonly verb: string;
  readonly kind: string;
  readonly key: ObjectKey;
  readonly detail?: string;
  /** Sequence number of the entry that led to this one; null for what comes from outside (a step, a fault, a start). */
  readonly because: number | null;
}
export interface Timeline {
  /** Returns the sequence number. */
  record(entry: TimelineEntry): number;
  /** The entry of the write that made this revision; null if unknown or already dropped. */
  entryOf(resourceVersion: string): number | null;
}
