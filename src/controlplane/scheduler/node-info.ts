import { assert } from '../../base/assert.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import type { ContainerPort } from '../../kube/resources/container.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { claimNameOf } from '../../volume/claim-of-pod.ts';
import { type Amounts, amountsOf, assumedRequestsOf, requestsOf } from './pod-resources.ts';

/** A node and what is placed on it, as checks see it. */
export interface NodeInfo {
  readonly name: string;
  readonly node: Node;
  readonly pods: ReadonlyMap<ObjectKey, Pod>;
  readonly allocatable: Amounts;
  /** The sum of the requests of all pods. */
  readonly requested: Amounts;
  /** The same, with a little assumed for containers that ask for nothing. */
  readonly assumedRequested: Amounts;
  readonly hostPorts: Iterable<ContainerPort>;
  /** Volumes of its pods that stand for a claim; one claim may count more than once. */
  readonly claimCount: number;
}

interface PodShare {
  readonly requests: Amounts;
  readonly assumedRequests: Amounts;
  readonly hostPorts: readonly ContainerPort[];
  readonly claims: number;
}

/** Totals are kept from each addition and removal; nothing is ever summed anew. */
export class NodeTotals {
  readonly name: string;
  /** Absent while pods are known on a node that is not. */
  node: Node | undefined;
  allocatable: Amounts = new Map();
  readonly pods = new Map<ObjectKey, Pod>();
  readonly requested = new Map<string, number>();
  readonly assumedRequested = new Map<string, number>();
  claimCount = 0;
  /** One share for each pod: what was added for it, and will be taken off. */
  readonly #shares = new Map<ObjectKey, PodShare>();
  /** Keys of pods that hold host ports. */
  readonly #holders = new Set<ObjectKey>();

  constructor(name: string) {
    this.name = name;
  }

  get hostPorts(): Iterable<ContainerPort> {
    return [...this.#holders].flatMap((key) => this.#shares.get(key)?.hostPorts ?? []);
  }

  setNode(node: Node | undefined): void {
    this.node = node;
    this.allocatable = amountsOf(node?.status.allocatable);
  }

  isKnown(): this is NodeInfo {
    return this.node !== undefined;
  }

  add(pod: Pod): void {
    const key = keyOf(pod);
    assert(!this.#shares.has(key), 'a pod is added to a node once');
    const share: PodShare = {
      requests: requestsOf(pod),
      assumedRequests: assumedRequestsOf(pod),
      hostPorts: hostPortsOf(pod),
      claims: (pod.spec.volumes ?? []).filter((volume) => claimNameOf(pod, volume) !== undefined).length,
    };
    this.#shares.set(key, share);
    this.pods.set(key, pod);
    if (share.hostPorts.length > 0) this.#holders.add(key);
    this.claimCount += share.claims;
    accumulate(this.requested, share.requests, 1);
    accumulate(this.assumedRequested, share.assumedRequests, 1);
  }

  /** The same pod in a later revision that asks for the same. */
  replace(pod: Pod): void {
    assert(this.#shares.has(keyOf(pod)), 'a replaced pod was on the node');
    this.pods.set(keyOf(pod), pod);
  }

  remove(key: ObjectKey): void {
    const share = this.#shares.get(key);
    assert(share !== undefined, 'a removed pod was on the node');
    this.#shares.delete(key);
    this.pods.delete(key);
    this.#holders.delete(key);
    this.claimCount -= share.claims;
    accumulate(this.requested, share.requests, -1);
    accumulate(this.assumedRequested, share.assumedRequests, -1);
  }
}

function accumulate(total: Map<string, number>, amounts: Amounts, sign: 1 | -1): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + sign * amount);
}

/** Ports that the pod takes on the node itself: of containers, and of init containers that stay. */
export function hostPortsOf(pod: Pick<Pod, 'spec'>): readonly ContainerPort[] {
  const staying = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  return [...(pod.spec.containers ?? []), ...staying]
    .flatMap((container) => container.ports ?? [])
    .filter((port) => (port.hostPort ?? 0) > 0);
}
