// Tells Nodes which volumes are attached to them. A kubelet mounts only what it finds in `status.volumesAttached`, so a
// volume leaves the list before it is detached. Upstream: kubernetes:pkg/controller/volume/attachdetach/statusupdater.
import { isApiError } from '../../kube/api-error.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Log } from '../../base/log.ts';
import { type Lister } from '../../runtime/informer.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { type ActualStateOfWorld, type NodeReport } from './actual-state-of-world.ts';

export interface NodeStatusUpdaterParts {
  readonly actual: ActualStateOfWorld;
  readonly nodes: Lister<Node>;
  readonly log: Log;
}

export class NodeStatusUpdater {
  readonly #parts: NodeStatusUpdaterParts;

  constructor(parts: NodeStatusUpdaterParts) {
    this.#parts = parts;
  }

  /** Every node whose report is due; one that fails stays due and keeps no other from being told. */
  async updateAll(cluster: Cluster): Promise<'told' | 'failed'> {
    const { actual, log } = this.#parts;
    let failures = 0;
    for (const node of actual.nodesToReport()) {
      if ((await this.update(node, cluster)) === 'failed') failures++;
    }
    if (failures === 0) return 'told';
    log.write('warn', `unable to update ${failures} nodes`);
    return 'failed';
  }

  async update(node: string, cluster: Cluster): Promise<'told' | 'failed'> {
    const { actual, nodes, log } = this.#parts;
    const report = actual.takeReport(node);
    // A node that is gone cannot be told. When it comes back, its addition makes the report due again.
    if (report === undefined || nodes.get(node) === undefined) return 'told';
    try {
      await write(report, cluster);
      return 'told';
    } catch (error) {
      if (isApiError(error, 'NotFound')) return 'told';
      // Whatever went wrong: a report that was taken and not written is due again.
      actual.requireReport(node);
      log.write('warn', `node ${node} could not be told its volumes: ${messageOf(error)}`, { error });
      return 'failed';
    }
  }
}

function write({ node, volumes }: NodeReport, cluster: Cluster): Promise<Node> {
  const body = { status: { volumesAttached: volumes.length === 0 ? null : volumes } };
  return cluster.patch(Nodes, node, { type: 'strategic', body }, { subresource: 'status' });
}
