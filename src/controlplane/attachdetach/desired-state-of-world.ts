// Which volumes shall be attached to which nodes, and for the sake of which pods. A node is managed if its kubelet left
// attaching to this controller; pods of other nodes are unknown here. What always holds: a volume has an entry on a node
// exactly as long as it has a pod there. Upstream: kubernetes:pkg/controller/volume/attachdetach/cache.
import { assert } from '../../base/assert.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { Multimap } from './multimap.ts';
import { type Pair, keyOfPair } from './pair.ts';
import { type VolumeSpec } from './volume-spec.ts';

export interface Desired extends Pair {
  readonly spec: VolumeSpec;
  /** As they were when they were added. */
  readonly pods: readonly Pod[];
  readonly multiAttachErrorReported: boolean;
}

interface Entry {
  readonly spec: VolumeSpec;
  /** By uid; never empty. */
  readonly pods: Map<string, Pod>;
  /** The event was sent for this entry; it is sent again only for a new entry. */
  multiAttachErrorReported: boolean;
}

export class DesiredStateOfWorld {
  readonly #nodes = new Map<string, Map<string, Entry>>();
  /** The nodes of each volume. */
  readonly #byVolume = new Multimap();
  /** Where each pod, by uid, has entries; never empty. */
  readonly #byPod = new Map<string, Map<string, Pair>>();

  addNode(node: string): void {
    if (!this.#nodes.has(node)) this.#nodes.set(node, new Map());
  }

  /** A node with volumes stays, or its pods could no longer leave. */
  deleteNode(node: string): 'deleted' | 'has volumes' {
    if ((this.#nodes.get(node)?.size ?? 0) > 0) return 'has volumes';
    this.#nodes.delete(node);
    return 'deleted';
  }

  manages(node: string): boolean {
    return this.#nodes.has(node);
  }

  /** The first word counts: neither the pod nor the spec of an entry is replaced. True if the pod is new to the entry. */
  addPod(pod: Pod, spec: VolumeSpec, node: string): boolean {
    const volumes = this.#nodes.get(node);
    assert(volumes !== undefined, 'pods are added to managed nodes only');
    const { uid } = pod.metadata;
    const entry = volumes.get(spec.volume) ?? { spec, pods: new Map<string, Pod>(), multiAttachErrorReported: false };
    if (entry.pods.has(uid)) return false;
    entry.pods.set(uid, pod);
    volumes.set(spec.volume, entry);
    this.#byVolume.add(spec.volume, node);
    const pair = { volume: spec.volume, node };
    const pairs = this.#byPod.get(uid) ?? new Map<string, Pair>();
    this.#byPod.set(uid, pairs.set(keyOfPair(pair), pair));
    return true;
  }

  /** True if the pod was there. */
  deletePod(uid: string, pair: Pair): boolean {
    const volumes = this.#nodes.get(pair.node);
    const entry = volumes?.get(pair.volume);
    if (volumes === undefined || entry?.pods.delete(uid) !== true) return false;
    if (entry.pods.size === 0) {
      volumes.delete(pair.volume);
      this.#byVolume.delete(pair.volume, pair.node);
    }
    const pairs = this.#byPod.get(uid);
    pairs?.delete(keyOfPair(pair));
    if (pairs?.size === 0) this.#byPod.delete(uid);
    return true;
  }

  has({ volume, node }: Pair): boolean {
    return this.#nodes.get(node)?.has(volume) ?? false;
  }

  get({ volume, node }: Pair): Desired | undefined {
    const entry = this.#nodes.get(node)?.get(volume);
    if (entry === undefined) return undefined;
    const { spec, multiAttachErrorReported } = entry;
    return { volume, node, spec, multiAttachErrorReported, pods: [...entry.pods.values()] };
  }

  setMultiAttachErrorReported({ volume, node }: Pair): void {
    const entry = this.#nodes.get(node)?.get(volume);
    if (entry !== undefined) entry.multiAttachErrorReported = true;
  }

  volumes(): IterableIterator<string> {
    return this.#byVolume.keys();
  }

  nodesOf(volume: string): readonly string[] {
    return this.#byVolume.get(volume);
  }

  podsOn(volume: string, nodes: readonly string[]): readonly Pod[] {
    return nodes.flatMap((node) => this.get({ volume, node })?.pods ?? []);
  }

  pairsOfPod(uid: string): readonly Pair[] {
    return [...(this.#byPod.get(uid)?.values() ?? [])];
  }
}
