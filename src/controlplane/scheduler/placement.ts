// Which pods are on which node, as the scheduler believes: pods that the server shows as assigned, and pods it has just
// placed itself and whose binding is not seen yet (assumed). Kept from changes: scheduling one pod reads totals and
// indexes and never walks the pods of the cluster.
import { assert } from '../../base/assert.ts';
import { type ObjectKey, keyFrom, keyOf } from '../../kube/object.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type NodeInfo, NodeTotals } from './node-info.ts';

export interface Placement {
  readonly nodeCount: number;
  /** In the order in which nodes were first seen. */
  nodes(): Iterable<NodeInfo>;
  node(name: string): NodeInfo | undefined;
  /** How many placed pods name this claim in `persistentVolumeClaim`. */
  claimUsers(claim: ObjectKey): number;
  /** Placed pods; `spec.nodeName` says where. */
  podsIn(namespace: string): Iterable<Pod>;
  podsWithRequiredAntiAffinity(): Iterable<Pod>;
}

export class PlacementCache implements Placement {
  readonly #nodes = new Map<string, NodeTotals>();
  /** Every pod that is on some node, under the key it has there. */
  readonly #pods = new Map<ObjectKey, Pod>();
  /** A subset of the keys of #pods. */
  readonly #assumed = new Set<ObjectKey>();
  readonly #claimUsers = new Map<ObjectKey, number>();
  readonly #byNamespace = new Map<string, Map<ObjectKey, Pod>>();
  readonly #antiAffine = new Map<ObjectKey, Pod>();
  #nodeCount = 0;

  get nodeCount(): number {
    return this.#nodeCount;
  }

  *nodes(): Iterable<NodeInfo> {
    for (const totals of this.#nodes.values()) if (totals.isKnown()) yield totals;
  }

  node(name: string): NodeInfo | undefined {
    const totals = this.#nodes.get(name);
    return totals?.isKnown() === true ? totals : undefined;
  }

  claimUsers(claim: ObjectKey): number {
    return this.#claimUsers.get(claim) ?? 0;
  }

  podsIn(namespace: string): Iterable<Pod> {
    return (this.#byNamespace.get(namespace) ?? new Map<ObjectKey, Pod>()).values();
  }

  podsWithRequiredAntiAffinity(): Iterable<Pod> {
    return this.#antiAffine.values();
  }

  setNode(node: Node): void {
    const totals = this.#totals(node.metadata.name);
    if (totals.node === undefined) this.#nodeCount++;
    totals.setNode(node);
  }

  removeNode(name: string): void {
    const totals = this.#nodes.get(name);
    if (totals?.node === undefined) return;
    this.#nodeCount--;
    totals.setNode(undefined);
    if (totals.pods.size === 0) this.#nodes.delete(name);
  }

  /** The server shows the pod on a node; what was assumed about it is over. */
  setPod(pod: Pod): void {
    const key = keyOf(pod);
    const before = this.#pods.get(key);
    if (before?.spec === pod.spec && before.metadata.uid === pod.metadata.uid) {
      this.#replace(key, pod);
      return;
    }
    this.removePod(key);
    this.#add(pod);
  }

  /** Most updates touch the status only: what the pod asks for need not be read again. */
  #replace(key: ObjectKey, pod: Pod): void {
    this.#assumed.delete(key);
    this.#pods.set(key, pod);
    this.#totals(nodeNameOf(pod)).replace(pod);
    this.#byNamespace.get(pod.metadata.namespace ?? '')?.set(key, pod);
    if (hasRequiredAntiAffinity(pod)) this.#antiAffine.set(key, pod);
  }

  removePod(key: ObjectKey): void {
    const pod = this.#pods.get(key);
    this.#assumed.delete(key);
    if (pod !== undefined) this.#remove(key, pod);
  }

  /** Counts the pod on the node although no one else knows yet. */
  assume(pod: Pod, node: string): Pod {
    const placed: Pod = { ...pod, spec: { ...pod.spec, nodeName: node } };
    assert(!this.#pods.has(keyOf(pod)), 'only an unplaced pod is assumed');
    this.#add(placed);
    this.#assumed.add(keyOf(pod));
    return placed;
  }

  /** Takes back an assumption; a pod that is really there stays. */
  forget(key: ObjectKey): void {
    if (this.#assumed.has(key)) this.removePod(key);
  }

  assumed(key: ObjectKey): Pod | undefined {
    return this.#assumed.has(key) ? this.#pods.get(key) : undefined;
  }

  #totals(name: string): NodeTotals {
    const known = this.#nodes.get(name) ?? new NodeTotals(name);
    this.#nodes.set(name, known);
    return known;
  }

  #add(pod: Pod): void {
    const key = keyOf(pod);
    this.#pods.set(key, pod);
    this.#totals(nodeNameOf(pod)).add(pod);
    const namespace = pod.metadata.namespace ?? '';
    const neighbours = this.#byNamespace.get(namespace);
    if (neighbours === undefined) this.#byNamespace.set(namespace, new Map([[key, pod]]));
    else neighbours.set(key, pod);
    if (hasRequiredAntiAffinity(pod)) this.#antiAffine.set(key, pod);
    for (const claim of referencedClaims(pod)) this.#claimUsers.set(claim, this.claimUsers(claim) + 1);
  }

  #remove(key: ObjectKey, pod: Pod): void {
    this.#pods.delete(key);
    const totals = this.#totals(nodeNameOf(pod));
    totals.remove(key);
    if (totals.node === undefined && totals.pods.size === 0) this.#nodes.delete(totals.name);
    const namespace = pod.metadata.namespace ?? '';
    const neighbours = this.#byNamespace.get(namespace);
    neighbours?.delete(key);
    if (neighbours?.size === 0) this.#byNamespace.delete(namespace);
    this.#antiAffine.delete(key);
    for (const claim of referencedClaims(pod)) {
      const users = this.claimUsers(claim) - 1;
      if (users === 0) this.#claimUsers.delete(claim);
      else this.#claimUsers.set(claim, users);
    }
  }
}

