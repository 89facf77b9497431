// What follows from a node's own state at once: its NoSchedule taints and its beta labels. A write that fails is only
// told; the next update of the node is the next try, as upstream has it.
import type { ObjectKey } from '../../kube/object.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Informer, Syncable } from '../../runtime/informer.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { attempt } from '../../runtime/attempt.ts';
import { decideLabels } from './labels.ts';
import type { NodeWrites } from './node-writes.ts';
import { decideNoScheduleTaints } from './taints.ts';

/** kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go nodeUpdateWorkerSize */
const WORKERS = 8;

export interface NodeUpdatesOptions {
  readonly context: ComponentContext;
  readonly nodes: Informer<Node>;
  readonly writes: NodeWrites;
  readonly waitFor: readonly Syncable[];
}

export function startNodeUpdates({ context, nodes, writes, waitFor }: NodeUpdatesOptions): void {
  const tell = async (what: string, write: () => Promise<void>): Promise<void> => {
    const result = await attempt(write);
    if (result.failed) context.log.write('warn', `${what}: ${messageOf(result.error)}`, { error: result.error });
  };
  const reconcile = async (name: ObjectKey, { cluster }: Turn): Promise<Outcome> => {
    const node = nodes.get(name);
    if (node === undefined) return { type: 'settled' };
    const swap = decideNoScheduleTaints({ ...node.spec, ...node.status });
    if (swap.add.length + swap.remove.length > 0) {
      await tell(`taints of node ${name}`, () => writes.swapTaints(node, swap, cluster));
    }
    const labels = decideLabels(node.metadata.labels);
    if (Object.keys(labels).length > 0) {
      await tell(`labels of node ${name}`, () => writes.setLabels(node, labels, cluster));
    }
    return { type: 'settled' };
  };
  startController({
    reconciler: { name: 'node-lifecycle-controller', kind: 'Node', reconcile },
    triggers: [trigger(nodes, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name]))],
    workers: WORKERS,
    context,
    waitFor,
  });
}
