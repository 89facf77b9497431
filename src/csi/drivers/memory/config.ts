import { bytesOf } from '../../../kube/quantity.ts';
import {
  ACCESS_MODES,
  type AccessMode,
  CONTROLLER_CAPABILITIES,
  type ControllerCapability,
  NODE_CAPABILITIES,
  type NodeCapability,
  type PluginServiceType,
  type StringMap,
} from '../../driver.ts';

/** What a memory driver is, as plain data: a story, a test or a configuration file describes it. Sizes are quantities. */
export interface MemoryDriverConfig {
  readonly name: string;
  readonly vendorVersion?: string;
  /** The node id on every node; absent: each node's own name. */
  readonly sharedNodeId?: string;
  /** Nodes known before their node service is asked for. Any other node becomes known by that. */
  readonly nodes?: readonly string[];
  /** What is absent is offered whole, except topology, which needs `topology`. */
  readonly capabilities?: {
    readonly plugin?: readonly PluginServiceType[];
    readonly controller?: readonly ControllerCapability[];
    readonly node?: readonly NodeCapability[];
  };
  /** False: the driver needs no attach, so that its volumes can be used without ControllerPublishVolume. */
  readonly attaches?: boolean;
  readonly topology?: MemoryTopologyConfig;
  /** Where the bytes come from; requests that no pool claims are unlimited. */
  readonly pools?: readonly MemoryPoolConfig[];
  readonly minimumVolumeSize?: string;
  readonly maximumVolumeSize?: string;
  /** How much of a volume is in use as long as nobody says otherwise, at most all of it; absent: nothing. */
  readonly fill?: string;
  /** Class parameters whose values are checked: any value that is not listed is INVALID_ARGUMENT. Other keys pass. */
  readonly acceptedParameters?: Readonly<Record<string, readonly string[]>>;
  /** Names that ControllerModifyVolume and CreateVolume take as mutable; absent: every name. */
  readonly acceptedMutableParameters?: readonly string[];
  readonly accessModes?: readonly AccessMode[];
  /** 0: no limit. */
  readonly maxVolumesPerNode?: number;
  readonly volumeExpansion?: 'ONLINE' | 'OFFLINE';
  readonly nodeExpansionRequired?: boolean;
  /** How many answers to CreateSnapshot say `ready_to_use: false` before one says true. */
  readonly unreadySnapshotAnswers?: number;
  /** Volumes that exist in the backend from the start: what hand-made PersistentVolumes point at. */
  readonly volumes?: readonly MemoryVolumeConfig[];
}
export interface MemoryTopologyConfig {
  /** Value of each topology key: one text for all nodes, in which `${node}` is the node's name, or one by node name. */
  readonly segments: Readonly<Record<string, string | StringMap>>;
  /** The only places with storage; absent: wherever a node is. */
  readonly accessibleFrom?: readonly StringMap[];
  /** Puts volumes where it has storage whatever the requirement says, as csi-driver-host-path does. */
  readonly ignoresRequirement?: boolean;
}
export interface MemoryPoolConfig {
  readonly name: string;
  readonly capacity: string;
  /** The class parameters that ask for this pool; absent: any request that no more particular pool claims. */
  readonly parameters?: StringMap;
  /** The pool is in this place only. */
  readonly segments?: StringMap;
}
export interface MemoryVolumeConfig {
  readonly volumeId: string;
  readonly capacity: string;
  /** Absent: every mode the driver offers. */
  readonly accessModes?: readonly AccessMode[];
  readonly segments?: StringMap;
}

export interface MemoryPool {
  readonly name: string;
  readonly capacityBytes: bigint;
  readonly parameters: StringMap;
  readonly segments: StringMap | undefined;
}
/** The configuration with every default filled in and every quantity read. */
export interface MemorySettings extends Required<
  Pick<
    MemoryDriverConfig,
    | 'name'
    | 'vendorVersion'
    | 'acceptedParameters'
    | 'accessModes'
    | 'maxVolumesPerNode'
    | 'volumeExpansion'
    | 'nodeExpansionRequired'
    | 'unreadySnapshotAnswers'
  >
> {
  readonly sharedNodeId: string | undefined;
  readonly plugin: ReadonlySet<PluginServiceType>;
  readonly controller: ReadonlySet<ControllerCapability>;
  readonly node: ReadonlySet<NodeCapability>;
  readonly topology: MemoryTopologyConfig | undefined;
  readonly pools: readonly MemoryPool[];
  readonly minimumBytes: bigint;
  readonly maximumBytes: bigint;
  readonly fillBytes: bigint;
  readonly acceptedMutableParameters: readonly string[] | undefined;
}

const ALL_NODE: readonly NodeCapability[] = NODE_CAPABILITIES.filter((each) => each !== 'VOLUME_MOUNT_GROUP');
/** csi-driver-host-path:pkg/hostpath, `--max-volume-size` */
const MAXIMUM_VOLUME_SIZE = '1Ti';
const MINIMUM_VOLUME_SIZE = '1Mi';

/** What only a driver that attaches can do. */
const ATTACHING: ReadonlySet<ControllerCapability> = new Set([
  'PUBLISH_UNPUBLISH_VOLUME',
  'PUBLISH_READONLY',
  'LIST_VOLUMES_PUBLISHED_NODES',
]);

function controllerDefaults({ attaches = true }: MemoryDriverConfig): readonly ControllerCapability[] {
  return attaches
    ? CONTROLLER_CAPABILITIES
    : CONTROLLER_CAPABILITIES.filter((capability) => !ATTACHING.has(capability));
}

const sizeOf = (quantity: string): bigint => BigInt(bytesOf(quantity));

export function settingsOf(config: MemoryDriverConfig): MemorySettings {
  const plugin: readonly PluginServiceType[] =
    config.topology === undefined ? ['CONTROLLER_SERVICE'] : ['CONTROLLER_SERVICE', 'VOLUME_ACCESSIBILITY_CONSTRAINTS'];
  return {
    name: config.name,
    vendorVersion: config.vendorVersion ?? '1.0.0',
    sharedNodeId: config.sharedNodeId,
    plugin: new Set(config.capabilities?.plugin ?? plugin),
    controller: new Set(config.capabilities?.controller ?? controllerDefaults(config)),
    node: new Set(config.capabilities?.node ?? ALL_NODE),
    topology: config.topology,
    pools: (config.pools ?? []).map(({ name, capacity, parameters, segments }) => ({
      name,
      capacityBytes: sizeOf(capacity),
      parameters: parameters ?? {},
      segments,
    })),
    minimumBytes: sizeOf(config.minimumVolumeSize ?? MINIMUM_VOLUME_SIZE),
    maximumBytes: sizeOf(config.maximumVolumeSize ?? MAXIMUM_VOLUME_SIZE),
    fillBytes: sizeOf(config.fill ?? '0'),
    acceptedParameters: config.acceptedParameters ?? {},
    acceptedMutableParameters: config.acceptedMutableParameters,
    accessModes: config.accessModes ?? ACCESS_MODES,
    maxVolumesPerNode: config.maxVolumesPerNode ?? 0,
    volumeExpansion: config.volumeExpansion ?? 'ONLINE',
    nodeExpansionRequired: config.nodeExpansionRequired ?? true,
    unreadySnapshotAnswers: config.unreadySnapshotAnswers ?? 0,
  };
}
