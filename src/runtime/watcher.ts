// Follows one kind of object on the server, whatever happens to lists and watches on the way. The way of a watcher is
// one tagged union and one pure `step`: a state and what happened give the next state and what to do about it. What may
// happen at any moment: a list fails, a page token expires, a watch ends, its resourceVersion is too old. What always
// holds: a watch starts exactly where the list or the last event left off, so no change is missed, and changes are
// handed on in the order the server made them.
//
// Upstream: client-go:tools/cache/reflector.go. Different here: a watch that ends for anything but 410 goes on from its
// last resourceVersion, where upstream lists again for some causes. The visible content is the same.
import { unreachable } from '../base/assert.ts';
import { type BackoffLimits, backoffAfter } from '../base/backoff.ts';
import { type Clock, type DurationMs, MINUTE_MS, SECOND_MS, type Timer } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type ApiError, causeOf, isApiError } from '../kube/api-error.ts';
import type { Cluster, Disposable, ListOptions, ObjectList, WatchEvent } from '../kube/cluster.ts';
import type { KubeObject, Resource } from '../kube/object.ts';

/** Objects a page of a list. client-go:tools/pager/pager.go */
export const LIST_PAGE_SIZE = 500;
/** Waits between two tries of a list or watch. client-go:tools/cache/reflector.go */
const RETRY_LIMITS: BackoffLimits = { initialMs: 800, factor: 2, maxMs: 30 * SECOND_MS };
/** Each wait is drawn from one to two times its length. client-go:tools/cache/reflector.go */
const RETRY_JITTER = 1;
/** A server that needed no wait for so long counts as healthy. client-go:tools/cache/reflector.go */
const RETRY_RESET_MS = 2 * MINUTE_MS;
/** A watch that ends sooner and without a word is an error, not an end. client-go:tools/cache/reflector.go */
const SHORT_WATCH_MS = SECOND_MS;

export type WatcherState<T> =
  /** Nothing is known, or what is known is too old to go on from. */
  | { readonly at: 'empty'; readonly notOlderThan: string }
  | { readonly at: 'listing'; readonly notOlderThan: string; readonly pages: readonly (readonly T[])[] }
  /** Up to date as of `resourceVersion`, no watch is open. */
  | { readonly at: 'listed'; readonly resourceVersion: string }
  | { readonly at: 'watching'; readonly resourceVersion: string };

export type WatcherInput<T> =
  /** The start, or the end of a wait. */
  | { readonly type: 'ready' }
  | { readonly type: 'page'; readonly list: ObjectList<T> }
  | { readonly type: 'list-failed'; readonly error: unknown }
  | { readonly type: 'event'; readonly event: WatchEvent<T> }
  | { readonly type: 'closed'; readonly cause: ApiError | undefined; readonly short: boolean };

export type ObjectEvent<T> = Extract<WatchEvent<T>, { readonly object: T }>;
export type WatcherEffect<T> =
  | { readonly do: 'list'; readonly options: ListOptions }
  | { readonly do: 'watch'; readonly resourceVersion: string }
  | { readonly do: 'drop-watch' }
  | { readonly do: 'back-off' }
  /** The whole content at one revision. */
  | { readonly do: 'replace'; readonly items: readonly T[] }
  | { readonly do: 'apply'; readonly event: ObjectEvent<T> };

export interface WatcherStep<T> {
  readonly state: WatcherState<T>;
  readonly effects: readonly WatcherEffect<T>[];
}

export function step<T extends KubeObject>(state: WatcherState<T>, input: WatcherInput<T>): WatcherStep<T> {
  switch (state.at) {
    case 'empty':
      return input.type === 'ready' ? list(state.notOlderThan) : stay(state);
    case 'listing':
      if (input.type === 'page') return takePage(state, input.list);
      return input.type === 'list-failed' ? afterListFailure(state, input.error) : stay(state);
    case 'listed':
      return input.type === 'ready' ? watchFrom(state.resourceVersion) : stay(state);
    case 'watching':
      if (input.type === 'event') return takeEvent(state, input.event);
      return input.type === 'closed' ? afterWatch(state.resourceVersion, input) : stay(state);
    default:
      return unreachable(state);
  }
}

