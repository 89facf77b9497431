import { type ObjectKey, keyOf } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';

/** Pods for which room was made on a node and which are not there yet. */
export interface Nominations {
  /** Those that matter at least as much as this pod, itself left out. */
  on(node: string, pod: Pod): readonly Pod[];
}

const NONE: readonly Pod[] = [];

export const priorityOf = (pod: Pick<Pod, 'spec'>): number => pod.spec.priority ?? 0;

/** kubernetes:pkg/scheduler/backend/queue/nominator.go */
export class Nominator implements Nominations {
  readonly #nodeOf = new Map<ObjectKey, string>();
  readonly #byNode = new Map<string, Map<ObjectKey, Pod>>();

  on(node: string, pod: Pod): readonly Pod[] {
    const nominated = this.#byNode.get(node);
    if (nominated === undefined) return NONE;
    const self = keyOf(pod);
    return [...nominated].flatMap(([key, other]) =>
      key !== self && priorityOf(other) >= priorityOf(pod) ? [other] : [],
    );
  }

  /** Follows what the pod says of itself. */
  update(pod: Pod): void {
    this.set(pod, pod.status.nominatedNodeName ?? '');
  }

  /** An empty node takes the nomination back. */
  set(pod: Pod, node: string): void {
    const key = keyOf(pod);
    this.delete(key);
    if (node === '') return;
    this.#nodeOf.set(key, node);
    const pods = this.#byNode.get(node) ?? new Map<ObjectKey, Pod>();
    this.#byNode.set(node, pods.set(key, pod));
  }

  delete(key: ObjectKey): void {
    const node = this.#nodeOf.get(key);
    if (node === undefined) return;
    this.#nodeOf.delete(key);
    const pods = this.#byNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(node);
  }
}
