import type { DurationMs } from '../base/clock.ts';
import type { Reason } from '../kube/reason.ts';

export type CsiCode =
  | 'OK' | 'CANCELLED' | 'UNKNOWN' | 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'ABORTED' | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED' | 'INTERNAL' | 'UNAVAILABLE' | 'DATA_LOSS' | 'UNAUTHENTICATED';
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
export type Rpc<Request, Response> = (request: Request, call: CsiCall) => Promise<Response>;
/** Stands for a message not written out here. */
export type Omitted = Readonly<Record<string, unknown>>;
export type Empty = Readonly<Record<string, never>>;
export type StringMap = Readonly<Record<string, string>>;

export interface CsiIdentity {
  readonly getPluginInfo: Rpc<Empty, { readonly name: string; readonly vendorVersion: string; readonly manifest: StringMap }>;
  readonly getPluginCapabilities: Rpc<Empty, Omitted>;
  readonly probe: Rpc<Empty, { readonly ready?: boolean }>;
}
export interface CsiController {
  readonly controllerGetCapabilities: Rpc<Empty, Omitted>;
  readonly createVolume: Rpc<CreateVolumeRequest, { readonly volume: CsiVolume }>;
  readonly deleteVolume: Rpc<{ readonly volumeId: string; readonly secrets: StringMap }, Empty>;
  readonly controllerPublishVolume: Rpc<ControllerPublishVolumeRequest, { readonly publishContext: StringMap }>;
  readonly controllerUnpublishVolume: Rpc<{ readonly volumeId: string; readonly nodeId: string; readonly secrets: StringMap }, Empty>;
  readonly controllerExpandVolume: Rpc<Omitted, { readonly capacityBytes: bigint; readonly nodeExpansionRequired: boolean }>;
  readonly controllerModifyVolume: Rpc<Omitted, Empty>;
  readonly validateVolumeCapabilities: Rpc<Omitted, Omitted>;
  readonly listVolumes: Rpc<Omitted, Omitted>;
  readonly controllerGetVolume: Rpc<Omitted, Omitted>;
  readonly getCapacity: Rpc<Omitted, Omitted>;
  readonly createSnapshot: Rpc<Omitted, Omitted>;
  readonly deleteSnapshot: Rpc<Omitted, Empty>;
  readonly listSnapshots: Rpc<Omitted, Omitted>;
  readonly getSnapshot: Rpc<Omitted, Omitted>;
}
export interface CsiNode {
  readonly nodeGetCapabilities: Rpc<Empty, Omitted>;
  readonly nodeGetInfo: Rpc<Empty, { readonly nodeId: string; readonly maxVolumesPerNode: bigint; readonly accessibleTopology?: Topology }>;
  readonly nodeStageVolume: Rpc<NodeStageVolumeRequest, Empty>;
  readonly nodeUnstageVolume: Rpc<{ readonly volumeId: string; readonly stagingTargetPath: string }, Empty>;
  readonly nodePublishVolume: Rpc<NodeStageVolumeRequest & { readonly targetPath: string; readonly readonly: boolean }, Empty>;
  readonly nodeUnpublishVolume: Rpc<{ readonly volumeId: string; readonly targetPath: string }, Empty>;
  readonly nodeExpandVolume: Rpc<Omitted, { readonly capacityBytes: bigint }>;
  readonly nodeGetVolumeStats: Rpc<{ readonly volumeId: string; readonly volumePath: string; readonly stagingTargetPath: string }, Omitted>;
}
export interface CsiDriver {
  readonly name: string;
  readonly identity: CsiIdentity;
  readonly controller: CsiController;
  nodeService(nodeName: string): CsiNode;
}
export interface Topology { readonly segments: StringMap }
export interface CapacityRange { readonly requiredBytes: bigint; readonly limitBytes: bigint }
export interface VolumeCapability {
  readonly accessType: { readonly case: 'mount'; readonly fsType: string; readonly mountFlags: readonly string[] } | { readonly case: 'block' };
  readonly accessMode: string;
}
export interface CreateVolumeRequest {
  readonly name: string;
  readonly capacityRange?: CapacityRange;
  readonly volumeCapabilities: readonly VolumeCapability[];
  readonly parameters: StringMap;
  readonly mutableParameters: StringMap;
  readonly secrets: StringMap;
  readonly accessibilityRequirements?: { readonly requisite: readonly Topology[]; readonly preferred: readonly Topology[] };
}
export interface CsiVolume { readonly volumeId: string; readonly capacityBytes: bigint; readonly volumeContext: StringMap; readonly accessibleTopology: readonly Topology[] }
export interface ControllerPublishVolumeRequest {
  readonly volumeId: string;
  readonly nodeId: string;
  readonly volumeCapability: VolumeCapability;
  readonly readonly: boolean;
  readonly secrets: StringMap;
  readonly volumeContext: StringMap;
}
export interface NodeStageVolumeRequest {
  readonly volumeId: string;
  readonly publishContext: StringMap;
  readonly stagingTargetPath: string;
  readonly volumeCapability: VolumeCapability;
  readonly secrets: StringMap;
  readonly volumeContext: StringMap;
}