const stay = <T>(state: WatcherState<T>): WatcherStep<T> => ({ state, effects: [] });

/**
 * Without a bound the list is consistent and paged. With one it may come from the server's cache, which answers
 * such a list whole, and the content never goes back in time.
 */
function list<T>(notOlderThan: string): WatcherStep<T> {
  const options: ListOptions =
    notOlderThan === ''
      ? { limit: LIST_PAGE_SIZE }
      : { resourceVersion: notOlderThan, resourceVersionMatch: 'NotOlderThan' };
  return { state: { at: 'listing', notOlderThan, pages: [] }, effects: [{ do: 'list', options }] };
}

function watchFrom<T>(resourceVersion: string): WatcherStep<T> {
  return { state: { at: 'watching', resourceVersion }, effects: [{ do: 'watch', resourceVersion }] };
}

type Listing<T> = Extract<WatcherState<T>, { readonly at: 'listing' }>;

function takePage<T>(state: Listing<T>, answer: ObjectList<T>): WatcherStep<T> {
  const pages = [...state.pages, answer.items];
  if (answer.continue !== undefined && answer.continue !== '') {
    const options = { limit: LIST_PAGE_SIZE, continue: answer.continue };
    return { state: { ...state, pages }, effects: [{ do: 'list', options }] };
  }
  const next = watchFrom<T>(answer.resourceVersion);
  return { state: next.state, effects: [{ do: 'replace', items: pages.flat() }, ...next.effects] };
}

function afterListFailure<T>(state: Listing<T>, error: unknown): WatcherStep<T> {
  if (isUnavailableRevision(error)) {
    if (state.notOlderThan !== '') return list('');
    // The token outlived its revision: the same list again, in one piece.
    if (state.pages.length > 0) return { state: { ...state, pages: [] }, effects: [{ do: 'list', options: {} }] };
  }
  return { state: { at: 'empty', notOlderThan: state.notOlderThan }, effects: [{ do: 'back-off' }] };
}

function isUnavailableRevision(error: unknown): boolean {
  return isApiError(error, 'Expired') || causeOf(error, 'ResourceVersionTooLarge') !== undefined;
}

function takeEvent<T extends KubeObject>(
  state: Extract<WatcherState<T>, { readonly at: 'watching' }>,
  event: WatchEvent<T>,
): WatcherStep<T> {
  switch (event.type) {
    case 'BOOKMARK':
      return stay({ at: 'watching', resourceVersion: event.resourceVersion });
    case 'ERROR': {
      const next = afterWatch<T>(state.resourceVersion, { cause: event.error, short: false });
      return { state: next.state, effects: [{ do: 'drop-watch' }, ...next.effects] };
    }
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return {
        state: { at: 'watching', resourceVersion: event.object.metadata.resourceVersion },
        effects: [{ do: 'apply', event }],
      };
    default:
      return unreachable(event);
  }
}

function afterWatch<T>(
  resourceVersion: string,
  end: { readonly cause: ApiError | undefined; readonly short: boolean },
): WatcherStep<T> {
  if (isApiError(end.cause, 'Expired')) {
    return { state: { at: 'empty', notOlderThan: resourceVersion }, effects: [{ do: 'back-off' }] };
  }
  if (end.cause === undefined && !end.short) return watchFrom(resourceVersion);
  return { state: { at: 'listed', resourceVersion }, effects: [{ do: 'back-off' }] };
}

export interface WatcherOptions<T extends KubeObject> {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: Resource<T>;
  /** Namespace and selectors, the same for lists and watches. */
  readonly selection: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>;
  /** The server says that we may not: told once, and again after it let us. */
  onForbidden?(error: ApiError): void;
  onReplace(items: readonly T[]): void;
  /** May answer SETTLED. */
  onEvent(event: ObjectEvent<T>): unknown;
}

