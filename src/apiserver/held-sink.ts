// A watch that opens on what is not durable yet says nothing until it is: its events wait, in their order, and later ones
// behind them.
import { type ApiError, internal, isApiError } from '../kube/api-error.ts';
import type { WatchEvent, WatchSink } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';

export class HeldSink implements WatchSink<KubeObject> {
  readonly #sink: WatchSink<KubeObject>;
  /** What is to be said once it may be; undefined from then on. */
  #waiting: (() => void)[] | undefined = [];

  constructor(sink: WatchSink<KubeObject>, settling: Promise<void>) {
    this.#sink = sink;
    settling.then(
      () => this.#open(),
      (error: unknown) =>
        this.#refuse(isApiError(error) ? error : internal('what this watch began with is not stored')),
    );
  }

  event(event: WatchEvent<KubeObject>): void {
    if (this.#waiting === undefined) this.#sink.event(event);
    else this.#waiting.push(() => this.#sink.event(event));
  }

  closed(cause: ApiError | undefined): void {
    if (this.#waiting === undefined) this.#sink.closed(cause);
    else this.#waiting.push(() => this.#sink.closed(cause));
  }

  #open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const say of waiting) say();
  }

  /** What the watch began with was taken back. */
  #refuse(error: ApiError): void {
    this.#waiting = [];
    this.#sink.event({ type: 'ERROR', error });
    this.#sink.closed(error);
  }
}
