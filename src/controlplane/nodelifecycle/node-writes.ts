// Writes of taints and labels to Node objects. Taints have no merge key: the whole list is written, under the revision it
// was read at, and a conflict reads it again. kubernetes:pkg/controller/controller_utils.go
import { timestamp } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type TaintSwap, hasTaint, withTaints, withoutTaints } from './taints.ts';

/** kubernetes:pkg/controller/controller_utils.go UpdateTaintBackoff, UpdateLabelBackoff */
const WRITE_TRIES_MAX = 5;
/** Each wait is drawn from one to two times this. */
const CONFLICT_WAIT_MS = 100;

export class NodeWrites {
  readonly #context: ComponentContext;
  readonly #random: Random;

  constructor(context: ComponentContext) {
    this.#context = context;
    this.#random = context.random.fork('node writes');
  }

  /** Adds before it removes: a toleration clock that may go on never sees a node without either taint. */
  async swapTaints(node: Node, { add, remove }: TaintSwap, cluster: Cluster): Promise<void> {
    const timeAdded = timestamp(this.#context.clock.now());
    const timed = add.map((taint) => ({ ...taint, timeAdded }));
    if (timed.length > 0) await this.#change(node, cluster, (taints) => withTaints(taints, timed));
    await this.removeTaints(node, remove, cluster);
  }

  /** Asks nothing of the server if the node, as it is known, has none of them. */
  async removeTaints(node: Node, removed: readonly Taint[], cluster: Cluster): Promise<void> {
    if (!removed.some((taint) => hasTaint(node.spec.taints, taint))) return;
    await this.#change(node, cluster, (taints) => withoutTaints(taints, removed));
  }

  async setLabels(node: Node, labels: Readonly<Record<string, string>>, cluster: Cluster): Promise<void> {
    await this.#untilNoConflict(async () => {
      await cluster.patch(Nodes, node.metadata.name, { type: 'strategic', body: { metadata: { labels } } });
    });
  }

  async #change(
    { metadata: { name } }: Node,
    cluster: Cluster,
    change: (taints: readonly Taint[]) => readonly Taint[],
  ): Promise<void> {
    await this.#untilNoConflict(async () => {
      const { metadata, spec } = await cluster.get(Nodes, name);
      const before = spec.taints ?? [];
      const after = change(before);
      if (after.length === before.length && after.every((taint, index) => taint === before[index])) return;
      const { resourceVersion } = metadata;
      const body = { metadata: { resourceVersion }, spec: { taints: after.length === 0 ? null : after } };
      await cluster.patch(Nodes, name, { type: 'strategic', body });
    });
  }

  async #untilNoConflict(write: () => Promise<void>): Promise<void> {
    const { clock, signal } = this.#context;
    for (let tries = 1; ; tries++) {
      try {
        await write();
        return;
      } catch (error) {
        if (!isApiError(error, 'Conflict') || tries === WRITE_TRIES_MAX) throw error;
      }
      await clock.sleep(CONFLICT_WAIT_MS * (1 + this.#random.fraction()), signal);
    }
  }
}
