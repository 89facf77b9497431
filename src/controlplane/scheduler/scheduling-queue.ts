// Pods that wait for a node. Ready ones leave by priority, then by age. A pod that was refused is parked until a change
// that may help it; then, if its last attempt is recent, it first sits out a back-off. A pod whose attempt broke is tried
// again after a back-off in any case. What is parked for five minutes is tried anyhow, because hints may be wrong.
// Attempts and back-offs are memory of this process and lost with it: after a restart every pod is ready at once.
// kubernetes:pkg/scheduler/backend/queue
import { Aborted, type Clock, type InstantMs, MINUTE_MS, SECOND_MS, type Timer } from '../../base/clock.ts';
import { type ObjectKey, keyFrom, keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { priorityOf } from './nominations.ts';
import { PLUGIN_NAMES, type PluginName } from './plugin.ts';
import { PriorityHeap } from './priority-heap.ts';
import { type HintContext, INTERESTS, isWorthRetrying } from './queueing-hints.ts';
import type { ResolvedSettings } from './settings.ts';

/** kubernetes:pkg/scheduler/backend/queue/scheduling_queue.go */
const PARKED_MS_MAX = 5 * MINUTE_MS;
const FLUSH_PERIOD_MS = 30 * SECOND_MS;
/** kubernetes:pkg/scheduler/backend/queue/backoff_queue.go */
const BACKOFF_WINDOW_MS = SECOND_MS;

export interface QueuedPod {
  readonly key: ObjectKey;
  readonly pod: Pod;
  readonly attempts: number;
  /** What led to this attempt. */
  readonly reason: Reason;
}
/** How an attempt ended: refused by plugins, or broken if there are none. */
export interface Refusal {
  readonly rejectedBy: ReadonlySet<PluginName>;
}

interface Entry {
  readonly key: ObjectKey;
  readonly sequence: number;
  pod: Pod;
  reason: Reason;
  place: 'ready' | 'backoff' | 'error-backoff' | 'parked' | 'gated' | 'taken';
  /** When the last attempt ended, or the pod came. */
  since: InstantMs;
  attempts: number;
  refusals: number;
  /** In a row. */
  errors: number;
  backoffUntil: InstantMs;
  rejectedBy: ReadonlySet<PluginName>;
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly settings: ResolvedSettings;
  readonly signal: AbortSignal;
  readonly hints: HintContext;
}

export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #startedAt: InstantMs;
  /** Every pod in the queue, also one whose attempt is under way. */
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #ready = new PriorityHeap<Entry>(isBefore);
  readonly #backoff = new PriorityHeap<Entry>(leavesBackoffFirst);
  readonly #errorBackoff = new PriorityHeap<Entry>(leavesBackoffFirst);
  /** In the order in which they were parked. */
  readonly #parked = new Map<ObjectKey, Entry>();
  /** Parked pods by who refused them, and by the claims they use. */
  readonly #byPlugin = new Map<PluginName, Set<Entry>>(PLUGIN_NAMES.map((name) => [name, new Set()]));
  readonly #byClaim = new Map<ObjectKey, Set<Entry>>();
  #sequence = 0;
  #wake: (() => void) | undefined;
  #backoffTimer: Timer | undefined;
  #flushTimer: Timer | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    options.signal.addEventListener('abort', () => this.#cancelTimers(), { once: true });
  }

  add(pod: Pod, reason: Reason): void {
    const key = keyOf(pod);
    this.delete(key);
    const entry: Entry = {
      key,
      pod,
      reason,
      sequence: this.#sequence++,
      place: 'taken',
      since: this.#options.clock.now(),
      attempts: 0,
      refusals: 0,
      errors: 0,
      backoffUntil: -Infinity,
      rejectedBy: new Set(),
    };
    this.#entries.set(key, entry);
    this.#release(entry, reason);
  }

  /** A pod that is not in the queue joins it. */
  update(before: Pod, pod: Pod, reason: Reason): void {
    const entry = this.#entries.get(keyOf(pod));
    if (entry === undefined || entry.pod.metadata.uid !== pod.metadata.uid) return this.add(pod, reason);
    entry.pod = pod;
    if (entry.place === 'gated' && !isGated(pod)) this.#release(entry, reason);
    if (entry.place === 'parked') this.#reconsider(entry, { type: 'pod-updated', before, pod }, reason);
  }

  delete(key: ObjectKey): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#unpark(entry);
    this.#entries.delete(key);
  }

  /** The attempt failed. The pod as it is now may be newer than the one that was taken. */
  returnFailed(key: ObjectKey, pod: Pod, refusal: Refusal): void {
    const entry = this.#entries.get(key);
    if (entry?.place !== 'taken') return;
    entry.pod = pod;
    entry.rejectedBy = refusal.rejectedBy;
    entry.since = this.#options.clock.now();
    if (refusal.rejectedBy.size > 0) {
      entry.refusals++;
      entry.errors = 0;
      this.#park(entry);
    } else {
      entry.errors++;
      this.#release(entry, { type: 'failed', attempt: entry.attempts, entry: entry.reason.entry });
    }
  }

  /** The attempt is over and the pod needs no other. */
  done(key: ObjectKey): void {
    if (this.#entries.get(key)?.place === 'taken') this.#entries.delete(key);
  }

  /** Tells parked pods of a change. */
  react(event: ClusterEvent, reason: Reason): void {
    if (this.#parked.size === 0) return;
    for (const entry of this.#concerned(event)) this.#reconsider(entry, event, reason);
  }

  async take(signal: AbortSignal): Promise<QueuedPod> {
    for (;;) {
      const entry = this.#next();
      if (entry !== undefined) {
        entry.place = 'taken';
        entry.attempts++;
        const { key, pod, attempts, reason } = entry;
        return { key, pod, attempts, reason };
      }
      await this.#untilWoken(signal);
    }
  }

  #next(): Entry | undefined {
    const ready = this.#popFrom(this.#ready, 'ready');
    if (ready !== undefined || !this.#options.settings.profile.popsFromBackoff) return ready;
    return this.#popFrom(this.#backoff, 'backoff');
  }

  /** Entries that left a heap by another way are still in it, and recognised by their place. */
  #popFrom(heap: PriorityHeap<Entry>, place: Entry['place']): Entry | undefined {
    for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) if (this.#isIn(entry, place)) return entry;
    return undefined;
  }

  #isIn(entry: Entry, place: Entry['place']): boolean {
    return this.#entries.get(entry.key) === entry && entry.place === place;
  }

  #concerned(event: ClusterEvent): readonly Entry[] {
    if (event.type === 'claim-added' || event.type === 'claim-updated') {
      return [...(this.#byClaim.get(keyOf(event.claim)) ?? [])];
    }
    const concerned = new Set<Entry>();
    for (const [plugin, entries] of this.#byPlugin) {
      if (entries.size === 0 || !INTERESTS[plugin].events.includes(event.type)) continue;
      for (const entry of this.#mayHelp(plugin, event) ?? entries) concerned.add(entry);
    }
    return [...concerned];
  }

  /** A pod that waits for a claim of its own hears only of that claim's volume: there may be as many of both as pods. */
  #mayHelp(plugin: PluginName, event: ClusterEvent): Iterable<Entry> | undefined {
    if (plugin !== 'VolumeClaims' || (event.type !== 'volume-added' && event.type !== 'volume-updated'))
      return undefined;
    const { claimRef } = event.volume.spec;
    const users = this.#byClaim.get(keyFrom(claimRef?.namespace, claimRef?.name ?? ''));
    return [...(users ?? [])].filter(({ rejectedBy }) => rejectedBy.has(plugin));
  }

  #reconsider(entry: Entry, event: ClusterEvent, reason: Reason): void {
    if (!isWorthRetrying(entry.pod, entry.rejectedBy, event, this.#options.hints)) return;
    this.#unpark(entry);
    this.#release(entry, reason);
  }

  /** On to the next attempt: at once, or after what is left of the back-off. */
  #release(entry: Entry, reason: Reason): void {
    entry.reason = reason;
    if (isGated(entry.pod)) {
      entry.place = 'gated';
      return;
    }
    entry.backoffUntil = this.#backoffEnd(entry);
    if (entry.backoffUntil < this.#aligned(this.#options.clock.now())) {
      entry.place = 'ready';
      this.#ready.push(entry);
    } else if (entry.rejectedBy.size === 0) {
      entry.place = 'error-backoff';
      this.#errorBackoff.push(entry);
    } else {
      entry.place = 'backoff';
      this.#backoff.push(entry);
    }
    this.#armBackoff();
    this.#wake?.();
  }

  #backoffEnd(entry: Entry): InstantMs {
    const { podInitialBackoffMs, podMaxBackoffMs } = this.#options.settings;
    const count = entry.errors > 0 ? entry.errors : entry.refusals;
    if (count === 0 || podMaxBackoffMs === 0) return -Infinity;
    return this.#aligned(entry.since + Math.min(podInitialBackoffMs * 2 ** (count - 1), podMaxBackoffMs));
  }

  /** Where a scheduler may take pods out of back-off early, ends of back-offs are put into windows of a second. */
  #aligned(instant: InstantMs): InstantMs {
    if (!this.#options.settings.profile.popsFromBackoff) return instant;
    return Math.floor(instant / BACKOFF_WINDOW_MS) * BACKOFF_WINDOW_MS;
  }

  /** Back-offs are looked at once a second; here only at the seconds at which one ends. */
  #armBackoff(): void {
    this.#backoffTimer?.cancel();
    this.#backoffTimer = undefined;
    const ends = [this.#peekAt(this.#backoff, 'backoff'), this.#peekAt(this.#errorBackoff, 'error-backoff')];
    const first = Math.min(...ends.map((entry) => entry?.backoffUntil ?? Infinity));
    if (first === Infinity || this.#options.signal.aborted) return;
    const { clock, settings } = this.#options;
    const origin = settings.profile.popsFromBackoff ? 0 : this.#startedAt;
    const due = nextOnGrid(first, origin, BACKOFF_WINDOW_MS);
    this.#backoffTimer = clock.after(due - clock.now(), () => this.#endBackoffs());
  }

  #peekAt(heap: PriorityHeap<Entry>, place: Entry['place']): Entry | undefined {
    for (let entry = heap.peek(); entry !== undefined; entry = heap.peek()) {
      if (this.#isIn(entry, place)) return entry;
      heap.pop();
    }
    return undefined;
  }

  #endBackoffs(): void {
    const now = this.#aligned(this.#options.clock.now());
    for (const [heap, place] of [
      [this.#backoff, 'backoff'],
      [this.#errorBackoff, 'error-backoff'],
    ] as const) {
      for (let entry = this.#peekAt(heap, place); entry !== undefined; entry = this.#peekAt(heap, place)) {
        if (entry.backoffUntil >= now) break;
        heap.pop();
        entry.place = 'ready';
        this.#ready.push(entry);
      }
    }
    this.#armBackoff();
    this.#wake?.();
  }

  #park(entry: Entry): void {
    entry.place = 'parked';
    this.#parked.set(entry.key, entry);
    for (const plugin of entry.rejectedBy) this.#byPlugin.get(plugin)?.add(entry);
    for (const claim of claimKeysOf(entry.pod)) {
      const users = this.#byClaim.get(claim) ?? new Set();
      this.#byClaim.set(claim, users.add(entry));
    }
    this.#armFlush();
  }

  #unpark(entry: Entry): void {
    if (!this.#parked.delete(entry.key)) return;
    for (const plugin of entry.rejectedBy) this.#byPlugin.get(plugin)?.delete(entry);
    for (const claim of claimKeysOf(entry.pod)) {
      const users = this.#byClaim.get(claim);
      users?.delete(entry);
      if (users?.size === 0) this.#byClaim.delete(claim);
    }
  }

  /** Upstream looks every thirty seconds; here only when something is due, at the same instants. */
  #armFlush(): void {
    const [oldest] = this.#parked.values();
    if (oldest === undefined || this.#flushTimer !== undefined || this.#options.signal.aborted) return;
    const { clock } = this.#options;
    const due = nextOnGrid(oldest.since + PARKED_MS_MAX, this.#startedAt, FLUSH_PERIOD_MS);
    this.#flushTimer = clock.after(due - clock.now(), () => this.#flush(), { background: true });
  }

  #flush(): void {
    this.#flushTimer = undefined;
    const now = this.#options.clock.now();
    const due = [...this.#parked.values()].filter(({ since }) => now - since > PARKED_MS_MAX);
    for (const entry of due) {
      this.#unpark(entry);
      this.#release(entry, { type: 'deadline', entry: entry.reason.entry });
    }
    this.#armFlush();
  }

  #untilWoken(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new Aborted());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(new Aborted());
      signal.addEventListener('abort', onAbort, { once: true });
      this.#wake = () => {
        this.#wake = undefined;
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
    });
  }

  #cancelTimers(): void {
    this.#backoffTimer?.cancel();
    this.#flushTimer?.cancel();
  }
}

const isGated = (pod: Pod): boolean => (pod.spec.schedulingGates?.length ?? 0) > 0;

function isBefore(one: Entry, other: Entry): boolean {
  const [priority, otherPriority] = [priorityOf(one.pod), priorityOf(other.pod)];
  if (priority !== otherPriority) return priority > otherPriority;
  return one.since === other.since ? one.sequence < other.sequence : one.since < other.since;
}

const leavesBackoffFirst = (one: Entry, other: Entry): boolean =>
  one.backoffUntil === other.backoffUntil ? isBefore(one, other) : one.backoffUntil < other.backoffUntil;

/** The first point of the grid after the instant. */
const nextOnGrid = (instant: InstantMs, origin: InstantMs, step: number): InstantMs =>
  origin + (Math.floor((instant - origin) / step) + 1) * step;
