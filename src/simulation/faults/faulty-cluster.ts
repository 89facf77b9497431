// One actor's view of the cluster through its line. Without faults a request costs one check before and one after.
import type { DurationMs } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { StatusError } from '../../kube/api-error.ts';
import type { Cluster, Disposable, ListOptions, SendUpdate, WatchEvent, WatchSink } from '../../kube/cluster.ts';

import { type ActorLine, type Losable, unreached } from './actor-line.ts';

/** How long a client waits for an answer: kubernetes:cmd/kubelet/app/server.go, the heartbeat client. */
const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;

export function faultyCluster(inner: Cluster, line: ActorLine): Cluster {
  const ask = <T>(send: () => Promise<T>): Promise<T> => request(line, send);
  return {
    get: (...args) => ask(() => inner.get(...args)),
    list: (resource, options = {}) => ask(() => inner.list(resource, staleOptions(line, options))),
    watch: (resource, options, sink) =>
      new FaultyWatch(line, sink).open((wrapped) => inner.watch(resource, options, wrapped)),
    create: (...args) => ask(() => inner.create(...args)),
    update: (...args) => ask(() => inner.update(...args)),
    sendUpdate: inner.sendUpdate === undefined ? undefined : sendingThrough(line, inner, inner.sendUpdate.bind(inner)),
    patch: (...args) => ask(() => inner.patch(...args)),
    post: (...args) => ask(() => inner.post(...args)),
    delete: (...args) => ask(() => inner.delete(...args)),
    deleteCollection: (...args) => ask(() => inner.deleteCollection(...args)),
    because: (reason) => faultyCluster(inner.because(reason), line),
  };
}

/** Where nothing is wrong the answer is told without a promise. */
function sendingThrough(line: ActorLine, inner: Cluster, send: SendUpdate): SendUpdate {
  return (resource, object, answered) => {
    const fail = (error: unknown): unknown => answered({ error });
    if (!line.isFree) {
      void request(line, () => inner.update(resource, object)).then((updated) => answered({ object: updated }), fail);
      return;
    }
    const startedAt = line.clock.monotonic();
    send(resource, object, (answer) =>
      line.isClear ? answered(answer) : void comeBack(line, startedAt).then(() => answered(answer), fail),
    );
  };
}

async function request<T>(line: ActorLine, send: () => Promise<T>): Promise<T> {
  const startedAt = line.clock.monotonic();
  const refusal = line.refusal();
  if (refusal?.afterEffect === false) throw refusal.error;
  if (line.latencyMs > 0) await line.clock.sleep(line.latencyMs);
  if (!line.network.isOpen) await reach(line, startedAt);
  try {
    const answer = await send();
    if (refusal !== undefined) throw refusal.error;
    return answer;
  } finally {
    if (!line.isClear) await comeBack(line, startedAt);
  }
}

/** What the server has answered is under way: the network may have gone meanwhile, the process may stand still. */
async function comeBack(line: ActorLine, startedAt: DurationMs): Promise<void> {
  if (!line.network.isOpen) await reach(line, startedAt);
  if (!line.time.isOpen) await line.time.pass();
}

/** Packets that find no way are sent again until the client gives up. */
function reach(line: ActorLine, startedAt: DurationMs): Promise<void> {
  const leftMs = startedAt + REQUEST_TIMEOUT_MS - line.clock.monotonic();
  return new Promise((resolve, reject) => {
    const timer = line.clock.after(leftMs, () => reject(unreached()));
    line.network.run(() => {
      timer.cancel();
      resolve();
    });
  });
}

/** A list that may be answered from the cache is answered as the cache stands. */
function staleOptions(line: ActorLine, options: ListOptions): ListOptions {
  const { resourceVersion = '', resourceVersionMatch } = options;
  if (line.staleAt === undefined || resourceVersion === '' || resourceVersionMatch === 'Exact') return options;
  const revision = Math.max(line.staleAt, Number(resourceVersion));
  return { ...options, resourceVersion: String(revision), resourceVersionMatch: 'Exact' };
}

/** One stream of events. They arrive in the order in which the server sent them, whatever holds them up on the way. */
class FaultyWatch<T> implements Disposable, Losable {
  readonly #line: ActorLine;
  readonly #sink: WatchSink<T>;
  #inner: Disposable | undefined;
  #isOver = false;
  /** Deliveries that wait for their latency, and when the last of them is due. */
  #underWay = 0;
  #lastDue: DurationMs = 0;

  constructor(line: ActorLine, sink: WatchSink<T>) {
    this.#line = line;
    this.#sink = sink;
    line.watches.add(this);
  }

  open(connect: (sink: WatchSink<T>) => Disposable): Disposable {
    const { refusesWatches, network, clock } = this.#line;
    if (refusesWatches) void Promise.resolve().then(() => this.lose(refused()));
    else if (network.isOpen) this.#connect(connect);
    else
      void reach(this.#line, clock.monotonic()).then(
        () => this.#connect(connect),
        (cause: StatusError) => this.lose(cause),
      );
    return this;
  }

  #connect(connect: (sink: WatchSink<T>) => Disposable): void {
    if (this.#isOver) return;
    this.#inner = connect({
      event: (event: WatchEvent<T>) => {
        if (this.#isFree()) return this.#sink.event(event);
        this.#deliver(() => this.#sink.event(event));
        return undefined;
      },
      closed: (cause) => this.#deliver(() => this.#close(() => this.#sink.closed(cause))),
    });
  }

  /** Nothing holds up what comes now, and nothing is held up that must come before it. */
  #isFree(): boolean {
    const { cache, isClear, latencyMs } = this.#line;
    return isClear && cache.isOpen && latencyMs === 0 && this.#underWay === 0 && !this.#isOver;
  }

  #deliver(arrive: () => void): void {
    const { cache, network, time } = this.#line;
    const last = (): void => {
      if (!this.#isOver) arrive();
    };
    cache.run(() => network.run(() => this.#later(() => time.run(last))));
  }

  #later(arrive: () => void): void {
    const { clock, latencyMs } = this.#line;
    if (latencyMs === 0 && this.#underWay === 0) return arrive();
    this.#lastDue = Math.max(clock.monotonic() + latencyMs, this.#lastDue);
    this.#underWay++;
    clock.after(this.#lastDue - clock.monotonic(), () => {
      this.#underWay--;
      arrive();
    });
    return undefined;
  }

  lose(cause: StatusError): void {
    if (this.#isOver) return;
    this.#close(() => this.#line.time.run(() => this.#sink.closed(cause)));
  }

  dispose(): void {
    this.#close(() => undefined);
  }

  #close(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#line.watches.delete(this);
    this.#inner?.dispose();
    tell();
  }
}

const refused = (): StatusError =>
  new StatusError({ code: 503, reason: 'ServiceUnavailable', message: 'the connection was made to fail' });
