// The node's own report: computed every ten seconds, written when it changed or was not written for about five minutes.
// Volumes in use are part of it, and a volume is only mounted once the report that lists it was written.
// kubernetes:pkg/kubelet/kubelet_node_status.go
import { Aborted, type DurationMs, type InstantMs, SECOND_MS } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type Node, Nodes, type NodeStatus } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { NODE_NOT_SCHEDULABLE, NODE_SCHEDULABLE } from '../reasons.ts';
import { isSameJson } from '../podworkers/same-json.ts';
import { Beat } from './beat.ts';
import { healthyConditions } from './node-conditions.ts';
import { nodeMetadata, registerNode } from './node-registration.ts';

/** kubernetes:pkg/kubelet/kubelet.go nodeStatusUpdateRetry */
const TRIES = 5;
/** kubernetes:pkg/kubelet/kubelet_node_status.go registerWithAPIServer */
const FIRST_REGISTER_MS = 100;
const REGISTER_MS_MAX: DurationMs = 7 * SECOND_MS;
const KUBELET_PORT = 10_250;

/** What `kubectl describe node` shows of a machine that is none. */
const VIRTUAL_MACHINE = {
  kernelVersion: 'virtual',
  osImage: 'Mooring virtual node',
  containerRuntimeVersion: 'mooring://memory',
};
const NOTHING_TOLD = { kernelVersion: '', osImage: '', containerRuntimeVersion: '' };

export interface NodeShape {
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly kubeletVersion: string;
  readonly address: string | undefined;
  /** Where its own server is; absent: it has none. */
  readonly serving?: { readonly address: string; readonly port: number } | undefined;
}

export interface NodeReportOptions {
  readonly context: ComponentContext;
  readonly shape: NodeShape;
  readonly recorder: Recorder;
  readonly nodes: Lister<Node>;
  readonly updateMs: DurationMs;
  readonly reportMs: DurationMs;
  readonly firstPeriodMs?: DurationMs;
  /** Undefined while it is not known yet: then what stands in the status stays. */
  volumesInUse(): readonly string[] | undefined;
  /** After every report, written or not: what the node's status lists. */
  onReported(volumesInUse: readonly string[]): void;
  onRegistered(): void;
}

export class NodeReport {
  readonly #options: NodeReportOptions;
  readonly #random: Random;
  readonly #beat: Beat;
  #isRegistered = false;
  #isRefused = false;
  #reportedAt: InstantMs | undefined;
  /** Spreads the reports of many nodes after a change that hit all of them. */
  #reportDelayMs: DurationMs = 0;
  #listed: readonly string[] = [];
  /** The node that needed no report: as long as it is the same object and the volumes are, it needs none. */
  #confirmed: Node | undefined;
  #confirmedInUse: readonly string[] | undefined;
  #unschedulable = false;

