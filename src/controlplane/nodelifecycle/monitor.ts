// Looks at the nodes every period and calls those silent that were not heard of for longer than the grace period. It
// looks only when there is something to see: a node changed, one was left half done, or the silence of one may have
// become too long. What it does, and when, is what looking at every node in every period would do.
// It is a heartbeat: its timers never keep a world awake.
// kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go Run
import { type DurationMs, SETTLED, type Timer } from '../../base/clock.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Lease } from '../../kube/resources/lease.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Change, Informer } from '../../runtime/informer.ts';
import { supervise } from '../../runtime/supervise.ts';
import { Checkup } from './checkup.ts';
import { Heartbeats } from './heartbeats.ts';
import { MonitorGrid } from './monitor-grid.ts';
import { type Due, MonitorPass, type MonitorPassOptions } from './monitor-pass.ts';

/** A look takes time, however little there is to see: ten periods are longer than a grace period of ten times as much. */
const LOOK_MS: DurationMs = 1;

export interface MonitorOptions extends Omit<MonitorPassOptions, 'heartbeats' | 'checkup'> {
  readonly nodes: Informer<Node>;
  readonly leases: Informer<Lease>;
}

export class NodeMonitor {
  readonly #options: MonitorOptions;
  readonly #heartbeats = new Heartbeats();
  readonly #checkup: Checkup;
  readonly #pass: MonitorPass;
  readonly #grid: MonitorGrid;
  /** Nodes that the next look has to see, with the first reason why. */
  readonly #due = new Map<string, Reason>();
  /** Nodes whose Lease was renewed during the look that is under way. */
  readonly #renewed = new Set<string>();
  #state: 'waiting' | 'idle' | 'looking' = 'waiting';
  /** Set for the instant of the next look; undefined while one is under way or if none is wanted. */
  #wake: { readonly timer: Timer; readonly at: DurationMs } | undefined;

  constructor(options: MonitorOptions) {
    const { context, settings, nodes, leases } = options;
    this.#options = options;
    this.#checkup = new Checkup({ ...options, heartbeats: this.#heartbeats });
    this.#pass = new MonitorPass({ ...options, heartbeats: this.#heartbeats, checkup: this.#checkup });
    this.#grid = new MonitorGrid(settings.nodeMonitorPeriodMs + LOOK_MS);
    nodes.subscribe((change, reason) => this.#nodeChanged(change, reason));
    leases.subscribe(({ type, object }) => {
      if (type !== 'deleted') this.#leaseRenewed(object.metadata.name);
      return SETTLED;
    });
    context.signal.addEventListener('abort', () => this.#wake?.timer.cancel(), { once: true });
  }

  /** Looks at once, and from then on as often as there is something to see. */
  start(): void {
    supervise('node monitor', this.#look(), this.#options.context.log);
  }

  /** As last counted; undefined if the node is not known or never said so. */
  lastReadyStatus(node: string): string | undefined {
    return this.#heartbeats.healthOf(node, this.#now())?.ready?.status;
  }

  #nodeChanged({ type, object }: Change<Node>, reason: Reason): void {
    const { name } = object.metadata;
    if (type === 'deleted') this.#pass.forget(name);
    if (!this.#due.has(name)) this.#due.set(name, reason);
    this.#arm();
  }

  /** A look under way may have passed the node already: whether the renewal is still to be counted shows at its end. */
  #leaseRenewed(name: string): void {
    if (this.#state === 'looking') this.#renewed.add(name);
    else if (this.#state === 'idle') this.#noteRenewal(name);
  }

  #noteRenewal(name: string): void {
    const lease = this.#checkup.leaseOf(name);
    const now = this.#now();
    if (lease !== undefined) this.#heartbeats.renewed(name, lease, { now, countedAt: this.#grid.lookAt(now) });
  }

  /** Sets the timer for the first look that has something to see. */
  #arm(): void {
    const { context, settings } = this.#options;
    if (this.#state !== 'idle' || context.signal.aborted) return;
    const now = this.#now();
    const wantedAt = this.#due.size > 0 || settings.looksAtAll ? now : this.#heartbeats.nextDeadline;
    if (wantedAt === undefined) return;
    const at = this.#grid.lookAt(Math.max(now, wantedAt));
    // A look that is due stays due, however late its timer is.
    if (this.#wake !== undefined && this.#wake.at <= at) return;
    this.#wake?.timer.cancel();
    this.#wake = { timer: context.clock.after(at - now, () => this.start(), { background: true }), at };
  }

  /** Looks never overlap: the next one is set when this one has ended. */
  async #look(): Promise<void> {
    this.#state = 'looking';
    this.#wake = undefined;
    const due = this.#takeDue();
    try {
      const unsettled = await this.#pass.run(due, [...this.#options.nodes.all()]);
      for (const name of unsettled) this.#lookAgain(name);
    } catch (error) {
      for (const { name } of due) this.#lookAgain(name);
      throw error;
    } finally {
      this.#endLook();
    }
  }

  /** By name: upstream's order is that of a hash map. */
  #takeDue(): readonly Due[] {
    const { nodes, settings } = this.#options;
    const now = this.#now();
    for (const name of this.#heartbeats.takeDue(now)) this.#deadlineCame(name, now);
    if (settings.looksAtAll) for (const { metadata } of nodes.all()) this.#lookAgain(metadata.name);
    const due = [...this.#due].map(([name, reason]) => ({ name, reason, node: nodes.get(name) }));
    this.#due.clear();
    return due.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Deadlines are not moved with every heartbeat: most are found to be too early. */
  #deadlineCame(name: string, now: DurationMs): void {
    const graceMs = this.#checkup.graceOf(this.#heartbeats.healthOf(name, now)?.ready);
    const silentAt = this.#heartbeats.silentAt(name, now, graceMs);
    if (silentAt > now) this.#heartbeats.watch(name, silentAt);
    else if (!this.#due.has(name)) this.#due.set(name, { type: 'deadline', entry: null });
  }

  #lookAgain(name: string): void {
    if (!this.#due.has(name)) this.#due.set(name, { type: 'resync', entry: null });
  }

  #endLook(): void {
    this.#grid.ended(this.#now());
    this.#state = 'idle';
    for (const name of this.#renewed) this.#noteRenewal(name);
    this.#renewed.clear();
    this.#arm();
  }

  #now(): DurationMs {
    return this.#options.context.clock.monotonic();
  }
}
