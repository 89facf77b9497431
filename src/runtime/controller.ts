// Workers that take keys from one queue and reconcile them. A pass that throws is tried again after the key's own wait;
// a pass that asks to come back says what it waits for, which the timeline keeps.
import { AssertionFailure, unreachable } from '../base/assert.ts';
import { Aborted, type DurationMs, SETTLED } from '../base/clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster, Disposable } from '../kube/cluster.ts';
import type { KubeObject, ObjectKey } from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import type { ComponentContext } from './component.ts';
import { type Change, type Informer, type Syncable, waitForSync } from './informer.ts';
import type { QueueLimits } from './rate-limiter.ts';
import { messageOf, reportFailure, supervise } from './supervise.ts';
import { WaitLog } from './wait-log.ts';
import { KeyedQueue, type WorkQueue } from './workqueue.ts';

export type Outcome =
  | { readonly type: 'settled' }
  | { readonly type: 'requeue'; readonly after: DurationMs; readonly waitingFor: string };
/** One pass over one key, or one pass of a tickless loop. */
export interface Turn {
  /** The component's view with the reason of this turn on it. */
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  /** To hand on with a CSI call; never to decide by. */
  readonly reason: Reason;
}
export interface Reconciler {
  readonly name: string;
  /** Of the objects its keys name, for the timeline. */
  readonly kind?: string;
  reconcile(key: ObjectKey, turn: Turn): Promise<Outcome>;
}
/** Turns changes of some kind into keys of ours. Built by `trigger(informer, keysOf)`, which hides the kind. */
export interface Trigger {
  subscribe(enqueue: (key: ObjectKey, reason: Reason) => void): Disposable;
}
export function trigger<T extends KubeObject>(
  informer: Informer<T>,
  keysOf: (change: Change<T>) => Iterable<ObjectKey>,
): Trigger {
  return {
    subscribe: (enqueue) =>
      informer.subscribe((change, reason) => {
        let isSettled = true;
        for (const key of keysOf(change)) {
          isSettled = false;
          enqueue(key, reason);
        }
        return isSettled ? SETTLED : undefined;
      }),
  };
}
export interface ControllerOptions {
  readonly reconciler: Reconciler;
  readonly triggers: readonly Trigger[];
  readonly workers: number;
  readonly context: ComponentContext;
  readonly queueLimits?: QueueLimits;
  /** Workers start when all of these know their content. Keys line up meanwhile. */
  readonly waitFor?: readonly Syncable[];
}
export interface Controller {
  readonly queue: WorkQueue<ObjectKey>;
}

/** Runs until the context's signal fires. */
export function startController(options: ControllerOptions): Controller {
  const { context, reconciler, queueLimits } = options;
  const queue = new KeyedQueue<ObjectKey>({
    clock: context.clock,
    signal: context.signal,
    ...(queueLimits === undefined ? {} : { limits: queueLimits }),
  });
  const subscriptions = options.triggers.map((each) => each.subscribe((key, reason) => queue.add(key, reason)));
  context.signal.addEventListener('abort', () => subscriptions.forEach((each) => each.dispose()), { once: true });
  const passes = new Passes(reconciler, context, queue);
  supervise(reconciler.name, runWorkers(options, passes), context.log);
  return { queue };
}

async function runWorkers(options: ControllerOptions, passes: Passes): Promise<void> {
  await waitForSync(options.waitFor ?? [], options.context.signal);
  await Promise.all(Array.from({ length: options.workers }, () => passes.work()));
}

class Passes {
  readonly #reconciler: Reconciler;
  readonly #context: ComponentContext;
  readonly #queue: KeyedQueue<ObjectKey>;
  readonly #waits: WaitLog;

  constructor(reconciler: Reconciler, context: ComponentContext, queue: KeyedQueue<ObjectKey>) {
    this.#reconciler = reconciler;
    this.#context = context;
    this.#queue = queue;
    this.#waits = new WaitLog(context, { actor: reconciler.name, kind: reconciler.kind ?? '' });
  }

  /** Ends by the signal alone. */
  async work(): Promise<never> {
    for (;;) {
      const { key, reason } = await this.#queue.take(this.#context.signal);
      await this.#pass(key, reason);
      this.#queue.done(key);
    }
  }

  async #pass(key: ObjectKey, reason: Reason): Promise<void> {
    const { cluster, signal } = this.#context;
    try {
      const outcome = await this.#reconciler.reconcile(key, { cluster: cluster.because(reason), signal, reason });
      this.#conclude(key, reason, outcome);
    } catch (error) {
      this.#fail(key, reason, error);
    }
  }

  #conclude(key: ObjectKey, reason: Reason, outcome: Outcome): void {
    this.#queue.forget(key);
    switch (outcome.type) {
      case 'settled':
        this.#waits.ended(key);
        return;
      case 'requeue': {
        const { waitingFor, after } = outcome;
        const entry = this.#waits.waits(key, waitingFor, reason);
        this.#queue.addAfter(key, after, { type: 'requeued', waitingFor, entry });
        return;
      }
      default:
        return unreachable(outcome);
    }
  }

  #fail(key: ObjectKey, reason: Reason, error: unknown): void {
    const { log, signal } = this.#context;
    const { name } = this.#reconciler;
    if (error instanceof Aborted && signal.aborted) return;
    this.#waits.ended(key);
    const attempt = this.#queue.failures(key) + 1;
    if (error instanceof AssertionFailure) reportFailure(`${name} ${key}`, error, log);
    else {
      const level = isApiError(error, 'Conflict') ? 'debug' : 'warn';
      log.write(level, `${name} ${key}: ${messageOf(error)}`, { key, attempt, error });
    }
    this.#queue.addRateLimited(key, { type: 'failed', attempt, entry: reason.entry });
  }
}
