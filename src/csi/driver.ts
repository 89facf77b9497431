// The Container Storage Interface as components see it: every RPC and every field of csi.v1, in camelCase, with int64 as
// bigint, oneofs as tagged unions and enum values by their names. An unset message is absent; an unset scalar has its
// zero value. The memory driver answers it in process and `csi/grpc` carries it over a socket.
import type { DurationMs } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';

export type CsiCode =
  | 'OK'
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';
/** A code and a message, nothing else. What the code means is the caller's question. */
export interface CsiError extends Error {
  readonly code: CsiCode;
}
export interface CsiCall {
  readonly signal: AbortSignal;
  readonly deadlineMs: DurationMs;
  /** For the timeline; never sent. */
  readonly reason?: Reason;
}
/** A value, not a method: it can be handed on without its service. */
export type Rpc<Request, Response> = (request: Request, call: CsiCall) => Promise<Response>;
export type Empty = Readonly<Record<string, never>>;
export type StringMap = Readonly<Record<string, string>>;

// ---- identity ----

export type PluginServiceType =
  | 'CONTROLLER_SERVICE'
  | 'VOLUME_ACCESSIBILITY_CONSTRAINTS'
  | 'GROUP_CONTROLLER_SERVICE'
  | 'SNAPSHOT_METADATA_SERVICE';
export type PluginCapability =
  | { readonly case: 'service'; readonly type: PluginServiceType | 'UNKNOWN' }
  | { readonly case: 'volumeExpansion'; readonly type: 'UNKNOWN' | 'ONLINE' | 'OFFLINE' };
export interface GetPluginInfoResponse {
  readonly name: string;
  readonly vendorVersion: string;
  readonly manifest: StringMap;
}
export interface CsiIdentity {
  readonly getPluginInfo: Rpc<Empty, GetPluginInfoResponse>;
  readonly getPluginCapabilities: Rpc<Empty, { readonly capabilities: readonly PluginCapability[] }>;
  /** `ready` unset means ready. */
  readonly probe: Rpc<Empty, { readonly ready?: boolean }>;
}

// ---- volumes ----

export interface Topology {
  readonly segments: StringMap;
}
export interface TopologyRequirement {
  readonly requisite: readonly Topology[];
  readonly preferred: readonly Topology[];
}
/** 0 means unset, for both. */
export interface CapacityRange {
  readonly requiredBytes: bigint;
  readonly limitBytes: bigint;
}
export const ACCESS_MODES = [
  'SINGLE_NODE_WRITER',
  'SINGLE_NODE_READER_ONLY',
  'MULTI_NODE_READER_ONLY',
  'MULTI_NODE_SINGLE_WRITER',
  'MULTI_NODE_MULTI_WRITER',
  'SINGLE_NODE_SINGLE_WRITER',
  'SINGLE_NODE_MULTI_WRITER',
] as const;
export type AccessMode = (typeof ACCESS_MODES)[number] | 'UNKNOWN';
export interface MountAccess {
  readonly case: 'mount';
  readonly fsType: string;
  readonly mountFlags: readonly string[];
  readonly volumeMountGroup?: string;
}
export interface VolumeCapability {
  readonly accessType: MountAccess | { readonly case: 'block' };
  readonly accessMode: AccessMode;
}
export type VolumeContentSource =
  | { readonly case: 'snapshot'; readonly snapshotId: string }
  | { readonly case: 'volume'; readonly volumeId: string };
export interface CsiVolume {
  readonly volumeId: string;
  readonly capacityBytes: bigint;
  readonly volumeContext: StringMap;
  readonly contentSource?: VolumeContentSource;
  readonly accessibleTopology: readonly Topology[];
}
export interface VolumeCondition {
  readonly abnormal: boolean;
  readonly message: string;
}
export interface VolumeStatus {
  readonly publishedNodeIds: readonly string[];
  readonly volumeCondition?: VolumeCondition;
}

