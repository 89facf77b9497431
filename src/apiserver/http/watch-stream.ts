// One open watch: events are written as they come while the client reads, and wait as references while it does not. A client
// that falls too far behind is cut off, so that no reader can make the server grow; it lists again or watches from where it was.
import type { Disposable, WatchEvent, WatchSink } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { OpenStream, StreamOut } from './http-exchange.ts';

/** Beyond what the watch began with. kubernetes:staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go holds 10 to 1000 */
const WAITING_EVENTS_MAX = 1000;

/** `isFirst`: no event was written before. */
type EncodeEvent = (event: WatchEvent<KubeObject>, isFirst: boolean) => Uint8Array;

export class WatchStream implements WatchSink<KubeObject>, OpenStream {
  readonly #encode: EncodeEvent;
  #out: StreamOut | undefined;
  #watch: Disposable | undefined;
  /** Events that are not written yet, from #head on. */
  #waiting: WatchEvent<KubeObject>[] = [];
  #head = 0;
  #waitingMax = WAITING_EVENTS_MAX;
  #isBlocked = true;
  #hasWritten = false;
  #isClosed = false;

  constructor(encode: EncodeEvent) {
    this.#encode = encode;
  }

  /** Begins to write; what came before is written first. */
  open(out: StreamOut, watch: Disposable): this {
    this.#out = out;
    this.#watch = watch;
    this.#waitingMax = this.#waiting.length + WAITING_EVENTS_MAX;
    this.drained();
    return this;
  }

  event(event: WatchEvent<KubeObject>): void {
    if (!this.#isBlocked) {
      this.#write(event);
      return;
    }
    this.#waiting.push(event);
    if (this.#out !== undefined && this.#waiting.length - this.#head > this.#waitingMax) {
      this.#out.abort();
      this.dispose();
    }
  }

  closed(): void {
    this.#isClosed = true;
    if (!this.#isBlocked) this.#out?.end();
  }

  drained(): void {
    this.#isBlocked = false;
    while (!this.#isBlocked) {
      const event = this.#waiting[this.#head];
      if (event === undefined) break;
      this.#head++;
      this.#write(event);
    }
    if (this.#head < this.#waiting.length) return;
    this.#waiting = [];
    this.#head = 0;
    if (this.#isClosed && !this.#isBlocked) this.#out?.end();
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#watch = undefined;
    this.#waiting = [];
    this.#head = 0;
    this.#isBlocked = true;
    this.#out = undefined;
  }

  #write(event: WatchEvent<KubeObject>): void {
    const line = this.#encode(event, !this.#hasWritten);
    this.#hasWritten = true;
    if (this.#out?.write(line) === false) this.#isBlocked = true;
  }
}
