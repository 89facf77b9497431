// What becomes of an event before it is sent: similar events within ten minutes are combined, equal ones are counted
// into the first, and a source that says too much about one object is not heard for a while. All of it is memory of this
// process: a restart begins with new Events and a full allowance.
// Upstream: client-go:tools/record/events_cache.go.
import { type Clock, type DurationMs, MINUTE_MS } from '../base/clock.ts';
import { type BucketLimits, TokenBucket } from '../base/token-bucket.ts';
import { RecentMap } from './recent-map.ts';
import type { ObjectReference } from '../kube/resources/references.ts';

/** Entries of each memory. client-go:tools/record/events_cache.go */
const REMEMBERED_MAX = 4096;
/** From so many different messages on, similar events are combined. client-go:tools/record/events_cache.go */
const SIMILAR_MAX = 10;
/** Similar events further apart than this have nothing to do with each other. client-go:tools/record/events_cache.go */
const SIMILAR_WITHIN_MS = 10 * MINUTE_MS;
/** What one source may say about one object. client-go:tools/record/events_cache.go */
const SPAM_LIMITS: BucketLimits = { qps: 1 / 300, burst: 25 };
/** client-go:tools/record/events_cache.go */
const COMBINED_PREFIX = '(combined from similar events): ';

/** The parts of an Event that tell it from another. */
export interface Occurrence {
  readonly component: string;
  readonly host: string;
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
export interface Correlated {
  readonly message: string;
  readonly combined: boolean;
  /** Name of the Event to create or to count into. */
  readonly name: string;
  readonly firstTimestamp: string;
  /** Above one: the Event exists already, as far as we know. */
  readonly count: number;
}
/** An Event as it would be if this were the first of its kind. */
export interface FirstOfKind {
  readonly name: string;
  readonly timestamp: string;
}

interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastAt: DurationMs;
}
interface Observation {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new RecentMap<string, Similar>(REMEMBERED_MAX, (similar) => !this.#isFresh(similar));
  readonly #observed = new RecentMap<string, Observation>(REMEMBERED_MAX);
  readonly #allowances = new RecentMap<string, TokenBucket>(REMEMBERED_MAX, (allowance) => allowance.isFull);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined if the source has used up what it may say about the object. */
  correlate(occurrence: Occurrence, first: FirstOfKind): Correlated | undefined {
    const combined = this.#isCombined(occurrence);
    const key = combined ? similarKey(occurrence) : equalKey(occurrence);
    const known = this.#observed.get(key);
    const observation: Observation =
      known === undefined
        ? { name: first.name, firstTimestamp: first.timestamp, count: 1 }
        : { ...known, count: known.count + 1 };
    this.#observed.set(key, observation);
    if (!this.#isAllowed(occurrence)) return undefined;
    const message = combined ? COMBINED_PREFIX + occurrence.message : occurrence.message;
    return { ...observation, message, combined };
  }

  #isCombined(occurrence: Occurrence): boolean {
    const key = similarKey(occurrence);
    const now = this.#clock.monotonic();
    const known = this.#similar.get(key);
    const before = known !== undefined && this.#isFresh(known) ? known.messages : new Set<string>();
    const messages = new Set(before).add(occurrence.message);
    const combined = messages.size >= SIMILAR_MAX;
    // Upstream forgets any one message to keep the set small; here it is always the newest.
    this.#similar.set(key, { messages: combined ? before : messages, lastAt: now });
    return combined;
  }

  #isFresh({ lastAt }: Similar): boolean {
    return this.#clock.monotonic() - lastAt <= SIMILAR_WITHIN_MS;
  }

  #isAllowed(occurrence: Occurrence): boolean {
    const key = spamKey(occurrence);
    const allowance = this.#allowances.get(key) ?? new TokenBucket(this.#clock, SPAM_LIMITS);
    const isAllowed = allowance.tryTake();
    this.#allowances.set(key, allowance);
    return isAllowed;
  }
}

function objectParts({ component, host, about }: Occurrence): readonly (string | undefined)[] {
  return [component, host, about.kind, about.namespace, about.name, about.uid, about.apiVersion];
}

const spamKey = (of: Occurrence): string => [...objectParts(of), of.type].join('\n');
const similarKey = (of: Occurrence): string => [...objectParts(of), of.type, of.reason].join('\n');
const equalKey = (of: Occurrence): string =>
  [...objectParts(of), of.about.fieldPath, of.type, of.reason, of.message].join('\n');
