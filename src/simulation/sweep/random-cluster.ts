// The cluster of a seed: some nodes, zones, drivers and classes.
import type { Random } from '../../base/random.ts';
import { milliseconds } from './story-document.ts';

export interface RandomDriver {
  readonly name: string;
  /** Volumes can be used on several nodes at once, and nothing is attached. */
  readonly isShared: boolean;
  readonly classes: readonly string[];
}

export interface RandomCluster {
  readonly document: Readonly<Record<string, unknown>>;
  readonly drivers: readonly [RandomDriver, ...RandomDriver[]];
  readonly nodes: number;
}

const CONTROLLER_WITHOUT_ATTACH = [
  'CREATE_DELETE_VOLUME',
  'LIST_VOLUMES',
  'GET_CAPACITY',
  'EXPAND_VOLUME',
  'SINGLE_NODE_MULTI_WRITER',
];
/** Without LIST_VOLUMES_PUBLISHED_NODES an attacher cannot compare its attachments with the backend. */
const CONTROLLER_WITHOUT_LISTS = [
  'CREATE_DELETE_VOLUME',
  'PUBLISH_UNPUBLISH_VOLUME',
  'PUBLISH_READONLY',
  'EXPAND_VOLUME',
  'SINGLE_NODE_MULTI_WRITER',
];

export function randomCluster(random: Random): RandomCluster {
  const nodes = random.int(2, 6);
  const zones = random.int(1, Math.min(3, nodes) + 1);
  const disk = randomDriver(random.fork('disk'), { name: 'disk.example.com', isShared: false, zones });
  const share = randomDriver(random.fork('share'), { name: 'share.example.com', isShared: true, zones });
  const made = random.chance(0.4) ? ([disk, share] as const) : ([disk] as const);
  const [first, ...others] = made.map(({ driver }) => driver);
  return {
    nodes,
    drivers: [first ?? disk.driver, ...others],
    document: {
      nodes,
      zones,
      drivers: made.map(({ document }) => document),
      classes: made.flatMap(({ classes }) => classes),
      settings: randomSettings(random.fork('settings')),
    },
  };
}

interface MadeDriver {
  readonly driver: RandomDriver;
  readonly document: object;
  readonly classes: readonly object[];
}

function randomDriver(
  random: Random,
  { name, isShared, zones }: { readonly name: string; readonly isShared: boolean; readonly zones: number },
): MadeDriver {
  const controller = isShared ? CONTROLLER_WITHOUT_ATTACH : random.chance(0.5) ? CONTROLLER_WITHOUT_LISTS : undefined;
  const node = random.chance(0.2) ? ['GET_VOLUME_STATS', 'SINGLE_NODE_MULTI_WRITER'] : undefined;
  const growing = random.fork('growing');
  const short = name.slice(0, name.indexOf('.'));
  const classes = [true, false].slice(0, random.int(1, 3)).map((waits) => ({
    name: `${short}-${waits ? 'late' : 'now'}`,
    driver: name,
    waitForFirstConsumer: waits,
    reclaimPolicy: random.chance(0.2) ? 'Retain' : 'Delete',
    allowVolumeExpansion: random.fork(`expansion ${String(waits)}`).chance(0.8),
  }));
  return {
    driver: { name, isShared, classes: classes.map((each) => each.name) },
    classes,
    document: {
      name,
      ...(isShared ? { attachRequired: false } : {}),
      ...(!isShared && zones > 1 && random.chance(0.5) ? { topology: 'zone' } : {}),
      ...(controller === undefined && node === undefined
        ? {}
        : {
            capabilities: {
              ...(controller === undefined ? {} : { controller }),
              ...(node === undefined ? {} : { node }),
            },
          }),
      ...(!isShared && random.chance(0.2) ? { maxVolumesPerNode: random.int(2, 5) } : {}),
      ...(growing.chance(node === undefined ? 0.2 : 0.8) ? { nodeExpansionRequired: false } : {}),
      ...(!isShared && growing.chance(0.1) ? { volumeExpansion: 'OFFLINE' } : {}),
      latency: {
        CreateVolume: milliseconds(random.int(20, 3000)),
        ControllerPublishVolume: milliseconds(random.int(20, 4000)),
        ControllerUnpublishVolume: milliseconds(random.int(20, 4000)),
        default: milliseconds(random.int(0, 200)),
      },
    },
  };
}

function randomSettings(random: Random): Readonly<Record<string, unknown>> {
  return {
    ...(random.chance(0.2) ? { 'attach-detach-reconcile-sync-period': `${random.int(5, 300)}s` } : {}),
    ...(random.chance(0.2) ? { 'pvclaimbinder-sync-period': `${random.int(5, 60)}s` } : {}),
    ...(random.chance(0.1) ? { 'csi-attacher.worker-threads': 1 } : {}),
  };
}
