// events.k8s.io/v1 Events as the scheduler writes them. The first occurrence is created, the second turns it into a
// series of two, later ones are only counted here; the count is written when the series was quiet for six minutes, or
// every thirty while it goes on. Texts are not compared: the stored note stays that of the first occurrence. The counts
// are memory of this process and lost with it.
// Upstream: client-go:tools/events/event_broadcaster.go.
import { type Clock, type InstantMs, MINUTE_MS, microTimestamp } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster, Draft } from '../kube/cluster.ts';
import { type KubeObject, keyFrom } from '../kube/object.ts';
import { referenceTo } from '../kube/object-reference.ts';
import { type SeriesEventObject, SeriesEvents } from '../kube/resources/series-event.ts';
import { every } from './every.ts';
import { EventNames } from './event-name.ts';
import {
  DEFAULT_NAMESPACE,
  RETRY_EVENT_MS,
  type SeriesEvent,
  type SeriesRecorder,
  TRIES_PER_EVENT_MAX,
  isWorthRetrying,
} from './recorder.ts';
import { messageOf, supervise } from './supervise.ts';

/** A series ends after so much quiet; looked at just as often. client-go:tools/events/event_broadcaster.go */
const SERIES_FINISH_MS = 6 * MINUTE_MS;
/** client-go:tools/events/event_broadcaster.go */
const SERIES_REFRESH_MS = 30 * MINUTE_MS;
/** Waits between tries are longer by up to this share. client-go:tools/events/event_broadcaster.go */
const RETRY_JITTER = 0.25;

export interface EventSeriesRecorderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** `default-scheduler`. */
  readonly controller: string;
  readonly host: string;
}

export class EventSeriesRecorder implements SeriesRecorder {
  readonly #cluster: Cluster;
  readonly #keeper: SeriesKeeper;

  constructor(options: EventSeriesRecorderOptions, keeper: SeriesKeeper = new SeriesKeeper(options)) {
    this.#cluster = options.cluster;
    this.#keeper = keeper;
  }

  event(regarding: KubeObject, event: SeriesEvent): void {
    this.#keeper.take(regarding, event, this.#cluster);
  }

  via(cluster: Cluster): SeriesRecorder {
    return new EventSeriesRecorder({ ...this.#keeper.options, cluster }, this.#keeper);
  }
}

interface Series {
  readonly draft: Draft<SeriesEventObject>;
  readonly cluster: Cluster;
  /** One for an event that came once, which is no series yet. */
  readonly count: number;
  readonly lastAt: InstantMs;
}

/** What all views of one recorder share. */
class SeriesKeeper {
  readonly options: EventSeriesRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #names: EventNames;
  readonly #random: Random;

  constructor(options: EventSeriesRecorderOptions) {
    this.options = options;
    this.#random = options.random.fork(`events/${options.controller}/${options.host}`);
    this.#names = new EventNames(options.clock, this.#random.fork('names'));
    every(options, { name: 'series refresh', periodMs: SERIES_REFRESH_MS, pass: () => this.#refresh() });
    every(options, { name: 'series finish', periodMs: SERIES_FINISH_MS, pass: () => this.#finish() });
  }

  take(regarding: KubeObject, event: SeriesEvent, cluster: Cluster): void {
    const { clock, log, signal } = this.options;
    if (signal.aborted) return;
    const draft = this.#draftOf(regarding, event);
    const key = keyOfSeries(draft);
    const known = this.#series.get(key);
    const series: Series =
      known === undefined
        ? { draft, cluster, count: 1, lastAt: clock.now() }
        : { ...known, cluster, count: known.count + 1, lastAt: clock.now() };
    this.#series.set(key, series);
    if (series.count <= 2) supervise('series recorder', this.#send(series), log);
  }

  #draftOf(regarding: KubeObject, event: SeriesEvent): Draft<SeriesEventObject> {
    const { clock, controller, host } = this.options;
    const { type, reason, action, note, related } = event;
    const reference = referenceTo(regarding);
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: this.#names.next(regarding.metadata.name),
        namespace: reference.namespace ?? DEFAULT_NAMESPACE,
      },
      eventTime: microTimestamp(clock.now()),
      reportingController: controller,
      reportingInstance: `${controller}-${host}`,
      action,
      reason,
      regarding: reference,
      ...(related === undefined ? {} : { related: referenceTo(related) }),
      note,
      type,
    };
  }

  async #send(series: Series): Promise<void> {
    const { clock, log, signal } = this.options;
    await Promise.resolve();
    for (let tries = 1; tries <= TRIES_PER_EVENT_MAX; tries++) {
      if ((await this.#write(series)) === 'done') return;
      if (tries < TRIES_PER_EVENT_MAX) {
        await clock.sleep(RETRY_EVENT_MS * (1 + RETRY_JITTER * this.#random.fraction()), signal);
      }
    }
    log.write('error', `event ${series.draft.metadata.name} was not written in ${TRIES_PER_EVENT_MAX} tries`);
  }

  /** One try. A refusal is final, but for a series whose first Event is only just being made. */
  async #write(series: Series): Promise<'done' | 'again'> {
    try {
      if (series.count === 1 || !(await patched(series)))
        await series.cluster.create(SeriesEvents, draftWithSeries(series));
      return 'done';
    } catch (error) {
      if (isWorthRetrying(error) || (series.count > 1 && isApiError(error, 'AlreadyExists'))) return 'again';
      this.options.log.write('warn', `server rejected event: ${messageOf(error)}`, { error });
      return 'done';
    }
  }

  async #refresh(): Promise<void> {
    for (const series of this.#series.values()) {
      if (series.count > 1) await this.#write(series);
    }
  }

  async #finish(): Promise<void> {
    const before = this.options.clock.now() - SERIES_FINISH_MS;
    for (const [key, series] of this.#series) {
      if (series.lastAt >= before) continue;
      if (series.count === 1 || (await this.#write(series)) === 'done') this.#series.delete(key);
    }
  }
}

/** The regarded object with its resourceVersion: once it was written, the same words about it begin a new Event. */
function keyOfSeries({ type, action, reason, regarding, related }: Draft<SeriesEventObject>): string {
  return JSON.stringify([type, action, reason, regarding, related]);
}

const seriesOf = ({ count, lastAt }: Series) => ({ count, lastObservedTime: microTimestamp(lastAt) });

function draftWithSeries(series: Series): Draft<SeriesEventObject> {
  return series.count === 1 ? series.draft : { ...series.draft, series: seriesOf(series) };
}

async function patched(series: Series): Promise<boolean> {
  const { namespace, name = '' } = series.draft.metadata;
  try {
    const body = { series: seriesOf(series) };
    await series.cluster.patch(SeriesEvents, keyFrom(namespace, name), { type: 'strategic', body });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}