export interface Alteration {
  readonly node: string;
  readonly without?: readonly Pod[];
  readonly with?: readonly Pod[];
}

/** The same cluster with other pods on one node: to ask what would be if some went, or if some came. */
export function alteredPlacement(base: Placement, alteration: Alteration): Placement {
  const { without = [] } = alteration;
  const added = (alteration.with ?? []).map((pod): Pod => ({
    ...pod,
    spec: { ...pod.spec, nodeName: alteration.node },
  }));
  const gone = new Set(without.map(keyOf));
  const totals = new NodeTotals(alteration.node);
  const before = base.node(alteration.node);
  totals.setNode(before?.node);
  for (const [key, pod] of before?.pods ?? []) if (!gone.has(key)) totals.add(pod);
  for (const pod of added) totals.add(pod);
  const altered = totals.isKnown() ? totals : undefined;
  const nodeNamed = (name: string): NodeInfo | undefined => (name === alteration.node ? altered : base.node(name));
  const usersIn = (pods: readonly Pod[], claim: ObjectKey): number =>
    pods.flatMap(referencedClaims).filter((each) => each === claim).length;
  const remaining = (pods: Iterable<Pod>, more: readonly Pod[]): Iterable<Pod> => [
    ...[...pods].filter((pod) => !gone.has(keyOf(pod))),
    ...more,
  ];
  return {
    nodeCount: base.nodeCount,
    nodes: () => [...base.nodes()].map((info) => nodeNamed(info.name) ?? info),
    node: nodeNamed,
    claimUsers: (claim) => base.claimUsers(claim) - usersIn(without, claim) + usersIn(added, claim),
    podsIn: (namespace) =>
      remaining(
        base.podsIn(namespace),
        added.filter((pod) => pod.metadata.namespace === namespace),
      ),
    podsWithRequiredAntiAffinity: () =>
      remaining(base.podsWithRequiredAntiAffinity(), added.filter(hasRequiredAntiAffinity)),
  };
}

/** Each reference counts, also two of one pod to the same claim. Generic ephemeral volumes do not. */
function referencedClaims(pod: Pod): readonly ObjectKey[] {
  return (pod.spec.volumes ?? []).flatMap((volume) =>
    volume.persistentVolumeClaim === undefined
      ? []
      : [keyFrom(pod.metadata.namespace, volume.persistentVolumeClaim.claimName)],
  );
}

const hasRequiredAntiAffinity = (pod: Pod): boolean =>
  (pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;

function nodeNameOf(pod: Pod): string {
  const name = pod.spec.nodeName;
  assert(name !== undefined && name !== '', 'a placed pod names its node');
  return name;
}