export interface CreateVolumeRequest {
  readonly name: string;
  readonly capacityRange?: CapacityRange;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly mutableParameters: StringMap;
  readonly secrets: StringMap;
  readonly volumeContentSource?: VolumeContentSource;
  readonly accessibilityRequirements?: TopologyRequirement;
}
export interface DeleteVolumeRequest {
  readonly volumeId: string;
  readonly secrets: StringMap;
}
export interface ControllerPublishVolumeRequest {
  readonly volumeId: string;
  readonly nodeId: string;
  readonly volumeCapability?: VolumeCapability;
  readonly readonly: boolean;
  readonly secrets: StringMap;
  readonly volumeContext: StringMap;
}
export interface ControllerUnpublishVolumeRequest {
  readonly volumeId: string;
  /** Empty: from every node. */
  readonly nodeId: string;
  readonly secrets: StringMap;
}
export interface ValidateVolumeCapabilitiesRequest {
  readonly volumeId: string;
  readonly volumeContext: StringMap;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly secrets: StringMap;
  readonly mutableParameters: StringMap;
}
export interface ValidateVolumeCapabilitiesResponse {
  readonly confirmed?: {
    readonly volumeContext: StringMap;
    readonly volumeCapabilities: readonly VolumeCapability[];
    readonly parameters: StringMap;
    readonly mutableParameters: StringMap;
  };
  readonly message: string;
}
export interface ListVolumesRequest {
  /** 0: no limit. */
  readonly maxEntries: number;
  readonly startingToken: string;
}
export interface ListVolumesResponse {
  readonly entries: readonly { readonly volume: CsiVolume; readonly status: VolumeStatus }[];
  readonly nextToken: string;
}
export interface GetCapacityRequest {
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly accessibleTopology?: Topology;
}
export interface GetCapacityResponse {
  readonly availableCapacity: bigint;
  readonly maximumVolumeSize?: bigint;
  readonly minimumVolumeSize?: bigint;
}
export interface ControllerExpandVolumeRequest {
  readonly volumeId: string;
  readonly capacityRange?: CapacityRange;
  readonly secrets: StringMap;
  readonly volumeCapability?: VolumeCapability;
}
export interface ControllerModifyVolumeRequest {
  readonly volumeId: string;
  readonly secrets: StringMap;
  readonly mutableParameters: StringMap;
}

// ---- snapshots ----

export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}
export interface CsiSnapshot {
  readonly sizeBytes: bigint;
  readonly snapshotId: string;
  readonly sourceVolumeId: string;
  readonly creationTime: Timestamp;
  readonly readyToUse: boolean;
  readonly groupSnapshotId: string;
}
export interface CreateSnapshotRequest {
  readonly sourceVolumeId: string;
  readonly name: string;
  readonly secrets: StringMap;
  readonly parameters: StringMap;
}
export interface SnapshotIdRequest {
  readonly snapshotId: string;
  readonly secrets: StringMap;
}
export interface ListSnapshotsRequest {
  readonly maxEntries: number;
  readonly startingToken: string;
  readonly sourceVolumeId: string;
  readonly snapshotId: string;
  readonly secrets: StringMap;
}
export interface ListSnapshotsResponse {
  readonly entries: readonly { readonly snapshot: CsiSnapshot }[];
  readonly nextToken: string;
}

// ---- controller ----

export const CONTROLLER_CAPABILITIES = [
  'CREATE_DELETE_VOLUME',
  'PUBLISH_UNPUBLISH_VOLUME',
  'LIST_VOLUMES',
  'GET_CAPACITY',
  'CREATE_DELETE_SNAPSHOT',
  'LIST_SNAPSHOTS',
  'CLONE_VOLUME',
  'PUBLISH_READONLY',
  'EXPAND_VOLUME',
  'LIST_VOLUMES_PUBLISHED_NODES',
  'VOLUME_CONDITION',
  'GET_VOLUME',
  'SINGLE_NODE_MULTI_WRITER',
  'MODIFY_VOLUME',
  'GET_SNAPSHOT',
] as const;
export type ControllerCapability = (typeof CONTROLLER_CAPABILITIES)[number];
export interface ControllerServiceCapability {
  readonly case: 'rpc';
  readonly type: ControllerCapability | 'UNKNOWN';
}
export interface CsiController {
  readonly controllerGetCapabilities: Rpc<Empty, { readonly capabilities: readonly ControllerServiceCapability[] }>;
  readonly createVolume: Rpc<CreateVolumeRequest, { readonly volume: CsiVolume }>;
  readonly deleteVolume: Rpc<DeleteVolumeRequest, Empty>;
  readonly controllerPublishVolume: Rpc<ControllerPublishVolumeRequest, { readonly publishContext: StringMap }>;
  readonly controllerUnpublishVolume: Rpc<ControllerUnpublishVolumeRequest, Empty>;
  readonly controllerExpandVolume: Rpc<
    ControllerExpandVolumeRequest,
    { readonly capacityBytes: bigint; readonly nodeExpansionRequired: boolean }
  >;
  readonly controllerModifyVolume: Rpc<ControllerModifyVolumeRequest, Empty>;
  readonly validateVolumeCapabilities: Rpc<ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse>;
  readonly listVolumes: Rpc<ListVolumesRequest, ListVolumesResponse>;
  readonly controllerGetVolume: Rpc<
    { readonly volumeId: string },
    { readonly volume: CsiVolume; readonly status: VolumeStatus }
  >;
  readonly getCapacity: Rpc<GetCapacityRequest, GetCapacityResponse>;
  readonly createSnapshot: Rpc<CreateSnapshotRequest, { readonly snapshot: CsiSnapshot }>;
  readonly deleteSnapshot: Rpc<SnapshotIdRequest, Empty>;
  readonly listSnapshots: Rpc<ListSnapshotsRequest, ListSnapshotsResponse>;
  readonly getSnapshot: Rpc<SnapshotIdRequest, { readonly snapshot: CsiSnapshot }>;
}

