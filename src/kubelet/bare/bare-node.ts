// A node without a volume manager: it registers, renews its lease, calls the pods that are placed on it Running and
// Ready, and lets deleted ones go. It stands where a real node would, for questions that end at the scheduler's door.
// It serves the one Node that it made itself: a Node that somebody else created through the API is never adopted.
import { MINUTE_MS, SECOND_MS, microTimestamp, timestamp } from '../../base/clock.ts';
import type { CsiDriver } from '../../csi/driver.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Draft } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type CSINode, CSINodes, type CSINodeDriver } from '../../kube/resources/csi-node.ts';
import { Leases } from '../../kube/resources/lease.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { every } from '../../runtime/every.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { supervise } from '../../runtime/supervise.ts';
import { runningStatus } from './running-status.ts';

/** kubernetes:pkg/kubelet/kubelet.go: a lease of 40 s is renewed at a quarter of it. */
const LEASE_DURATION_SECONDS = 40;
const LEASE_RENEW_MS = 10 * SECOND_MS;
/** kubernetes:pkg/kubelet/apis/config/v1beta1/defaults.go: an unchanged status is written this often. */
const STATUS_REPORT_MS = 5 * MINUTE_MS;
const LEASE_NAMESPACE = 'kube-node-lease';
/** Marks the Node objects that an agent made for itself. */
const AGENT_ANNOTATION = 'mooring.dev/node-agent';
const CALL_DEADLINE_MS = 10 * SECOND_MS;

export interface BareNodeShape {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  /** The version the node says it runs. */
  readonly kubeletVersion: string;
  /** The drivers whose node part runs here. */
  readonly drivers: readonly CsiDriver[];
}

export function bareNode(shape: BareNodeShape): Component {
  return {
    name: `node-agent/${shape.name}`,
    start: (context) => supervise(shape.name, new BareNode(context, shape).run(), context.log),
  };
}

class BareNode {
  readonly #context: ComponentContext;
  readonly #shape: BareNodeShape;

  constructor(context: ComponentContext, shape: BareNodeShape) {
    this.#context = context;
    this.#shape = shape;
  }

  async run(): Promise<void> {
    const drivers = await this.#driversHere();
    const node = await this.#register(drivers);
    if (node === undefined) return;
    await this.#publishDrivers(node, drivers);
    await this.#renewLease(node);
    const { name } = this.#shape;
    every(this.#context, { name: `lease of ${name}`, periodMs: LEASE_RENEW_MS, pass: () => this.#renewLease(node) });
    every(this.#context, { name: `status of ${name}`, periodMs: STATUS_REPORT_MS, pass: () => this.#reportStatus() });
    this.#servePods();
  }

  /** What each driver's node part says of this node. */
  async #driversHere(): Promise<readonly DriverHere[]> {
    const { signal } = this.#context;
    const found: DriverHere[] = [];
    for (const driver of this.#shape.drivers) {
      const info = await driver.nodeService(this.#shape.name).nodeGetInfo({}, { signal, deadlineMs: CALL_DEADLINE_MS });
      const segments = info.accessibleTopology?.segments ?? {};
      const count = Number(info.maxVolumesPerNode);
      const entry = { name: driver.name, nodeID: info.nodeId, topologyKeys: Object.keys(segments).toSorted() };
      found.push({ segments, entry: count > 0 ? { ...entry, allocatable: { count } } : entry });
    }
    return found;
  }

  /** The Node of this agent, made now or by an earlier life of it; undefined if the name belongs to somebody else's Node. */
  async #register(drivers: readonly DriverHere[]): Promise<Node | undefined> {
    const { cluster, log } = this.#context;
    try {
      return await cluster.create(Nodes, this.#draft(drivers));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    const existing = await cluster.get(Nodes, this.#shape.name);
    if (existing.metadata.annotations?.[AGENT_ANNOTATION] === this.#shape.name) return existing;
    log.write('error', `node ${this.#shape.name} was created by somebody else: this agent leaves it alone`);
    return undefined;
  }

  #draft(drivers: readonly DriverHere[]): Draft<Node> {
    const { name, labels, taints, capacity } = this.#shape;
    const topology = Object.fromEntries(drivers.flatMap(({ segments }) => Object.entries(segments)));
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          ...labels,
          ...topology,
        },
        annotations: { [AGENT_ANNOTATION]: name, 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
      ...(taints.length === 0 ? {} : { spec: { taints } }),
      status: {
        capacity,
        allocatable: capacity,
        conditions: this.#conditions(),
        nodeInfo: { kubeletVersion: this.#shape.kubeletVersion },
      },
    };
  }

  #conditions(): readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly lastHeartbeatTime: string;
    readonly lastTransitionTime: string;
  }[] {
    const now = timestamp(this.#context.clock.now());
    const condition = (type: string, status: string, reason: string, message: string) => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    });
    return [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ];
  }

  async #publishDrivers(node: Node, drivers: readonly DriverHere[]): Promise<void> {
    const { cluster } = this.#context;
    const entries = drivers.map(({ entry }) => entry);
    const draft: Draft<CSINode> = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: node.metadata.name, ownerReferences: [ownerReferenceTo(node)] },
      spec: { drivers: entries },
    };
    try {
      await cluster.create(CSINodes, draft);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }

  async #renewLease(node: Node): Promise<void> {
    const { cluster, clock } = this.#context;
    const renewTime = microTimestamp(clock.now());
    const key = `${LEASE_NAMESPACE}/${node.metadata.name}`;
    try {
      await cluster.patch(Leases, key, { type: 'merge', body: { spec: { renewTime } } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      await cluster.create(Leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: node.metadata.name, namespace: LEASE_NAMESPACE, ownerReferences: [ownerReferenceTo(node)] },
        spec: { holderIdentity: node.metadata.name, leaseDurationSeconds: LEASE_DURATION_SECONDS, renewTime },
      });
    }
  }

  async #reportStatus(): Promise<void> {
    const conditions = this.#conditions().map(({ lastTransitionTime: _since, ...heartbeat }) => heartbeat);
    await this.#context.cluster.patch(
      Nodes,
      this.#shape.name,
      { type: 'strategic', body: { status: { conditions } } },
      { subresource: 'status' },
    );
  }

  #servePods(): void {
    const informers = new InformerFactory(this.#context);
    const pods = informers.of(Pods, {}, { fieldSelector: `spec.nodeName=${this.#shape.name}` });
    startController({
      reconciler: {
        name: `node-agent/${this.#shape.name}`,
        kind: 'Pod',
        reconcile: (key, turn) => this.#serve(pods.get(key), key, turn),
      },
      triggers: [trigger(pods, ({ object }) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`])],
      workers: 1,
      context: this.#context,
      waitFor: [informers],
    });
    informers.start();
  }

  async #serve(pod: Pod | undefined, key: string, turn: Turn): Promise<Outcome> {
    if (pod === undefined) return { type: 'settled' };
    try {
      if (pod.metadata.deletionTimestamp !== undefined) {
        await turn.cluster.delete(Pods, key, { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } });
      } else if (pod.status.phase === 'Pending') {
        const status = runningStatus(pod, timestamp(this.#context.clock.now()));
        await turn.cluster.patch(
          Pods,
          key,
          { type: 'strategic', body: { metadata: { uid: pod.metadata.uid }, status } },
          { subresource: 'status' },
        );
      }
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return { type: 'settled' };
  }
}

interface DriverHere {
  readonly segments: Readonly<Record<string, string>>;
  readonly entry: CSINodeDriver;
}
