// core/v1 Events as client-go writes them. The caller never waits: an event is correlated and sent later, one after the
// other, so that a count is never sent before the Event it counts into. While the server cannot be reached everything
// behind the first unsent event waits with it; when too many wait, new ones are dropped and said to be.
// Upstream: client-go:tools/record/event.go.
import { type Clock, type InstantMs, SECOND_MS, timestamp } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { causeOf, isApiError } from '../kube/api-error.ts';
import type { Cluster, Draft } from '../kube/cluster.ts';
import { type KubeObject, keyFrom } from '../kube/object.ts';
import { referenceTo } from '../kube/object-reference.ts';
import { type Event, Events } from '../kube/resources/event.ts';
import { type Correlated, EventCorrelator, type Occurrence } from './event-correlator.ts';
import { EventNames } from './event-name.ts';
import { Fifo } from './fifo.ts';
import { messageOf, supervise } from './supervise.ts';

/** core/v1 Events as client-go writes them: correlator (count, aggregation) and spam filter per source and object. */
export interface Recorder {
  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
  /** The same recorder writing through a turn's view, so that the Event names its cause. */
  via(cluster: Cluster): Recorder;
}
/** events.k8s.io/v1 with series, no spam filter: the scheduler's. */
export interface SeriesRecorder {
  event(regarding: KubeObject, event: SeriesEvent): void;
  via(cluster: Cluster): SeriesRecorder;
}
export interface SeriesEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly related?: KubeObject;
}

/** Events that wait to be sent. client-go:tools/record/event.go */
export const QUEUED_EVENTS_MAX = 1000;
/** client-go:tools/record/event.go */
export const TRIES_PER_EVENT_MAX = 12;
/** Between two tries; the first wait is drawn from all of it. client-go:tools/record/event.go */
export const RETRY_EVENT_MS = 10 * SECOND_MS;
/** Where Events about objects without a namespace live. */
export const DEFAULT_NAMESPACE = 'default';

export interface EventRecorderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly component: string;
  /** The node, for sources that run on one. */
  readonly host?: string;
}

export class EventRecorder implements Recorder {
  readonly #cluster: Cluster;
  readonly #sender: EventSender;

  constructor(options: EventRecorderOptions, sender: EventSender = new EventSender(options)) {
    this.#cluster = options.cluster;
    this.#sender = sender;
  }

  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#sender.take({ about, type, reason, message, cluster: this.#cluster });
  }

  via(cluster: Cluster): Recorder {
    return new EventRecorder({ ...this.#sender.options, cluster }, this.#sender);
  }
}

interface Said {
  readonly about: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly cluster: Cluster;
}
interface Queued {
  readonly occurrence: Occurrence;
  readonly at: InstantMs;
  /** Of the Event, if this is the first of its kind. */
  readonly name: string;
  readonly cluster: Cluster;
}

/** What all views of one recorder share. */
class EventSender {
  readonly options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #names: EventNames;
  readonly #random: Random;
  readonly #queue = new Fifo<Queued>();
  #sending = false;

  constructor(options: EventRecorderOptions) {
    this.options = options;
    this.#correlator = new EventCorrelator(options.clock);
    this.#random = options.random.fork(`events/${options.component}/${options.host ?? ''}`);
    this.#names = new EventNames(options.clock, this.#random.fork('names'));
  }

  take({ about, cluster, ...said }: Said): void {
    const { clock, component, host = '', log, signal } = this.options;
    if (signal.aborted) return;
    const occurrence: Occurrence = { ...said, component, host, about: referenceTo(about) };
    if (this.#queue.length >= QUEUED_EVENTS_MAX) {
      log.write('error', `too many events wait, dropped ${said.reason} about ${about.kind} ${about.metadata.name}`);
      return;
    }
    this.#queue.push({ occurrence, at: clock.now(), name: this.#names.next(about.metadata.name), cluster });
    if (this.#sending) return;
    this.#sending = true;
    supervise('event recorder', this.#sendAll(), log);
  }

  /** Starts once the caller has gone on: an event is never written inside the call that says it. */
  async #sendAll(): Promise<void> {
    await Promise.resolve();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const first = { name: next.name, timestamp: timestamp(next.at) };
      const correlated = this.#correlator.correlate(next.occurrence, first);
      if (correlated !== undefined) await this.#send(next, correlated);
    }
    this.#sending = false;
  }

  async #send(queued: Queued, correlated: Correlated): Promise<void> {
    const { clock, log, signal } = this.options;
    for (let tries = 1; tries <= TRIES_PER_EVENT_MAX; tries++) {
      const error = await write(queued, correlated);
      if (error === undefined) return;
      if (!isWorthRetrying(error)) {
        const level = isQuietRejection(error) ? 'debug' : 'warn';
        log.write(level, `server rejected event ${correlated.name}: ${messageOf(error)}`, { error });
        return;
      }
      if (tries < TRIES_PER_EVENT_MAX) {
        await clock.sleep(tries === 1 ? RETRY_EVENT_MS * this.#random.fraction() : RETRY_EVENT_MS, signal);
      }
    }
    log.write('error', `event ${correlated.name} was not written in ${TRIES_PER_EVENT_MAX} tries`);
  }
}

/** Returns why it failed. An Event that expired meanwhile is made anew, under its old name and count. */
async function write(queued: Queued, correlated: Correlated): Promise<unknown> {
  const draft = draftOf(queued, correlated);
  try {
    if (correlated.count === 1 || !(await patched(queued, correlated, draft)))
      await queued.cluster.create(Events, draft);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function patched(queued: Queued, correlated: Correlated, draft: Draft<Event>): Promise<boolean> {
  const { count, message } = correlated;
  const body = { count, lastTimestamp: timestamp(queued.at), message };
  try {
    await queued.cluster.patch(Events, keyFrom(draft.metadata.namespace, correlated.name), { type: 'strategic', body });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

function draftOf(queued: Queued, correlated: Correlated): Draft<Event> {
  const { about, component, host, type, reason } = queued.occurrence;
  const { namespace = DEFAULT_NAMESPACE } = about;
  // A combined event does not say who reports it: upstream leaves both fields empty.
  const reporter = correlated.combined ? { component: '', host: '' } : { component, host };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: correlated.name, namespace },
    involvedObject: about,
    reason,
    message: correlated.message,
    source: { component, ...(host === '' ? {} : { host }) },
    firstTimestamp: correlated.firstTimestamp,
    lastTimestamp: timestamp(queued.at),
    count: correlated.count,
    type,
    eventTime: null,
    reportingComponent: reporter.component,
    reportingInstance: reporter.host,
  };
}

/** A server that answers has decided; one that cannot be reached is asked again. */
export function isWorthRetrying(error: unknown): boolean {
  return !isApiError(error) || error.reason === 'ServiceUnavailable' || error.reason === 'TooManyRequests';
}

function isQuietRejection(error: unknown): boolean {
  return isApiError(error, 'AlreadyExists') || causeOf(error, 'NamespaceTerminating') !== undefined;
}
