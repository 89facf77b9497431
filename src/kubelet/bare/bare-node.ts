// A node without a volume manager: it registers, renews its lease, calls the pods that are placed on it Running and
// Ready, and lets deleted ones go. It stands where a real node would, for questions that end at the scheduler's door.
// It serves the one Node that it made itself: a Node that somebody else created through the API is never adopted.
import { MINUTE_MS, SECOND_MS, timestamp } from '../../base/clock.ts';
import type { CsiDriver } from '../../csi/driver.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Draft } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type CSINode, CSINodes, type CSINodeDriver } from '../../kube/resources/csi-node.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { every } from '../../runtime/every.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { supervise } from '../../runtime/supervise.ts';
import { LeaseRenewal } from '../heartbeat/lease-renewal.ts';
import { healthyConditions } from '../heartbeat/node-conditions.ts';
import { nodeMetadata, registerNode } from '../heartbeat/node-registration.ts';
import { entryOf } from '../pluginwatcher/csi-node-info.ts';
import { runningStatus } from './running-status.ts';

/** kubernetes:pkg/kubelet/apis/config/v1beta1/defaults.go; an unchanged status is written every five minutes. */
const LEASE_DURATION_SECONDS = 40;
const STATUS_REPORT_MS = 5 * MINUTE_MS;
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
    const { log } = this.#context;
    const { name } = this.#shape;
    const drivers = await this.#driversHere();
    const node = await registerNode(this.#context.cluster, this.#draft(drivers));
    if (node === undefined) {
      log.write('error', `node ${name} was created by somebody else: this agent leaves it alone`);
      return;
    }
    await this.#publishDrivers(node, drivers);
    new LeaseRenewal({ context: this.#context, nodeName: name, leaseDurationSeconds: LEASE_DURATION_SECONDS }).start();
    every(this.#context, { name: `status of ${name}`, periodMs: STATUS_REPORT_MS, pass: () => this.#reportStatus() });
    this.#servePods();
  }

  /** What each driver's node part says of this node. */
  async #driversHere(): Promise<readonly DriverHere[]> {
    const { signal } = this.#context;
    const found: DriverHere[] = [];
    for (const driver of this.#shape.drivers) {
      const info = await driver.nodeService(this.#shape.name).nodeGetInfo({}, { signal, deadlineMs: CALL_DEADLINE_MS });
      found.push({ segments: info.accessibleTopology?.segments ?? {}, entry: entryOf(driver.name, info) });
    }
    return found;
  }

  #draft(drivers: readonly DriverHere[]): Draft<Node> & { readonly metadata: { readonly name: string } } {
    const { name, labels, taints, capacity } = this.#shape;
    const topology = Object.fromEntries(drivers.flatMap(({ segments }) => Object.entries(segments)));
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: nodeMetadata(name, { ...labels, ...topology }),
      ...(taints.length === 0 ? {} : { spec: { taints } }),
      status: {
        capacity,
        allocatable: capacity,
        conditions: healthyConditions([], this.#context.clock.now()),
        nodeInfo: { kubeletVersion: this.#shape.kubeletVersion },
      },
    };
  }

  async #publishDrivers(node: Node, drivers: readonly DriverHere[]): Promise<void> {
    const { cluster } = this.#context;
    const draft: Draft<CSINode> = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: node.metadata.name, ownerReferences: [ownerReferenceTo(node)] },
      spec: { drivers: drivers.map(({ entry }) => entry) },
    };
    try {
      await cluster.create(CSINodes, draft);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }

  async #reportStatus(): Promise<void> {
    const { clock, cluster } = this.#context;
    const conditions = healthyConditions([], clock.now()).map(
      ({ lastTransitionTime: _since, ...heartbeat }) => heartbeat,
    );
    const patch = { type: 'strategic' as const, body: { status: { conditions } } };
    await cluster.patch(Nodes, this.#shape.name, patch, { subresource: 'status' });
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
