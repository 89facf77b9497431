// One look at one node: counts its heartbeats, and if it was silent for too long says so in its status.
// kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth
import { type DurationMs, timestamp } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { Reason } from '../../kube/reason.ts';
import type { Lease } from '../../kube/resources/lease.ts';
import { type Node, type NodeCondition, Nodes } from '../../kube/resources/node.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Informer } from '../../runtime/informer.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { Heartbeats } from './heartbeats.ts';
import { LEASE_NAMESPACE, LeaseGuard, leaseSign } from './lease-guard.ts';
import { type LeaseSign, type NodeHealth, readyCondition, unknownConditions } from './node-health.ts';
import type { ResolvedSettings } from './settings.ts';

/** kubernetes:pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go NodeHealthUpdateRetry */
const UPDATE_TRIES_MAX = 5;
/** kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go retrySleepTime */
const UPDATE_RETRY_MS: DurationMs = 20;

/** How a node was found, and how it is after what the look wrote. */
export interface Finding {
  readonly node: Node;
  /** Unknown, too, if the node never said anything. */
  readonly observed: string;
  /** Undefined if the node has no Ready condition. */
  readonly current: string | undefined;
  /** Of what follows: the write that called the node silent, or why it was looked at. */
  readonly reason: Reason;
}

export interface CheckupOptions {
  readonly context: ComponentContext;
  readonly settings: ResolvedSettings;
  readonly leases: Informer<Lease>;
  readonly heartbeats: Heartbeats;
}

export class Checkup {
  readonly #options: CheckupOptions;
  readonly #guard: LeaseGuard | undefined;

  constructor(options: CheckupOptions) {
    this.#options = options;
    this.#guard = options.settings.profile.readsLiveLease ? new LeaseGuard(options.leases) : undefined;
  }

  /** Undefined if the node could not be judged. */
  async check(known: Node, reason: Reason): Promise<Finding | undefined> {
    const { clock, cluster, log, signal } = this.#options.context;
    const { name } = known.metadata;
    const view = cluster.because(reason);
    let node = known;
    for (let tries = 1; tries <= UPDATE_TRIES_MAX; tries++) {
      if (this.#guard?.isBehind === true) return undefined;
      const found = await this.#try(node, reason, view);
      if (found !== 'failed') return found;
      const live = await attempt(() => view.get(Nodes, name));
      if (live.failed) {
        log.write('warn', `node ${name} not read: ${messageOf(live.error)}`);
        return undefined;
      }
      node = live.value;
      await clock.sleep(UPDATE_RETRY_MS, signal);
    }
    return undefined;
  }

  async #try(node: Node, reason: Reason, cluster: Cluster): Promise<Finding | 'failed' | undefined> {
    const { clock, log } = this.#options.context;
    const { name } = node.metadata;
    const ready = readyCondition(node.status.conditions);
    const health = this.#observe(node, ready);
    const found = { node, observed: ready?.status ?? 'Unknown', current: ready?.status, reason };
    if (clock.monotonic() <= health.probedAt + this.graceOf(ready)) return found;
    if (ready?.status === 'Unknown') return found;
    if (this.#guard !== undefined && !(await this.#guard.confirms(name, health.lease, cluster))) return undefined;
    const result = await attempt(() => cluster.update(Nodes, this.#silent(node), { subresource: 'status' }));
    if (result.failed) {
      log.write('warn', `node ${name} not called silent: ${messageOf(result.error)}`);
      return 'failed';
    }
    return { ...found, current: 'Unknown', reason: this.#written(result.value, health) };
  }

  /** A node that never said whether it is ready has more time. */
  graceOf(ready: NodeCondition | undefined): DurationMs {
    const { nodeMonitorGracePeriodMs, nodeStartupGracePeriodMs } = this.#options.settings;
    return ready === undefined ? nodeStartupGracePeriodMs : nodeMonitorGracePeriodMs;
  }

  leaseOf(node: string): LeaseSign | undefined {
    const lease = this.#options.leases.get(`${LEASE_NAMESPACE}/${node}`);
    return lease === undefined ? undefined : leaseSign(lease);
  }

  #observe({ metadata }: Node, ready: NodeCondition | undefined): NodeHealth {
    const { clock } = this.#options.context;
    const now = clock.monotonic();
    const createdAt = now - (clock.now() - Date.parse(metadata.creationTimestamp));
    return this.#options.heartbeats.observe(metadata.name, {
      now,
      createdAt,
      ready,
      lease: this.leaseOf(metadata.name),
    });
  }

  #silent(node: Node): Node {
    const now = timestamp(this.#options.context.clock.now());
    const conditions = unknownConditions(node.status.conditions, { createdAt: node.metadata.creationTimestamp, now });
    return { ...node, status: { ...node.status, conditions } };
  }

  #written({ metadata, status }: Node, { probedAt }: NodeHealth): Reason {
    const { heartbeats, context } = this.#options;
    const ready = readyCondition(status.conditions);
    heartbeats.set(metadata.name, { probedAt, ready, lease: this.leaseOf(metadata.name) });
    const entry = context.timeline.entryOf(metadata.resourceVersion);
    return { type: 'changed', kind: 'Node', key: metadata.name, entry };
  }
}