// ---- node ----

/** Calls that change something about a volume, by upstream's names: of the controller service, and of the node service. */
export const CONTROLLER_CHANGES = [
  'CreateVolume',
  'DeleteVolume',
  'ControllerPublishVolume',
  'ControllerUnpublishVolume',
  'ControllerExpandVolume',
  'ControllerModifyVolume',
] as const;
export const NODE_CHANGES = [
  'NodeStageVolume',
  'NodeUnstageVolume',
  'NodePublishVolume',
  'NodeUnpublishVolume',
  'NodeExpandVolume',
] as const;

export const NODE_CAPABILITIES = [
  'STAGE_UNSTAGE_VOLUME',
  'GET_VOLUME_STATS',
  'EXPAND_VOLUME',
  'VOLUME_CONDITION',
  'SINGLE_NODE_MULTI_WRITER',
  'VOLUME_MOUNT_GROUP',
] as const;
export type NodeCapability = (typeof NODE_CAPABILITIES)[number];
export interface NodeServiceCapability {
  readonly case: 'rpc';
  readonly type: NodeCapability | 'UNKNOWN';
}
export interface NodeGetInfoResponse {
  readonly nodeId: string;
  /** 0: no limit. */
  readonly maxVolumesPerNode: bigint;
  readonly accessibleTopology?: Topology;
}
export interface NodeStageVolumeRequest {
  readonly volumeId: string;
  readonly publishContext: StringMap;
  readonly stagingTargetPath: string;
  readonly volumeCapability?: VolumeCapability;
  readonly secrets: StringMap;
  readonly volumeContext: StringMap;
}
export interface NodeUnstageVolumeRequest {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
}
export interface NodePublishVolumeRequest extends NodeStageVolumeRequest {
  readonly targetPath: string;
  readonly readonly: boolean;
}
export interface NodeUnpublishVolumeRequest {
  readonly volumeId: string;
  readonly targetPath: string;
}
export interface NodeExpandVolumeRequest {
  readonly volumeId: string;
  readonly volumePath: string;
  readonly capacityRange?: CapacityRange;
  readonly stagingTargetPath: string;
  readonly volumeCapability?: VolumeCapability;
  readonly secrets: StringMap;
}
export interface NodeGetVolumeStatsRequest {
  readonly volumeId: string;
  readonly volumePath: string;
  readonly stagingTargetPath: string;
}
export interface VolumeUsage {
  readonly available: bigint;
  readonly total: bigint;
  readonly used: bigint;
  readonly unit: 'UNKNOWN' | 'BYTES' | 'INODES';
}
export interface NodeGetVolumeStatsResponse {
  readonly usage: readonly VolumeUsage[];
  readonly volumeCondition?: VolumeCondition;
}
export interface CsiNode {
  readonly nodeGetCapabilities: Rpc<Empty, { readonly capabilities: readonly NodeServiceCapability[] }>;
  readonly nodeGetInfo: Rpc<Empty, NodeGetInfoResponse>;
  readonly nodeStageVolume: Rpc<NodeStageVolumeRequest, Empty>;
  readonly nodeUnstageVolume: Rpc<NodeUnstageVolumeRequest, Empty>;
  readonly nodePublishVolume: Rpc<NodePublishVolumeRequest, Empty>;
  readonly nodeUnpublishVolume: Rpc<NodeUnpublishVolumeRequest, Empty>;
  readonly nodeExpandVolume: Rpc<NodeExpandVolumeRequest, { readonly capacityBytes: bigint }>;
  readonly nodeGetVolumeStats: Rpc<NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse>;
}

export interface CsiDriver {
  readonly name: string;
  readonly identity: CsiIdentity;
  readonly controller: CsiController;
  nodeService(nodeName: string): CsiNode;
}