  constructor(options: NodeReportOptions) {
    this.#options = options;
    const { context, firstPeriodMs, updateMs } = options;
    this.#random = context.random.fork('node report');
    this.#beat = new Beat({
      ...context,
      name: 'node status',
      random: context.random.fork('node status'),
      periodMs: updateMs,
      ...(firstPeriodMs === undefined ? {} : { firstPeriodMs }),
      pass: () => this.#look(),
    });
  }

  start(): void {
    this.#beat.start();
  }

  /** If the volumes in use are others than the last report's, the next one is waited for. */
  volumesChanged(): void {
    const inUse = this.#options.volumesInUse();
    if (inUse === this.#listed || inUse === undefined) return;
    if (!isSameJson(inUse, this.#listed)) this.#beat.want();
  }

  /** Most looks find the Node that was confirmed before and the same volumes: then there is nothing to say or to mark. */
  #look(): Promise<void> | undefined {
    const { context, nodes, shape } = this.#options;
    const node = this.#confirmed;
    const isQuiet =
      node !== undefined &&
      node === nodes.get(shape.nodeName) &&
      this.#listed === this.#confirmedInUse &&
      this.#options.volumesInUse() === this.#confirmedInUse &&
      !this.#isReportDue(context.clock.now());
    if (!isQuiet) return this.#pass();
    this.#beat.ended();
    return undefined;
  }

  async #pass(): Promise<void> {
    if (!this.#isRegistered) await this.#register();
    if (this.#isRefused) return;
    for (let tryNumber = 0; tryNumber < TRIES; tryNumber++) if (await this.#tryReport(tryNumber)) return;
    this.#options.context.log.write('warn', `status of node ${this.#options.shape.nodeName} was not updated`);
  }

  async #register(): Promise<void> {
    const { clock, cluster, log, signal } = this.#options.context;
    const { nodeName } = this.#options.shape;
    for (let waitMs = FIRST_REGISTER_MS; ; waitMs = Math.min(2 * waitMs, REGISTER_MS_MAX)) {
      await clock.sleep(waitMs, signal);
      try {
        const node = await registerNode(cluster, this.#draft());
        this.#isRegistered = true;
        this.#isRefused = node === undefined;
        if (node !== undefined) return this.#options.onRegistered();
        log.write('error', `node ${nodeName} was created by somebody else: this kubelet leaves it alone`);
        return;
      } catch (error) {
        if (!isApiError(error)) throw error;
        log.write('warn', `node ${nodeName} is not registered yet: ${error.message}`, { error });
      }
    }
  }

  #draft(): Draft<Node> & { readonly metadata: { readonly name: string } } {
    const { nodeName, labels, taints } = this.#options.shape;
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: nodeMetadata(nodeName, labels),
      ...(taints.length === 0 ? {} : { spec: { taints } }),
      status: { ...this.#machine(), conditions: healthyConditions([], this.#options.context.clock.now()) },
    };
  }

  #machine(): Draft<Node>['status'] & Pick<NodeStatus, 'capacity' | 'allocatable' | 'addresses'> {
    const { capacity, kubeletVersion, nodeName, serving } = this.#options.shape;
    const address = serving?.address ?? this.#options.shape.address;
    const hostname = { type: 'Hostname', address: nodeName };
    return {
      capacity,
      allocatable: capacity,
      addresses: address === undefined ? [hostname] : [{ type: 'InternalIP', address }, hostname],
      daemonEndpoints: { kubeletEndpoint: { Port: serving?.port ?? KUBELET_PORT } },
      nodeInfo: {
        machineID: nodeName,
        systemUUID: nodeName,
        bootID: nodeName,
        ...(serving === undefined ? NOTHING_TOLD : VIRTUAL_MACHINE),
        kubeletVersion,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    };
  }

  /** The cached node first; the server's if that did not do. Whether it is done. */
  async #tryReport(tryNumber: number): Promise<boolean> {
    const { context, nodes, shape } = this.#options;
    try {
      const cached = tryNumber === 0 ? nodes.get(shape.nodeName) : await context.cluster.get(Nodes, shape.nodeName);
      if (cached === undefined) return false;
      await this.#report(cached);
      return true;
    } catch (error) {
      if (context.signal.aborted) throw new Aborted();
      if (!isApiError(error)) throw error;
      context.log.write('warn', `status of node ${shape.nodeName}: ${error.message}`, { error });
      return false;
    }
  }

  async #report(node: Node): Promise<void> {
    this.#tellSchedulable(node);
    const { clock, cluster } = this.#options.context;
    const now = clock.now();
    const inUse = this.#options.volumesInUse() ?? node.status.volumesInUse ?? [];
    const isListed = inUse === this.#confirmedInUse || isSameJson(inUse, node.status.volumesInUse ?? []);
    const isKnown = node === this.#confirmed && isListed;
    if (isKnown && !this.#isReportDue(now)) return this.#reported(inUse);
    const conditions = healthyConditions(node.status.conditions ?? [], now);
    const isChanged = hasChanged(node.status, { ...this.#machine(), conditions, volumesInUse: inUse });
    [this.#confirmed, this.#confirmedInUse] = isChanged ? [undefined, undefined] : [node, inUse];
    if (!isChanged && !this.#isReportDue(now)) return this.#reported(inUse);
    this.#reportDelayMs = isChanged || this.#reportedAt === undefined ? this.#drawDelay() : 0;
    const status = { ...this.#machine(), conditions, volumesInUse: inUse.length === 0 ? null : inUse };
    const patch = { type: 'strategic' as const, body: { status } };
    const written = await cluster.patch(Nodes, node.metadata.name, patch, { subresource: 'status' });
    this.#reportedAt = now;
    return this.#reported(written.status.volumesInUse ?? []);
  }

  #reported(volumesInUse: readonly string[]): void {
    this.#listed = volumesInUse;
    this.#options.onReported(volumesInUse);
    this.volumesChanged();
  }

  #isReportDue(now: InstantMs): boolean {
    return this.#reportedAt === undefined || now - this.#reportedAt >= this.#options.reportMs + this.#reportDelayMs;
  }

  #drawDelay(): DurationMs {
    return this.#options.reportMs * (this.#random.fraction() - 0.5);
  }

  #tellSchedulable(node: Node): void {
    const unschedulable = node.spec.unschedulable === true;
    if (unschedulable === this.#unschedulable) return;
    this.#unschedulable = unschedulable;
    const reason = unschedulable ? NODE_NOT_SCHEDULABLE : NODE_SCHEDULABLE;
    this.#options.recorder.event(node, 'Normal', reason, `Node ${node.metadata.name} status is now: ${reason}`);
  }
}

/** When a condition was last confirmed is no change. */
function hasChanged(
  before: NodeStatus,
  after: Pick<NodeStatus, 'capacity' | 'allocatable' | 'addresses' | 'conditions' | 'volumesInUse'>,
): boolean {
  const compared = ({
    capacity,
    allocatable,
    addresses,
    conditions = [],
    volumesInUse = [],
  }: typeof after): object => ({
    capacity,
    allocatable,
    addresses,
    volumesInUse,
    conditions: conditions
      .map(({ lastHeartbeatTime: _confirmed, ...rest }) => rest)
      .toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  });
  return !isSameJson(compared(before), compared(after));
}
