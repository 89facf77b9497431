// What one look at the nodes does: meets new ones, misses those that are gone, judges each that is due, and then sees
// how its zone fares. kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth
import type { Cluster } from '../../kube/cluster.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { Checkup, Finding } from './checkup.ts';
import type { Heartbeats } from './heartbeats.ts';
import { type NoExecuteTainter, noExecuteSwap } from './no-execute.ts';
import { readyCondition } from './node-health.ts';
import type { NodeWrites } from './node-writes.ts';
import type { PodReadiness } from './pod-readiness.ts';
import { NodeEvents } from './reasons.ts';
import type { ResolvedSettings } from './settings.ts';
import { NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE, hasTaint } from './taints.ts';
import { ZoneControl } from './zone-control.ts';
import { countsForZone, zoneOf } from './zones.ts';

/** kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go nodeUpdateWorkerSize */
const WORKERS = 8;

/** A node to look at, as it was when the look began; without one it is gone. */
export interface Due {
  readonly name: string;
  readonly reason: Reason;
  readonly node: Node | undefined;
}

export interface MonitorPassOptions {
  readonly context: ComponentContext;
  readonly settings: ResolvedSettings;
  /** Indexed by `node`. */
  readonly pods: Lister<Pod>;
  readonly writes: NodeWrites;
  readonly tainter: NoExecuteTainter;
  readonly readiness: PodReadiness;
  readonly recorder: Recorder;
  readonly heartbeats: Heartbeats;
  readonly checkup: Checkup;
}

export class MonitorPass {
  readonly #options: MonitorPassOptions;
  readonly #zones: ZoneControl;
  /** Nodes that were met, as they were then. */
  readonly #known = new Map<string, Node>();
  /** Nodes some of whose pods could not be marked not ready. */
  readonly #unmarked = new Set<string>();

  constructor(options: MonitorPassOptions) {
    this.#options = options;
    this.#zones = new ZoneControl(options.settings, options.tainter);
  }

  /** Returns the nodes that the next look has to see again, whatever happens to them. `all` is as of the start. */
  async run(due: readonly Due[], all: readonly Node[]): Promise<readonly string[]> {
    for (const { node } of due) this.#meetZone(node);
    for (const each of due) await this.#meet(each);
    for (const each of due) this.#miss(each);
    const unsettled = new Set<string>();
    const line = due.values();
    const work = async (): Promise<void> => {
      for (const { name, node, reason } of line) {
        if (node !== undefined && !(await this.#judge(node, reason))) unsettled.add(name);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    await this.#settleZones(all);
    return due.filter(({ name }) => unsettled.has(name)).map(({ name }) => name);
  }

  /** The node object went: pods of another node under its name are another matter. */
  forget(name: string): void {
    this.#unmarked.delete(name);
  }

  /** A node that is known may have been given another zone. */
  #meetZone(node: Node | undefined): void {
    if (node !== undefined && this.#known.has(node.metadata.name)) this.#zones.add(zoneOf(node.metadata.labels));
  }

  /** A new node is taken for reachable until it is judged, also by a controller that has just started. */
  async #meet({ node, reason }: Due): Promise<void> {
    if (node === undefined || this.#known.has(node.metadata.name)) return;
    const cluster = this.#options.context.cluster.because(reason);
    this.#events(cluster).registered(node);
    this.#known.set(node.metadata.name, node);
    this.#zones.add(zoneOf(node.metadata.labels));
    await this.#makeReachable(node, cluster);
  }

  #miss({ name, node, reason }: Due): void {
    const known = this.#known.get(name);
    if (node !== undefined || known === undefined) return;
    this.#events(this.#options.context.cluster.because(reason)).removed(known);
    this.#known.delete(name);
    this.#zones.ledger.delete(name);
    this.#options.heartbeats.unwatch(name);
  }

  /** Returns whether looking again would show nothing new. */
  async #judge(known: Node, reason: Reason): Promise<boolean> {
    const { name } = known.metadata;
    const finding = await this.#options.checkup.check(known, reason);
    this.#count(name, finding);
    if (finding === undefined) return false;
    const { observed, current } = finding;
    this.#watch(finding);
    if (current === undefined) {
      this.#unmarked.delete(name);
      return this.#hasCountedLease(name);
    }
    const status = this.#options.settings.profile.queuesInSamePass ? current : observed;
    const tainted = await this.#taint(finding, status);
    const marked = await this.#markPods(finding);
    return tainted && marked && this.#hasCountedLease(name);
  }

  #count(name: string, finding: Finding | undefined): void {
    const { ledger } = this.#zones;
    if (finding === undefined) return ledger.delete(name);
    const { labels } = finding.node.metadata;
    const state = finding.current === 'True' ? 'ready' : 'notReady';
    ledger.set(name, { zone: zoneOf(labels), counts: countsForZone(labels) ? state : 'excluded' });
  }

  /** A node that is called silent already cannot become more so. */
  #watch({ node, current }: Finding): void {
    const { heartbeats, checkup, context } = this.#options;
    const { name } = node.metadata;
    if (current === 'Unknown') return heartbeats.unwatch(name);
    const graceMs = checkup.graceOf(readyCondition(node.status.conditions));
    heartbeats.watch(name, heartbeats.silentAt(name, context.clock.monotonic(), graceMs));
  }

