// All open watches: how long each lasts, and when readers are told how far they have seen.
import { type Clock, type DurationMs, MINUTE_MS, SECOND_MS, type Timer } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Disposable, WatchOptions, WatchSink } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';
import type { ObjectStore } from './objectstore/object-store.ts';
import { type OpenWatch, WatchHub } from './registry/generic-watch.ts';
import type { Strategy } from './registry/strategy.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go */
const BOOKMARK_PERIOD_MS = MINUTE_MS;
/** Between this and twice as long, by chance, so that not all watches end at once. kubernetes:staging/src/k8s.io/apiserver/pkg/server/config.go */
const WATCH_DURATION_MS_MIN = 30 * MINUTE_MS;

export interface WatchServiceOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

export class WatchService {
  readonly #options: WatchServiceOptions;
  readonly #random: Random;
  /** By strategy: the views of a kind select by different fields. */
  readonly #hubs = new Map<Strategy, WatchHub>();
  /** Open watches that asked for bookmarks. #nextBookmarks is set exactly while there are any. */
  readonly #bookmarked = new Set<OpenWatch>();
  #nextBookmarks: Timer | undefined;

  constructor(options: WatchServiceOptions) {
    this.#options = options;
    this.#random = options.random.fork('watch');
  }

  open(strategy: Strategy, options: WatchOptions, sink: WatchSink<KubeObject>): Disposable {
    const watch = this.#hub(strategy).open(options, sink);
    const timer = this.#options.clock.after(this.#durationMs(options), () => this.#expire(watch), { background: true });
    if (options.allowWatchBookmarks === true) this.#bookmarked.add(watch);
    this.#scheduleBookmarks();
    return {
      dispose: () => {
        timer.cancel();
        this.#forget(watch);
        watch.dispose();
      },
    };
  }

  /** Open watches. */
  get size(): number {
    return [...this.#hubs.values()].reduce((sum, hub) => sum + hub.size, 0);
  }

  /** Ends all watches of a kind that is no longer served in this way. */
  close(strategy: Strategy): void {
    this.#hubs.get(strategy)?.end();
    this.#hubs.delete(strategy);
  }

  #hub(strategy: Strategy): WatchHub {
    const existing = this.#hubs.get(strategy);
    if (existing !== undefined) return existing;
    const hub = new WatchHub(this.#options.store, strategy);
    this.#hubs.set(strategy, hub);
    return hub;
  }

  #durationMs({ timeoutSeconds }: WatchOptions): DurationMs {
    if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * SECOND_MS;
    return WATCH_DURATION_MS_MIN * (1 + this.#random.fraction());
  }

  #expire(watch: OpenWatch): void {
    watch.bookmark();
    this.#forget(watch);
    watch.end(undefined);
  }

  #forget(watch: OpenWatch): void {
    this.#bookmarked.delete(watch);
    if (this.#bookmarked.size > 0) return;
    this.#nextBookmarks?.cancel();
    this.#nextBookmarks = undefined;
  }

  #scheduleBookmarks(): void {
    if (this.#bookmarked.size === 0 || this.#nextBookmarks !== undefined) return;
    this.#nextBookmarks = this.#options.clock.after(BOOKMARK_PERIOD_MS, () => this.#sendBookmarks(), {
      background: true,
    });
  }

  #sendBookmarks(): void {
    this.#nextBookmarks = undefined;
    for (const watch of this.#bookmarked) watch.bookmark();
    this.#scheduleBookmarks();
  }
}
