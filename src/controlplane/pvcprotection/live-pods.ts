import { type Cluster } from '../../kube/cluster.ts';
import { type ObjectKey, splitKey } from '../../kube/object.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';

/** The pods of a namespace as the server had them, by claim. */
interface PodList {
  readonly namespace: string;
  /** Claims that were asked about by this number were asked about before the list was made. */
  readonly madeAt: number;
  readonly podsOf: ReadonlyMap<ObjectKey, readonly Pod[]>;
}

/**
 * The server's own list of pods, read before a claim is let go: the informer may not know yet of a pod that uses it. One
 * list serves all claims of the namespace that were asked about before it was made, so deleting a thousand claims
 * at once costs one request and not a thousand. Only the last list is kept.
 */
export class LivePods {
  /** Counts questions, so that they can be told to lie before or after a list. */
  #asked = 0;
  readonly #askedAt = new Map<ObjectKey, number>();
  #last: PodList | undefined;

  /** Something may have changed for this claim: an older list does not answer for it any more. */
  ask(claim: ObjectKey): void {
    this.#askedAt.set(claim, ++this.#asked);
  }

  /** The claim is of no interest any more. */
  forget(claim: ObjectKey): void {
    this.#askedAt.delete(claim);
  }

  async podsOf(claim: ObjectKey, cluster: Cluster): Promise<readonly Pod[]> {
    const { namespace = '' } = splitKey(claim);
    const askedAt = this.#askedAt.get(claim) ?? this.#asked;
    if (this.#last?.namespace !== namespace || this.#last.madeAt < askedAt) {
      this.#last = await this.#read(namespace, cluster);
    }
    return this.#last.podsOf.get(claim) ?? [];
  }

  async #read(namespace: string, cluster: Cluster): Promise<PodList> {
    const madeAt = this.#asked;
    const { items } = await cluster.list(Pods, { namespace });
    const podsOf = new Map<ObjectKey, Pod[]>();
    for (const pod of items) {
      for (const claim of claimKeysOf(pod)) podsOf.set(claim, [...(podsOf.get(claim) ?? []), pod]);
    }
    return { namespace, madeAt, podsOf };
  }
}
