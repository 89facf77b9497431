import { type ClusterShape, type NodeShape, ZONE_LABEL, plainNodes } from './cluster-shape.ts';
import { DEFAULT_PROFILE } from './profiles.ts';

/** How large a cluster is: all that is asked of whoever starts one without a file. */
export interface ClusterSize {
  readonly nodes: number;
  readonly zones: number;
}

const DRIVER = 'disk.mooring.dev';
/** What an ordinary database has written before anybody uses it. */
const FILL = '48Mi';

/** Plain nodes and the usual storage. */
export function embeddedShape({ nodes: count, zones }: ClusterSize): ClusterShape {
  const nodes = plainNodes(count, zones);
  return { nodes, profile: DEFAULT_PROFILE, ...usualStorage(nodes), settings: {} };
}

/** One driver whose disks are usable from one zone (from everywhere if a node has none), and one class, the default, that makes them where the pod goes. */
export function usualStorage(nodes: readonly NodeShape[]): Pick<ClusterShape, 'drivers' | 'classes'> {
  const zoned = nodes.flatMap(({ name, zone }) => (zone === undefined ? [] : [[name, zone] as const]));
  const topology = { segments: { [ZONE_LABEL]: Object.fromEntries(zoned) } };
  return {
    drivers: [{ driver: { name: DRIVER, fill: FILL, ...(zoned.length === nodes.length ? { topology } : {}) } }],
    classes: [
      {
        name: 'standard',
        provisioner: DRIVER,
        default: true,
        waitForFirstConsumer: true,
        allowVolumeExpansion: true,
        reclaimPolicy: 'Delete',
      },
    ],
  };
}

/** A node without a zone is in a zone of its own kind: the one that has no name. */
export function sizeOf({ nodes }: Pick<ClusterShape, 'nodes'>): ClusterSize {
  return { nodes: nodes.length, zones: new Set(nodes.map(({ zone }) => zone)).size };
}
