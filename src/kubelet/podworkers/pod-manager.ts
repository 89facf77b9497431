// The pods that the API places on this node, by uid. A pod that was deleted and made again under its name is another pod.
// kubernetes:pkg/kubelet/config/config.go, kubernetes:pkg/kubelet/pod/pod_manager.go
import type { Reason } from '../../kube/reason.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { Change } from '../../runtime/informer.ts';
import { isSameJson } from './same-json.ts';

export type PodChange =
  /** New, or different in what the kubelet acts on. */
  | { readonly type: 'set'; readonly pod: Pod }
  /** Only its status is another. */
  | { readonly type: 'status'; readonly pod: Pod }
  | { readonly type: 'removed'; readonly pod: Pod };

export class PodManager {
  readonly #pods = new Map<string, Pod>();

  pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  podByUid(uid: string): Pod | undefined {
    return this.#pods.get(uid);
  }

  /** What the change means, in the order in which it is to be acted on. */
  take(change: Change<Pod>, act: (change: PodChange, reason: Reason) => void, reason: Reason): void {
    const { uid } = change.object.metadata;
    if (change.type === 'deleted') return this.#remove(uid, act, reason);
    if (change.type === 'updated' && change.before.metadata.uid !== uid) {
      this.#remove(change.before.metadata.uid, act, reason);
    }
    const before = this.#pods.get(uid);
    this.#pods.set(uid, change.object);
    const isNews = before === undefined || differs(before, change.object);
    act({ type: isNews ? 'set' : 'status', pod: change.object }, reason);
  }

  /** What is removed is the pod as it was last acted on. */
  #remove(uid: string, act: (change: PodChange, reason: Reason) => void, reason: Reason): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    act({ type: 'removed', pod }, reason);
  }
}

function differs(before: Pod, after: Pod): boolean {
  return !isSameJson(actedOn(before), actedOn(after));
}

const actedOn = ({ spec, metadata }: Pod): object => {
  const { labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return { spec, labels, annotations, deletionTimestamp, deletionGracePeriodSeconds };
};