  #hasCountedLease(name: string): boolean {
    const { heartbeats, checkup, context } = this.#options;
    const health = heartbeats.healthOf(name, context.clock.monotonic());
    return health?.lease !== undefined || checkup.leaseOf(name) === undefined;
  }

  /** Returns whether the NoExecute taints are as they should be for this status, as far as was known when asked. */
  async #taint({ node, reason }: Finding, status: string): Promise<boolean> {
    const { context, tainter, writes } = this.#options;
    const cluster = context.cluster.because(reason);
    const { name, labels } = node.metadata;
    const { taints } = node.spec;
    const zone = zoneOf(labels);
    if (status === 'True') {
      await this.#makeReachable(node, cluster);
      return !hasTaint(taints, UNREACHABLE_NO_EXECUTE) && !hasTaint(taints, NOT_READY_NO_EXECUTE);
    }
    const swap = noExecuteSwap(status);
    if (swap === undefined) return true;
    if (swap.remove.some((taint) => hasTaint(taints, taint))) {
      await this.#tried(`taints of node ${name}`, () => writes.swapTaints(node, swap, cluster));
      return false;
    }
    const isTainted = swap.add.every((taint) => hasTaint(taints, taint));
    if (!isTainted) tainter.remove(zone, name);
    tainter.add(zone, name, reason);
    return isTainted;
  }

  async #makeReachable(node: Node, cluster: Cluster): Promise<void> {
    const { tainter, writes } = this.#options;
    const { name, labels } = node.metadata;
    const removed = await this.#tried(`taints of node ${name}`, async () => {
      await writes.removeTaints(node, [UNREACHABLE_NO_EXECUTE], cluster);
      await writes.removeTaints(node, [NOT_READY_NO_EXECUTE], cluster);
    });
    if (removed) tainter.remove(zoneOf(labels), name);
  }

  /** Returns whether nothing is left to be marked. */
  async #markPods({ node, observed, current, reason }: Finding): Promise<boolean> {
    const { context, pods, readiness } = this.#options;
    const { name } = node.metadata;
    const cluster = context.cluster.because(reason);
    const hasTurned = observed === 'True' && current !== 'True';
    if (hasTurned) this.#events(cluster).notReady(node);
    const isAsked = hasTurned || (this.#unmarked.has(name) && observed !== 'True');
    if (!isAsked || (await readiness.markNotReady([...pods.by('node', name)], cluster))) {
      this.#unmarked.delete(name);
      return true;
    }
    this.#unmarked.add(name);
    return false;
  }

  async #settleZones(all: readonly Node[]): Promise<void> {
    const { context, heartbeats } = this.#options;
    await this.#zones.settle({
      stopping: async () => {
        for (const node of all) await this.#makeReachable(node, context.cluster);
      },
      resuming: () =>
        heartbeats.restart(
          all.map(({ metadata }) => metadata.name),
          context.clock.monotonic(),
        ),
    });
  }

  async #tried(what: string, write: () => Promise<void>): Promise<boolean> {
    const result = await attempt(write);
    if (result.failed) this.#options.context.log.write('warn', `${what}: ${messageOf(result.error)}`);
    return !result.failed;
  }

  #events(cluster: Cluster): NodeEvents {
    return new NodeEvents(this.#options.recorder.via(cluster));
  }
}
