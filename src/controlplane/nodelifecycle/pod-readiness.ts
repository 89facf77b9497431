// Pods of a node that is not ready are said to be not ready either: nothing else of them is touched, for nobody knows
// what runs there. kubernetes:pkg/controller/util/node/controller_utils.go MarkPodsNotReady
import { timestamp } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import type { Node } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Change, Informer, Lister, Syncable } from '../../runtime/informer.ts';
import type { Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { NodeEvents } from './reasons.ts';

/** kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go podUpdateWorkerSize */
const WORKERS = 4;

export class PodReadiness {
  readonly #context: ComponentContext;
  readonly #recorder: Recorder;

  constructor(context: ComponentContext, recorder: Recorder) {
    this.#context = context;
    this.#recorder = recorder;
  }

  /** One after the other. Returns whether every one is marked; those that are stay as they are when asked again. */
  async markNotReady(pods: readonly Pod[], cluster: Cluster): Promise<boolean> {
    let allMarked = true;
    for (const pod of pods) {
      const marked = notReady(pod, timestamp(this.#context.clock.now()));
      if (marked === undefined) continue;
      const result = await attempt(() => cluster.update(Pods, marked, { subresource: 'status' }));
      if (result.failed && result.error.reason === 'NotFound') continue;
      if (result.failed) {
        allMarked = false;
        this.#context.log.write('warn', `pod ${keyOf(pod)} not marked not ready: ${messageOf(result.error)}`);
      }
      // Upstream says it even if the write failed.
      new NodeEvents(this.#recorder.via(cluster)).podNotReady(marked);
    }
    return allMarked;
  }
}

/** Undefined if the pod never said whether it is ready, or says no already. */
function notReady(pod: Pod, now: string): Pod | undefined {
  const conditions = pod.status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === 'Ready');
  const ready = conditions[index];
  if (ready === undefined || ready.status === 'False') return undefined;
  const changed = { ...ready, status: 'False', lastTransitionTime: now };
  return { ...pod, status: { ...pod.status, conditions: conditions.with(index, changed) } };
}

export interface PodUpdatesOptions {
  readonly context: ComponentContext;
  readonly pods: Informer<Pod>;
  readonly nodes: Lister<Node>;
  readonly readiness: PodReadiness;
  readonly waitFor: readonly Syncable[];
  /** What the node last said of itself; undefined if nothing is known of it. */
  lastReadyStatus(node: string): string | undefined;
}

/** A pod that is placed on a node that is not ready, or is seen late, is marked like those that were there. */
export function startPodUpdates(options: PodUpdatesOptions): void {
  const { context, pods, nodes, readiness, waitFor } = options;
  const reconcile = async (key: ObjectKey, { cluster }: Turn): Promise<Outcome> => {
    const pod = pods.get(key);
    const node = pod?.spec.nodeName;
    if (pod === undefined || node === undefined) return { type: 'settled' };
    const status = options.lastReadyStatus(node);
    if (status === undefined) return { type: 'settled' };
    if (nodes.get(node) === undefined) throw new Error(`node ${node} is gone`);
    if (status !== 'True' && !(await readiness.markNotReady([pod], cluster))) throw new Error('not marked not ready');
    return { type: 'settled' };
  };
  startController({
    reconciler: { name: 'node-lifecycle-controller', kind: 'Pod', reconcile },
    triggers: [trigger(pods, (change) => (isPlaced(change) ? [keyOf(change.object)] : []))],
    workers: WORKERS,
    context,
    waitFor,
  });
}

function isPlaced(change: Change<Pod>): boolean {
  const { nodeName = '' } = change.object.spec;
  if (nodeName === '' || change.type === 'deleted') return false;
  return change.type === 'added' || change.before.spec.nodeName !== nodeName;
}