/** Carries out what `step` asks for, until its signal fires. */
export class Watcher<T extends KubeObject> {
  readonly #options: WatcherOptions<T>;
  #state: WatcherState<T> = { at: 'empty', notOlderThan: '' };
  /** Answers and events that belong to an earlier request than this one are ignored. */
  #request = 0;
  #watch: Disposable | undefined;
  #retry: Timer | undefined;
  #stopped = false;
  #failures = 0;
  /** The last answer was that we may not. */
  #isForbidden = false;
  #lastBackoffAt: DurationMs = 0;

  constructor(options: WatcherOptions<T>) {
    this.#options = options;
  }

  start(signal: AbortSignal): void {
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.#stop(), { once: true });
    this.#feed({ type: 'ready' });
  }

  #stop(): void {
    this.#stopped = true;
    this.#retry?.cancel();
    this.#dropWatch();
  }

  /** Answers as the last effect does. */
  #feed(input: WatcherInput<T>): unknown {
    if (this.#stopped) return undefined;
    this.#noteRight(input);
    const next = step(this.#state, input);
    this.#state = next.state;
    let answer: unknown;
    for (const effect of next.effects) answer = this.#perform(effect);
    return answer;
  }

  /** Waiting in silence for a right that nobody gives is the hardest fault to find. */
  #noteRight(input: WatcherInput<T>): void {
    if (input.type === 'page' || input.type === 'event') this.#isForbidden = false;
    const error = input.type === 'list-failed' ? input.error : input.type === 'closed' ? input.cause : undefined;
    if (!isApiError(error, 'Forbidden') || this.#isForbidden) return;
    this.#isForbidden = true;
    this.#options.onForbidden?.(error);
  }

  #perform(effect: WatcherEffect<T>): unknown {
    switch (effect.do) {
      case 'list':
        return this.#list(effect.options);
      case 'watch':
        return this.#openWatch(effect.resourceVersion);
      case 'drop-watch':
        return this.#dropWatch();
      case 'back-off':
        return this.#backOff();
      case 'replace':
        return this.#options.onReplace(effect.items);
      case 'apply':
        return this.#options.onEvent(effect.event);
      default:
        return unreachable(effect);
    }
  }

  #list(options: ListOptions): void {
    const request = ++this.#request;
    const feed = (input: WatcherInput<T>): void => {
      if (request === this.#request) this.#feed(input);
    };
    const { cluster, resource, selection } = this.#options;
    void cluster.list(resource, { ...selection, ...options }).then(
      (answer) => feed({ type: 'page', list: answer }),
      (error: unknown) => feed({ type: 'list-failed', error }),
    );
  }

  /** The sink may be called before `watch` returns. */
  #openWatch(resourceVersion: string): void {
    const request = ++this.#request;
    const { cluster, clock, resource, selection } = this.#options;
    const openedAt = clock.monotonic();
    let heard = false;
    const watch = cluster.watch(
      resource,
      { ...selection, resourceVersion, allowWatchBookmarks: true },
      {
        event: (event) => {
          if (request !== this.#request) return undefined;
          heard = true;
          return this.#feed({ type: 'event', event });
        },
        closed: (cause) => {
          if (request !== this.#request) return;
          this.#watch = undefined;
          this.#feed({ type: 'closed', cause, short: !heard && clock.monotonic() - openedAt < SHORT_WATCH_MS });
        },
      },
    );
    if (request === this.#request && this.#state.at === 'watching' && !this.#stopped) this.#watch = watch;
    else watch.dispose();
  }

  #dropWatch(): void {
    this.#request++;
    this.#watch?.dispose();
    this.#watch = undefined;
  }

  #backOff(): void {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    this.#failures = now - this.#lastBackoffAt > RETRY_RESET_MS ? 1 : this.#failures + 1;
    this.#lastBackoffAt = now;
    const delay = backoffAfter(this.#failures, RETRY_LIMITS) * (1 + RETRY_JITTER * random.fraction());
    this.#retry = clock.after(delay, () => this.#feed({ type: 'ready' }));
  }
}
