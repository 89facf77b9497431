import type { Random } from '../../base/random.ts';
import type { CSINode } from '../../kube/resources/csi-node.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { Lister } from '../../runtime/informer.ts';
import type { TopologyCluster } from './topology-requirement.ts';

export interface ClusterTopologySources {
  readonly driverName: string;
  readonly csiNodes: Lister<CSINode>;
  readonly nodes: Lister<Node>;
  readonly random: Random;
}

/** Nodes and CSINodes as one driver sees them. */
export function clusterTopology({ driverName, csiNodes, nodes, random }: ClusterTopologySources): TopologyCluster {
  const keysOf = (csiNode: CSINode): readonly string[] =>
    csiNode.spec.drivers?.find(({ name }) => name === driverName)?.topologyKeys ?? [];
  return {
    keysOnNode: (nodeName) => {
      const csiNode = csiNodes.get(nodeName);
      return csiNode === undefined ? undefined : keysOf(csiNode);
    },
    // Which node is asked is left to chance, as upstream does, so that one with old keys is not asked for ever.
    keysAnywhere: () => {
      const [first, ...others] = [...csiNodes.all()].map(keysOf).filter((keys) => keys.length > 0);
      return first === undefined ? [] : random.pick([first, ...others]);
    },
    labelsOfNode: (nodeName) => {
      const node = nodes.get(nodeName);
      return node === undefined ? undefined : (node.metadata.labels ?? {});
    },
    allLabels: function* () {
      for (const node of nodes.all()) yield node.metadata.labels ?? {};
    },
  };
}
