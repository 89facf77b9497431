// What happened, in order, with what led to it. The views of the cluster, the wrappers of drivers and the controller
// loop record; the console, the golden files and the diagnosis read. Old entries are dropped, their numbers never reused.
import type { InstantMs } from '../base/clock.ts';
import type { Disposable } from '../kube/cluster.ts';
import type { ObjectKey } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';

export interface TimelineEntry {
  readonly at: InstantMs;
  readonly actor: string;
  readonly verb: string;
  readonly kind: string;
  readonly key: ObjectKey;
  readonly detail?: string;
  /** Sequence number of the entry that led to this one; null for what comes from outside (a step, a fault, a start). */
  readonly because: number | null;
  /** What kind of thing led to it, where that is not another entry: a resync, a deadline, a start. */
  readonly trigger?: Reason['type'];
  /** Of the revision a write made. */
  readonly resourceVersion?: string;
}

/** One that nobody reads. */
export const UNREAD_TIMELINE: Timeline = { record: () => 0, entryOf: () => null };
export interface Timeline {
  /** Returns the sequence number. */
  record(entry: TimelineEntry): number;
  /** The entry of the write that made this revision; null if unknown or already dropped. */
  entryOf(resourceVersion: string): number | null;
}

/** Entries kept; the oldest is dropped for the newest. */
const TIMELINE_LENGTH_MAX = 1_000_000;

export interface NumberedEntry extends TimelineEntry {
  /** From 1, without gaps. */
  readonly number: number;
}

export class RecordedTimeline implements Timeline {
  readonly #lengthMax: number;
  /** By number, in order. */
  readonly #entries = new Map<number, NumberedEntry>();
  readonly #byRevision = new Map<string, number>();
  readonly #readers = new Set<(entry: NumberedEntry) => void>();
  #last = 0;

  constructor(lengthMax: number = TIMELINE_LENGTH_MAX) {
    this.#lengthMax = lengthMax;
  }

  record(entry: TimelineEntry): number {
    const number = ++this.#last;
    const numbered: NumberedEntry = { ...entry, number };
    this.#entries.set(number, numbered);
    if (entry.resourceVersion !== undefined) this.#byRevision.set(entry.resourceVersion, number);
    if (this.#entries.size > this.#lengthMax) this.#dropOldest();
    for (const read of this.#readers) read(numbered);
    return number;
  }

  entryOf(resourceVersion: string): number | null {
    return this.#byRevision.get(resourceVersion) ?? null;
  }

  /** Undefined if it was dropped. */
  get(number: number): NumberedEntry | undefined {
    return this.#entries.get(number);
  }

  entries(): IterableIterator<NumberedEntry> {
    return this.#entries.values();
  }

  /** Hears every entry from now on. */
  subscribe(read: (entry: NumberedEntry) => void): Disposable {
    this.#readers.add(read);
    return { dispose: () => void this.#readers.delete(read) };
  }

  /** Numbers have no gaps, so the oldest is known without looking. */
  #dropOldest(): void {
    const number = this.#last - this.#lengthMax;
    const resourceVersion = this.#entries.get(number)?.resourceVersion;
    this.#entries.delete(number);
    if (resourceVersion !== undefined && this.#byRevision.get(resourceVersion) === number) {
      this.#byRevision.delete(resourceVersion);
    }
  }
}
