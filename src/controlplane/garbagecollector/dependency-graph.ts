// Who owns whom, kept from watches. Uids are the truth: a name may be used again by another object.
import { type KubeObject, type ObjectKey, type OwnerReference, type Resource, keyOf } from '../../kube/object.ts';

/** An object as the collector knows it. */
export interface GraphNode {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

export class DependencyGraph {
  /** Every object that a watch showed and none took back, by uid. */
  readonly #nodes = new Map<string, GraphNode>();
  /** Uids of the objects that name an owner, by the owner's uid; the owner itself may be unknown. No entry is empty. */
  readonly #dependents = new Map<string, Set<string>>();

  put(resource: Resource<KubeObject>, object: KubeObject): void {
    const { uid: own, ownerReferences = [] } = object.metadata;
    const known = this.#nodes.get(own)?.object.metadata.ownerReferences;
    const isLinked = known === ownerReferences;
    if (!isLinked) this.#unlink(own);
    this.#nodes.set(own, { resource, object });
    if (!isLinked) for (const { uid } of ownerReferences) this.#link(uid, own);
  }

  remove(uid: string): void {
    this.#unlink(uid);
    this.#nodes.delete(uid);
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  *dependentsOf(uid: string): IterableIterator<GraphNode> {
    for (const dependent of this.#dependents.get(uid) ?? []) {
      const node = this.#nodes.get(dependent);
      if (node !== undefined) yield node;
    }
  }

  #link(owner: string, dependent: string): void {
    const known = this.#dependents.get(owner);
    if (known === undefined) this.#dependents.set(owner, new Set([dependent]));
    else known.add(dependent);
  }

  #unlink(uid: string): void {
    for (const { uid: owner } of this.#nodes.get(uid)?.object.metadata.ownerReferences ?? []) {
      const known = this.#dependents.get(owner);
      known?.delete(uid);
      if (known?.size === 0) this.#dependents.delete(owner);
    }
  }
}

/** Where an owner is looked for: in the dependent's namespace, unless its kind has none. */
export function keyOfOwner(dependent: KubeObject, owner: OwnerReference, resource: Resource<KubeObject>): ObjectKey {
  if (!resource.namespaced) return owner.name;
  return `${dependent.metadata.namespace ?? ''}/${owner.name}`;
}

export const describe = ({ resource, object }: GraphNode): string => `${resource.plural} ${keyOf(object)}`;
