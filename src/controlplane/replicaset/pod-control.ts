// Makes and deletes the pods of a set, and tells people about it on the set.
// kubernetes:pkg/controller/controller_utils.go#RealPodControl
import { causeOf, isApiError } from '../../kube/api-error.ts';
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { keyOf } from '../../kube/object.ts';
import { faultsOfName } from '../../kube/names.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';

/** One pass over the pods of one set. */
export class PodControl {
  readonly #set: ReplicaSet;
  readonly #cluster: Cluster;
  readonly #recorder: Recorder;

  constructor(set: ReplicaSet, cluster: Cluster, recorder: Recorder) {
    this.#set = set;
    this.#cluster = cluster;
    this.#recorder = recorder;
  }

  /** In a namespace that is being deleted no pod can be made, and that is no failure. */
  async create(): Promise<void> {
    try {
      const pod = await this.#cluster.create(Pods, newPod(this.#set));
      this.#recorder.event(this.#set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
    } catch (error) {
      if (causeOf(error, 'NamespaceTerminating') !== undefined) return;
      this.#recorder.event(this.#set, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  /** False if the pod is gone already, so that no change will tell of it. */
  async delete(pod: Pod): Promise<boolean> {
    const { name, uid } = pod.metadata;
    try {
      await this.#cluster.delete(Pods, keyOf(pod), { preconditions: { uid } });
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Conflict')) return false;
      this.#recorder.event(this.#set, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`);
      throw new Error(`unable to delete pods: ${messageOf(error)}`, { cause: error });
    }
    this.#recorder.event(this.#set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    return true;
  }
}

function newPod(set: ReplicaSet): Draft<Pod> {
  const { metadata, spec } = set.spec.template;
  const { labels, annotations, finalizers } = metadata;
  const { name, namespace } = set.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: podNamePrefix(name),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })],
    },
    spec,
  };
}

/** The dash is left out where the name could not bear it. */
function podNamePrefix(setName: string): string {
  const prefix = `${setName}-`;
  return faultsOfName('subdomain', prefix, true).length === 0 ? prefix : setName;
}
