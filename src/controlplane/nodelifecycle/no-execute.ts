// Puts NoExecute taints on nodes that are not ready, zone by zone and at the zone's rate. Evictions that taints cause
// are not held back, so it is the taints that are.
// kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass
import type { DurationMs } from '../../base/clock.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Lister } from '../../runtime/informer.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { EvictionQueue, type QueuedNode } from './eviction-queue.ts';
import { readyCondition } from './node-health.ts';
import type { NodeWrites } from './node-writes.ts';
import { NOT_READY_NO_EXECUTE, type TaintSwap, UNREACHABLE_NO_EXECUTE } from './taints.ts';

/** kubernetes:pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go NodeEvictionPeriod */
const PERIOD_MS: DurationMs = 100;
/** A node without a Ready condition is looked at again after this. */
const NO_CONDITION_RETRY_MS: DurationMs = 50;

/** What stands for a node's Ready status; undefined for a ready node, which has neither taint. */
export function noExecuteSwap(status: string): TaintSwap | undefined {
  switch (status) {
    case 'False':
      return swap(NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE);
    case 'Unknown':
      return swap(UNREACHABLE_NO_EXECUTE, NOT_READY_NO_EXECUTE);
    default:
      return undefined;
  }
}

const swap = (add: Taint, remove: Taint): TaintSwap => ({ add: [add], remove: [remove] });

export class NoExecuteTainter {
  readonly #context: ComponentContext;
  readonly #nodes: Lister<Node>;
  readonly #writes: NodeWrites;
  /** By zone. */
  readonly #queues = new Map<string, EvictionQueue>();
  readonly #loop: GridLoop;

  constructor(context: ComponentContext, nodes: Lister<Node>, writes: NodeWrites) {
    this.#context = context;
    this.#nodes = nodes;
    this.#writes = writes;
    this.#loop = new GridLoop({ ...context, name: 'taint queue', periodMs: PERIOD_MS, pass: () => this.#pass() });
  }

  start(): void {
    this.#loop.start();
  }

  /** A zone that was not there, or was given up, begins with an empty queue and a turn at hand. */
  addZone(zone: string, rate: number): void {
    this.#queues.set(zone, new EvictionQueue(rate));
  }

  setRate(zone: string, rate: number): void {
    this.#queues.get(zone)?.setRate(rate, this.#now());
    this.#wake();
  }

  has(zone: string, name: string): boolean {
    return this.#queues.get(zone)?.has(name) === true;
  }

  add(zone: string, name: string, reason: Reason): void {
    if (this.#queues.get(zone)?.add(name, this.#now(), reason) === true) this.#loop.mark(reason);
  }

  remove(zone: string, name: string): void {
    this.#queues.get(zone)?.remove(name);
  }

  async #pass(): Promise<void> {
    for (const queue of this.#queues.values()) {
      for (let node = queue.take(this.#now()); node !== undefined; node = queue.take(this.#now())) {
        await this.#taint(queue, node);
      }
    }
    this.#wake();
  }

  async #taint(queue: EvictionQueue, queued: QueuedNode): Promise<void> {
    const now = this.#now();
    const node = this.#nodes.get(queued.name);
    if (node === undefined) return queue.done(queued.name);
    const ready = readyCondition(node.status.conditions);
    if (ready === undefined) return queue.retry(queued, now + NO_CONDITION_RETRY_MS);
    const taints = noExecuteSwap(ready.status);
    if (taints === undefined) return queue.done(queued.name);
    const cluster = this.#context.cluster.because(queued.reason);
    const result = await attempt(() => this.#writes.swapTaints(node, taints, cluster));
    if (!result.failed) return queue.done(queued.name);
    this.#context.log.write('warn', `node ${queued.name} not tainted: ${messageOf(result.error)}`);
    queue.retry(queued, now);
  }

  #wake(): void {
    const now = this.#now();
    for (const queue of this.#queues.values()) {
      const nextTry = queue.nextTry;
      if (nextTry !== undefined) this.#loop.markAfter(nextTry - now, { type: 'deadline', entry: null });
    }
  }

  #now(): DurationMs {
    return this.#context.clock.monotonic();
  }
}
