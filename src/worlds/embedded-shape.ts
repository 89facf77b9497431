import { type ClusterShape, ZONE_LABEL, plainNodes } from './cluster-shape.ts';
import { DEFAULT_PROFILE } from './profiles.ts';

/** How large a cluster is: all that is asked of whoever starts one. */
export interface ClusterSize {
  readonly nodes: number;
  readonly zones: number;
}

const DRIVER = 'disk.mooring.dev';

/** Plain nodes, one driver whose disks are usable from one zone, and one class, the default, that makes them where the pod goes. */
export function embeddedShape({ nodes: count, zones }: ClusterSize): ClusterShape {
  const nodes = plainNodes(count, zones);
  const zoneOf = Object.fromEntries(nodes.map(({ name, zone = '' }) => [name, zone]));
  return {
    nodes,
    profile: DEFAULT_PROFILE,
    drivers: [{ driver: { name: DRIVER, topology: { segments: { [ZONE_LABEL]: zoneOf } } } }],
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
    settings: {},
  };
}
